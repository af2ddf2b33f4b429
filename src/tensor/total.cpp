#include <utility>

#include "tensor/operations.hpp"
#include "tensor/sums.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// The sum of all elements: one row for PyTorch. (Its threads would each sum a part of 32,768 elements and more.)
class Total final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array x = operands[0].array().contiguous();
    Block<float> total(Shape{});
    total.data()[0] = row_sum({x.floats(), static_cast<std::size_t>(x.count())});
    return Array(std::move(total));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape&) const override {
    Derivation derivation(Derivation::Rule::sum);
    const Shape& shape = operands[0].shape();
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      derivation.add({0, index_at(i, shape)});
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override { return grouped(operands[0]) + ".sum()"; }
  Facts facts() const override { return {.kind = Kind::sum}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>&, std::size_t) const override { return std::nullopt; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "SumBackward0"; }
};

}  // namespace

Tensor total(const Tensor& x) { return Tensor(std::make_shared<Total>(), {x}, Shape{}); }

}  // namespace attn
