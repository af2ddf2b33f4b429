#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "tensor/fused.hpp"
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

/// An operation of two tensors.
struct Sign {
  Kind kind;
  std::string_view words;
  std::string_view autograd;
  Derivation::Rule rule;
};
constexpr Sign times = {Kind::multiplied, " * ", "MulBackward0", Derivation::Rule::product};
constexpr Sign plus = {Kind::added, " + ", "AddBackward0", Derivation::Rule::sum};
constexpr Sign minus = {Kind::subtracted, " - ", "SubBackward0", Derivation::Rule::difference};
constexpr Sign over = {Kind::divided, " / ", "DivBackward0", Derivation::Rule::quotient};

/// x * y, x / y, x + y or x - y element by element; an operand is repeated along axes that it lacks or that have
/// size 1.
class Elementwise final : public Operation {
 public:
  explicit Elementwise(const Sign& sign) : sign_(sign) {}

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
    if (sign_.kind == Kind::multiplied) {
      xt::noalias(out) = adapted(x) * adapted(y);
    } else if (sign_.kind == Kind::added) {
      xt::noalias(out) = adapted(x) + adapted(y);
    } else if (sign_.kind == Kind::subtracted) {
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
    if (sign_.kind == Kind::added) {
      Derivation derivation(sign_.rule, at(0));
      derivation.add(at(1));
      return derivation;
    }
    return Derivation(sign_.rule, at(0), at(1));
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + std::string(sign_.words) + grouped(operands[1]);
  }
  Facts facts() const override { return {.kind = sign_.kind}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const std::int64_t from_end = std::max(operands[0].dim(), operands[1].dim()) - static_cast<std::int64_t>(axis);
    const auto has = [&](const Tensor& x) { return from_end <= x.dim() && x.size(-from_end) > 1; };
    const Tensor& source = has(operands[0]) || !has(operands[1]) ? operands[0] : operands[1];
    return from_end > source.dim()
               ? std::nullopt
               : std::optional(AxisSource{source, static_cast<std::size_t>(source.dim() - from_end)});
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return std::string(sign_.autograd); }

 private:
  Sign sign_;
};

Tensor elementwise(const Tensor& x, const Tensor& y, const Sign& sign) {
  std::optional<Shape> shape = broadcast(x.shape(), y.shape());
  if (!shape) {
    throw ShapeError("the shapes " + shape_text(x.shape()) + " and " + shape_text(y.shape()) +
                     " do not go together element by element");
  }
  return Tensor(std::make_shared<Elementwise>(sign), {x, y}, std::move(*shape));
}

}  // namespace

Tensor multiply(const Tensor& x, const Tensor& y) { return elementwise(x, y, times); }

Tensor add(const Tensor& x, const Tensor& y) { return elementwise(x, y, plus); }

Tensor subtract(const Tensor& x, const Tensor& y) { return elementwise(x, y, minus); }

Tensor divide(const Tensor& x, const Tensor& y) { return elementwise(x, y, over); }

namespace {

class Divide final : public Operation {
 public:
  Divide(double divisor, std::string words, std::int64_t root_of = 0)
      : divisor_(static_cast<float>(divisor)), words_(std::move(words)), root_of_(root_of) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> quotient = operands[0].own_floats();
    for (float& value : quotient) {
      value /= divisor_;
    }
    return Array(std::move(quotient));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::quotient, {0, index}, {}, static_cast<double>(divisor_));
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " / " + words_;
  }
  std::string pytorch(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " / " + divisor(operands);
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " / np.float32(" + divisor(operands) + ")";
  }
  Facts facts() const override {
    return {.kind = Kind::scaled, .root_of = root_of_, .value = static_cast<double>(divisor_)};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "DivBackward0"; }

 private:
  /// A program may have its own expression for the number under the root, passed as the second operand.
  std::string divisor(const std::vector<std::string>& operands) const {
    const std::string number = operands.size() > 1 ? operands[1] : std::to_string(root_of_);
    return root_of_ > 0 ? number + "**0.5" : words_;
  }

  float divisor_;
  std::string words_;
  std::int64_t root_of_;
};

}  // namespace

Tensor divide(const Tensor& x, double divisor, const std::string& words) {
  return Tensor(std::make_shared<Divide>(divisor, words), {x}, x.shape());
}

Tensor scale(const Tensor& scores, const Tensor& keys) {
  const std::int64_t d = keys.size(-1);
  const std::string words = keys.name() + ".shape[-1]**0.5";
  return Tensor(std::make_shared<Divide>(std::sqrt(static_cast<double>(d)), words, d), {scores}, scores.shape());
}

namespace {

/// The last step of nn.LayerNorm. Under avx2 its multiplication and addition are fused.
class ScaleAndShift final : public Operation {
 public:
  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}, {{part.back()}}, {{part.back()}}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> values = operands[0].own_floats();
    const Array scales = operands[1].array().contiguous();
    const Array shifts = operands[2].array().contiguous();
    const bool is_fused = kernels_of(operands).cpu != Cpu::standard;
    const auto width = static_cast<std::size_t>(scales.count());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float scale = scales.floats()[i % width];
      const float shift = shifts.floats()[i % width];
      values[i] = is_fused ? fused(values[i], scale, shift) : values[i] * scale + shift;
    }
    return Array(std::move(values));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Derivation derivation(Derivation::Rule::products, {0, index}, Element{1, {index.back()}});
    derivation.bias = Element{2, {index.back()}};
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " * " + grouped(operands[1]) + " + " + operands[2];
  }
  std::string pytorch(const std::vector<std::string>& operands) const override {
    return "torch.addcmul(" + operands[2] + ", " + operands[0] + ", " + operands[1] + ")";
  }
  Facts facts() const override { return {.kind = Kind::scaled_and_shifted}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "NativeLayerNormBackward0"; }
};

}  // namespace

Tensor scale_and_shift(const Tensor& x, const Tensor& scales, const Tensor& shifts) {
  const Shape row = {x.dim() == 0 ? 1 : x.size(-1)};
  if (x.dim() == 0 || scales.shape() != row || shifts.shape() != row) {
    throw ShapeError("the last axis of " + shape_text(x.shape()) + " does not meet a weight of " +
                     shape_text(scales.shape()) + " and a bias of " + shape_text(shifts.shape()));
  }
  return Tensor(std::make_shared<ScaleAndShift>(), {x, scales, shifts}, x.shape());
}

}  // namespace attn
