#include <functional>
#include <optional>
#include <utility>

#include "tensor/math.hpp"
#include "tensor/reductions.hpp"
#include "tensor/words.hpp"
#include "tensor/xtensor.hpp"

namespace attn {
namespace {

using Rule = Derivation::Rule;

/// The block as an xtensor expression, which repeats axes of size 1.
template <class AnyBlock>
auto adapted(AnyBlock& block) {
  return xt::adapt(block.data(), block.size(), xt::no_ownership(),
                   std::vector<std::size_t>(block.shape().begin(), block.shape().end()));
}

/// x * y, x / y, x + y or x - y element by element; an operand is repeated along axes that it lacks or that have
/// size 1.
class Elementwise final : public Pointwise {
 public:
  Elementwise(Kind kind, Rule rule, char sign, const std::string& autograd)
      : Pointwise({{.kind = kind}, autograd, std::string("{(a)} ") + sign + " {(b)}"}), rule_(rule), sign_(sign) {}

  Array compute(const std::vector<Tensor>& operands, const Box& part) const override {
    const auto x_contents = operands[0].array().contents();
    const auto y_contents = operands[1].array().contents();
    const auto& x = std::get<Block<float>>(*x_contents);
    const auto& y = std::get<Block<float>>(*y_contents);
    Block<float> result(box_shape(part));
    auto out = adapted(result);
    switch (sign_) {
      case '*': xt::noalias(out) = adapted(x) * adapted(y); break;
      case '+': xt::noalias(out) = adapted(x) + adapted(y); break;
      case '-': xt::noalias(out) = adapted(x) - adapted(y); break;
      default: xt::noalias(out) = adapted(x) / adapted(y);
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Box place = box_at(index);
    const auto each = *needs(operands, place);
    const Element x = {0, box_begin(each[0].box)};
    const Element y = {1, box_begin(each[1].box)};
    if (rule_ != Rule::sum) {
      return Derivation(rule_, x, y);
    }
    Derivation derivation(rule_, x);
    derivation.add(y);
    return derivation;
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const std::int64_t from_end = std::max(operands[0].dim(), operands[1].dim()) - static_cast<std::int64_t>(axis);
    const auto has = [&](const Tensor& x) { return from_end <= x.dim() && x.size(-from_end) > 1; };
    const Tensor& source = has(operands[0]) || !has(operands[1]) ? operands[0] : operands[1];
    return from_end > source.dim()
               ? std::nullopt
               : std::optional(AxisSource{source, static_cast<std::size_t>(source.dim() - from_end)});
  }

 private:
  Rule rule_;
  char sign_;
};

template <class... Parts>
Tensor elementwise(const Tensor& x, const Tensor& y, const Parts&... parts) {
  std::optional<Shape> shape = broadcast(x.shape(), y.shape());
  if (!shape) {
    throw ShapeError("the shapes " + shape_text(x.shape()) + " and " + shape_text(y.shape()) +
                     " do not go together element by element");
  }
  return Tensor(std::make_shared<Elementwise>(parts...), {x, y}, std::move(*shape));
}

}  // namespace

Tensor multiply(const Tensor& x, const Tensor& y) {
  return elementwise(x, y, Kind::multiplied, Rule::product, '*', "MulBackward0");
}

Tensor add(const Tensor& x, const Tensor& y) { return elementwise(x, y, Kind::added, Rule::sum, '+', "AddBackward0"); }

Tensor subtract(const Tensor& x, const Tensor& y) {
  return elementwise(x, y, Kind::subtracted, Rule::difference, '-', "SubBackward0");
}

Tensor divide(const Tensor& x, const Tensor& y) {
  return elementwise(x, y, Kind::divided, Rule::quotient, '/', "DivBackward0");
}

namespace {

class Maximum final : public Pointwise {
 public:
  Maximum()
      : Pointwise({{.kind = Kind::largest}, "MaximumBackward0", "torch.maximum({a}, {b})", "np.maximum({a}, {b})"}) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> result = operands[0].own_floats();
    const Array y = operands[1].array().contiguous();
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = larger(result[i], y.floats()[i]);
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    Derivation derivation(Rule::maximum, {0, index});
    derivation.add({1, index});
    return derivation;
  }
};

}  // namespace

Tensor maximum(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) {
    throw ShapeError("the shapes " + shape_text(a.shape()) + " and " + shape_text(b.shape()) + " of maximum differ");
  }
  return Tensor(std::make_shared<Maximum>(), {a, b}, a.shape());
}

namespace {

/// A function of each element by itself.
class Each : public Pointwise {
 public:
  using Compute = std::function<void(std::span<float> values, Cpu cpu)>;

  Each(Rule rule, double constant, Compute compute, Wording is)
      : Pointwise(std::move(is)), rule_(rule), constant_(constant), compute_(std::move(compute)) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> values = operands[0].own_floats();
    compute_(std::span<float>(values.data(), values.size()), kernels_of(operands).cpu);
    return Array(std::move(values));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(rule_, {0, index}, {}, constant_);
  }

 private:
  Rule rule_;
  double constant_;
  Compute compute_;
};

Tensor each(const Tensor& x, Rule rule, double constant, Each::Compute compute, Wording is) {
  return Tensor(std::make_shared<Each>(rule, constant, std::move(compute), std::move(is)), {x}, x.shape());
}

/// A function of one float, for every element.
template <class Function>
Each::Compute of_each(Function function) {
  return [function](std::span<float> values, Cpu) {
    for (float& value : values) {
      value = function(value);
    }
  };
}

/// cos or sin, computed in float64 and rounded to float32. PyTorch's own float32 functions differ between its versions
/// and kernels in the last bit; in float64 they all agree once rounded: of all 503 million float32 from 2^-40 to 2^20,
/// glibc and SLEEF's functions of 1.0 and 3.5 ulp give the same cosine and sine for each (tests/exp_test.cpp).
Tensor circular(const Tensor& x, Kind kind, Rule rule, const std::string& name, double (*function)(double)) {
  return each(x, rule, 0,
              of_each([function](float angle) { return static_cast<float>(function(static_cast<double>(angle))); }),
              {{.kind = kind},
               "ToCopyBackward0",
               "torch." + name + "({(a)}.double()).float()",
               "np." + name + "({(a)}.astype(np.float64)).astype(np.float32)"});
}

}  // namespace

Tensor exp(const Tensor& x) {
  return each(x, Rule::exponential, 0, [](std::span<float> values, Cpu cpu) { softmax_exp(values, cpu); },
              {{.kind = Kind::exp}, "ExpBackward0", "torch.exp({a})", "np.exp({a})"});
}

Tensor cos(const Tensor& x) { return circular(x, Kind::cosine, Rule::cosine, "cos", std::cos); }

Tensor sin(const Tensor& x) { return circular(x, Kind::sine, Rule::sine, "sin", std::sin); }

Tensor sqrt(const Tensor& x) {
  return each(x, Rule::root, 0, of_each([](float value) { return std::sqrt(value); }),
              {{.kind = Kind::root}, "SqrtBackward0", "torch.sqrt({a})", "np.sqrt({a})"});
}

Tensor rsqrt(const Tensor& x) {
  return each(x, Rule::inverse_root, 0, of_each([](float value) { return 1 / std::sqrt(value); }),
              {{.kind = Kind::inverse_root}, "RsqrtBackward0", "torch.rsqrt({a})", "1 / np.sqrt({a})"});
}

Tensor add(const Tensor& x, double addend) {
  const std::string number = python_repr(addend);
  return each(x, Rule::raised, addend, of_each([addend](float value) { return value + static_cast<float>(addend); }),
              {{.kind = Kind::raised, .value = addend},
               "AddBackward0",
               "{(a)} + " + number,
               "{(a)} + np.float32(" + number + ")"});
}

/// Times the root of 1 / d, d the size of the last axis.
Tensor scale_queries(const Tensor& queries) {
  const std::int64_t d = queries.size(-1);
  const auto factor = static_cast<float>(std::sqrt(1 / static_cast<double>(d)));
  const std::string words = "(1 / " + std::to_string(d) + ")**0.5";
  return each(queries, Rule::product, static_cast<double>(factor),
              of_each([factor](float value) { return value * factor; }),
              {{.kind = Kind::scaled, .root_of = d, .value = std::sqrt(static_cast<double>(d))},
               "MulBackward0",
               "{(a)} * " + words,
               "{(a)} * np.float32(" + words + ")"});
}

namespace {

/// Divides by a number, which may be the root of another. A program may have its own expression for that one, passed as
/// the second operand.
class Divide final : public Each {
 public:
  using Each::Each;

  std::string pytorch(const std::vector<std::string>& operands) const override {
    return Each::pytorch(with_root(operands));
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return Each::numpy(with_root(operands));
  }

 private:
  std::vector<std::string> with_root(std::vector<std::string> operands) const {
    operands.push_back(std::to_string(facts().root_of));
    return operands;
  }
};

Tensor divided(const Tensor& x, double divisor, const std::string& words, std::int64_t root_of) {
  const auto rounded = static_cast<float>(divisor);
  const auto number = static_cast<double>(rounded);
  const std::string in_program = root_of > 0 ? "{b}**0.5" : words;
  return Tensor(
      std::make_shared<Divide>(Rule::quotient, number, of_each([rounded](float x_i) { return x_i / rounded; }),
                               Wording{{.kind = Kind::scaled, .root_of = root_of, .value = number},
                                       "DivBackward0",
                                       "{(a)} / " + words,
                                       "{(a)} / np.float32(" + in_program + ")",
                                       "{(a)} / " + in_program}),
      {x}, x.shape());
}

}  // namespace

Tensor divide(const Tensor& x, double divisor, const std::string& words) { return divided(x, divisor, words, 0); }

Tensor scale(const Tensor& scores, const Tensor& keys) {
  const std::int64_t d = keys.size(-1);
  return divided(scores, std::sqrt(static_cast<double>(d)), keys.name() + ".shape[-1]**0.5", d);
}

namespace {

/// The last step of nn.LayerNorm. Under avx2 its multiplication and addition are fused.
class ScaleAndShift final : public Pointwise {
 public:
  ScaleAndShift()
      : Pointwise({{.kind = Kind::scaled_and_shifted},
                   "NativeLayerNormBackward0",
                   "{(a)} * {(b)} + {c}",
                   {},
                   "torch.addcmul({c}, {a}, {b})"}) {}

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
    Derivation derivation(Rule::products, {0, index}, Element{1, {index.back()}});
    derivation.bias = Element{2, {index.back()}};
    return derivation;
  }
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

namespace {

class AllClose final : public Worded {
 public:
  AllClose()
      : Worded({{.kind = Kind::comparison}, "", "torch.isclose({a}, {b}).all()", "np.isclose({a}, {b}).all()"}) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    constexpr float relative = 1e-05F;  // torch.isclose's defaults
    constexpr float absolute = 1e-08F;
    const Array a = operands[0].array().contiguous();
    const Array b = operands[1].array().contiguous();
    Block<bool> result(Shape{});
    result[0] = true;
    for (std::int64_t i = 0; i < a.count(); ++i) {
      const float x = a.floats()[i];
      const float y = b.floats()[i];
      const bool close = x == y || std::abs(x - y) <= absolute + std::abs(relative * y);
      result[0] = result[0] && close;
    }
    return Array(std::move(result));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape&) const override {
    Derivation derivation(Rule::comparison);
    const Shape& shape = operands[0].shape();
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      const Shape at = index_at(i, shape);
      derivation.add({0, at}, Element{1, at});
    }
    return derivation;
  }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>&, std::size_t) const override { return std::nullopt; }
};

}  // namespace

Tensor all_close(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) {
    throw ShapeError("all_close needs equal shapes, got " + shape_text(a.shape()) + " and " + shape_text(b.shape()));
  }
  return Tensor(std::make_shared<AllClose>(), {a, b}, {}, DType::boolean);
}

}  // namespace attn
