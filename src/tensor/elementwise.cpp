#include <algorithm>
#include <optional>
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

/// x * y, x / y, x + y or x - y element by element; an operand is repeated along axes that it lacks or that have
/// size 1.
class Elementwise final : public Operation {
 public:
  /// Kind::multiplied, Kind::divided, Kind::added or Kind::subtracted.
  explicit Elementwise(Kind kind) : kind_(kind) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override {
    const auto box_of = [&](const Tensor& operand) {
      Box box(part.end() - operand.dim(), part.end());
      for (std::size_t axis = 0; axis < box.size(); ++axis) {
        box[axis] = operand.shape()[axis] == 1 ? Range{0, 1} : box[axis];
      }
      return box;
    };
    return std::vector<Need>{{box_of(operands[0])}, {box_of(operands[1])}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const auto x_contents = operands[0].array().contents();
    const auto y_contents = operands[1].array().contents();
    const auto& x = std::get<Block<float>>(*x_contents);
    const auto& y = std::get<Block<float>>(*y_contents);
    Block<float> result(box_shape(part));
    auto out = adapted(result);
    if (kind_ == Kind::multiplied) {
      xt::noalias(out) = adapted(x) * adapted(y);
    } else if (kind_ == Kind::added) {
      xt::noalias(out) = adapted(x) + adapted(y);
    } else if (kind_ == Kind::subtracted) {
      xt::noalias(out) = adapted(x) - adapted(y);
    } else {
      xt::noalias(out) = adapted(x) / adapted(y);
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    const auto at = [&](std::size_t operand) {
      const Shape& shape = operands[operand].shape();
      Shape place(index.end() - std::ssize(shape), index.end());
      for (std::size_t axis = 0; axis < place.size(); ++axis) {
        place[axis] = shape[axis] == 1 ? 0 : place[axis];
      }
      return Element{operand, std::move(place)};
    };
    if (kind_ == Kind::added) {
      Derivation derivation(Derivation::Rule::sum, at(0));
      derivation.add(at(1));
      return derivation;
    }
    const auto rule = kind_ == Kind::multiplied   ? Derivation::Rule::product
                      : kind_ == Kind::subtracted ? Derivation::Rule::difference
                                                  : Derivation::Rule::quotient;
    return Derivation(rule, at(0), at(1));
  }
  std::string words(const std::vector<std::string>& operands) const override {
    const std::string sign = kind_ == Kind::multiplied   ? " * "
                             : kind_ == Kind::added      ? " + "
                             : kind_ == Kind::subtracted ? " - "
                                                         : " / ";
    return grouped(operands[0]) + sign + grouped(operands[1]);
  }
  Facts facts() const override { return {.kind = kind_}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const std::int64_t from_end = std::max(operands[0].dim(), operands[1].dim()) - static_cast<std::int64_t>(axis);
    const auto has = [&](const Tensor& x) { return from_end <= x.dim() && x.size(-from_end) > 1; };
    const Tensor& source = has(operands[0]) || !has(operands[1]) ? operands[0] : operands[1];
    return from_end > source.dim()
               ? std::nullopt
               : std::optional(AxisSource{source, static_cast<std::size_t>(source.dim() - from_end)});
  }
  std::string autograd_name(const std::vector<Tensor>&) const override {
    return kind_ == Kind::multiplied   ? "MulBackward0"
           : kind_ == Kind::added      ? "AddBackward0"
           : kind_ == Kind::subtracted ? "SubBackward0"
                                       : "DivBackward0";
  }

 private:
  Kind kind_;
};

Tensor elementwise(const Tensor& x, const Tensor& y, Kind kind) {
  std::optional<Shape> shape = broadcast(x.shape(), y.shape());
  if (!shape) {
    throw ShapeError("the shapes " + shape_text(x.shape()) + " and " + shape_text(y.shape()) +
                     " do not go together element by element");
  }
  return Tensor(std::make_shared<Elementwise>(kind), {x, y}, std::move(*shape));
}

}  // namespace

Tensor multiply(const Tensor& x, const Tensor& y) { return elementwise(x, y, Kind::multiplied); }

Tensor add(const Tensor& x, const Tensor& y) { return elementwise(x, y, Kind::added); }

Tensor subtract(const Tensor& x, const Tensor& y) { return elementwise(x, y, Kind::subtracted); }

Tensor divide(const Tensor& x, const Tensor& y) { return elementwise(x, y, Kind::divided); }

}  // namespace attn
