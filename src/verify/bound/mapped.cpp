#include "verify/bound/mapped.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace attn::verify {
namespace {

class Mapped final : public Operation {
 public:
  Mapped(Shape shape, Mapping mapping) : shape_(std::move(shape)), mapping_(std::move(mapping)) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> result(shape_);
    for (std::size_t i = 0; i < result.size(); ++i) {
      std::vector<Interval> values;
      for (const Element& element : mapping_.elements(index_at(static_cast<std::int64_t>(i), shape_))) {
        const double value = operands[element.operand].value(element.index);
        values.push_back({value, value});
      }
      result[i] = static_cast<float>(mapping_.bound(values).middle());
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::given);
    for (Element& element : mapping_.elements(index)) {
      derivation.add(std::move(element));
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override { return mapping_.words(operands); }
  Facts facts() const override { return {.kind = Kind::given}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return ""; }

  Interval bound(std::span<const Interval> elements) const { return mapping_.bound(elements); }

 private:
  Shape shape_;
  Mapping mapping_;
};

}  // namespace

Tensor mapped(std::vector<Tensor> operands, const Shape& shape, Mapping mapping) {
  return Tensor(std::make_shared<Mapped>(shape, std::move(mapping)), std::move(operands), shape);
}

Interval bound_of_mapped(const Tensor& tensor, std::span<const Interval> elements) {
  return dynamic_cast<const Mapped&>(tensor.operation()).bound(elements);
}

}  // namespace attn::verify
