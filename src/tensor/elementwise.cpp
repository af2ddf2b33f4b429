#include <algorithm>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "tensor/xtensor.hpp"

namespace attn {
namespace {

/// The block as an xtensor expression, which repeats axes of size 1.
template <class AnyBlock>
auto adapted(AnyBlock& block) {
  return xt::adapt(block.data(), block.size(), xt::no_ownership(),
                   std::vector<std::size_t>(block.shape().begin(), block.shape().end()));
}

/// x * y, x / y or x + y element by element; y is repeated along axes that it lacks or that have size 1.
class Elementwise final : public Operation {
 public:
  /// Kind::multiplied, Kind::divided or Kind::added.
  explicit Elementwise(Kind kind) : kind_(kind) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    Box box(part.end() - operands[1].dim(), part.end());
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      box[axis] = operands[1].shape()[axis] == 1 ? Range{0, 1} : box[axis];
    }
    return std::vector<Need>{{part}, {box}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const auto x_contents = operands[0].array().contents();
    const auto y_contents = operands[1].array().contents();
    const auto& x = std::get<Block<float>>(*x_contents);
    const auto& y = std::get<Block<float>>(*y_contents);
    Block<float> result(x.shape());
    auto out = adapted(result);
    if (kind_ == Kind::multiplied) {
      xt::noalias(out) = adapted(x) * adapted(y);
    } else if (kind_ == Kind::added) {
      xt::noalias(out) = adapted(x) + adapted(y);
    } else {
      xt::noalias(out) = adapted(x) / adapted(y);
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Shape at(index.end() - operands[1].dim(), index.end());
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      at[axis] = operands[1].shape()[axis] == 1 ? 0 : at[axis];
    }
    if (kind_ == Kind::added) {
      Derivation derivation(Derivation::Rule::sum, {0, index});
      derivation.add({1, std::move(at)});
      return derivation;
    }
    const auto rule = kind_ == Kind::multiplied ? Derivation::Rule::product : Derivation::Rule::quotient;
    return Derivation(rule, {0, index}, Element{1, std::move(at)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    const std::string sign = kind_ == Kind::multiplied ? " * " : kind_ == Kind::added ? " + " : " / ";
    return grouped(operands[0]) + sign + grouped(operands[1]);
  }
  Facts facts() const override { return {.kind = kind_}; }
  std::string autograd_name(const std::vector<Tensor>&) const override {
    return kind_ == Kind::multiplied ? "MulBackward0" : kind_ == Kind::added ? "AddBackward0" : "DivBackward0";
  }

 private:
  Kind kind_;
};

Tensor elementwise(const Tensor& x, const Tensor& y, Kind kind) {
  const bool fits = x.dim() >= y.dim() && std::equal(y.shape().begin(), y.shape().end(), x.shape().end() - y.dim(),
                                                     [](std::int64_t m, std::int64_t n) { return m == n || m == 1; });
  if (!fits) {
    throw ShapeError("the shapes " + shape_text(x.shape()) + " and " + shape_text(y.shape()) +
                     " do not go together element by element");
  }
  return Tensor(std::make_shared<Elementwise>(kind), {x, y}, x.shape());
}

}  // namespace

Tensor multiply(const Tensor& x, const Tensor& y) { return elementwise(x, y, Kind::multiplied); }

Tensor add(const Tensor& x, const Tensor& y) { return elementwise(x, y, Kind::added); }

Tensor divide(const Tensor& x, const Tensor& y) { return elementwise(x, y, Kind::divided); }

}  // namespace attn
