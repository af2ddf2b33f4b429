#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "tensor/exp.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

using Rule = Derivation::Rule;

/// An expression around its operand: "torch.exp(" and ")".
struct Around {
  std::string before;
  std::string after;

  std::string operator()(const std::string& operand) const {
    return before + (after == ")" ? operand : grouped(operand)) + after;
  }
};

/// A function of each element by itself.
class Each final : public Operation {
 public:
  using Compute = std::function<void(std::span<float> values, Cpu cpu)>;

  Each(const Facts& facts, Rule rule, double constant, std::string autograd, Around pytorch, Around numpy,
       Compute compute)
      : facts_(facts),
        rule_(rule),
        constant_(constant),
        autograd_(std::move(autograd)),
        pytorch_(std::move(pytorch)),
        numpy_(std::move(numpy)),
        compute_(std::move(compute)) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> values = operands[0].own_floats();
    compute_(std::span<float>(values.data(), values.size()), kernels_of(operands).cpu);
    return Array(std::move(values));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(rule_, {0, index}, {}, constant_);
  }
  std::string words(const std::vector<std::string>& operands) const override { return pytorch_(operands[0]); }
  std::string numpy(const std::vector<std::string>& operands) const override { return numpy_(operands[0]); }
  Facts facts() const override { return facts_; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return autograd_; }

 private:
  Facts facts_;
  Rule rule_;
  double constant_;
  std::string autograd_;
  Around pytorch_;
  Around numpy_;
  Compute compute_;
};

template <class... Parts>
Tensor each(const Tensor& x, Parts&&... parts) {
  return Tensor(std::make_shared<Each>(std::forward<Parts>(parts)...), {x}, x.shape());
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
  return each(x, Facts{.kind = kind}, rule, 0, "ToCopyBackward0", Around{"torch." + name + "(", ".double()).float()"},
              Around{"np." + name + "(", ".astype(np.float64)).astype(np.float32)"},
              of_each([function](float angle) { return static_cast<float>(function(static_cast<double>(angle))); }));
}

}  // namespace

Tensor exp(const Tensor& x) {
  return each(x, Facts{.kind = Kind::exp}, Rule::exponential, 0, "ExpBackward0", Around{"torch.exp(", ")"},
              Around{"np.exp(", ")"}, [](std::span<float> values, Cpu cpu) { softmax_exp(values, cpu); });
}

Tensor cos(const Tensor& x) { return circular(x, Kind::cosine, Rule::cosine, "cos", std::cos); }

Tensor sin(const Tensor& x) { return circular(x, Kind::sine, Rule::sine, "sin", std::sin); }

Tensor sqrt(const Tensor& x) {
  return each(x, Facts{.kind = Kind::root}, Rule::root, 0, "SqrtBackward0", Around{"torch.sqrt(", ")"},
              Around{"np.sqrt(", ")"}, of_each([](float value) { return std::sqrt(value); }));
}

Tensor rsqrt(const Tensor& x) {
  return each(x, Facts{.kind = Kind::inverse_root}, Rule::inverse_root, 0, "RsqrtBackward0",
              Around{"torch.rsqrt(", ")"}, Around{"1 / np.sqrt(", ")"},
              of_each([](float value) { return 1 / std::sqrt(value); }));
}

Tensor add(const Tensor& x, double addend) {
  const std::string number = python_repr(addend);
  return each(x, Facts{.kind = Kind::raised, .value = addend}, Rule::raised, addend, "AddBackward0",
              Around{"", " + " + number}, Around{"", " + np.float32(" + number + ")"},
              of_each([addend](float value) { return value + static_cast<float>(addend); }));
}

/// Times the root of 1 / d, d the size of the last axis.
Tensor scale_queries(const Tensor& queries) {
  const std::int64_t d = queries.size(-1);
  const auto factor = static_cast<float>(std::sqrt(1 / static_cast<double>(d)));
  const std::string words = "(1 / " + std::to_string(d) + ")**0.5";
  return each(queries, Facts{.kind = Kind::scaled, .root_of = d, .value = std::sqrt(static_cast<double>(d))},
              Rule::product, static_cast<double>(factor), "MulBackward0", Around{"", " * " + words},
              Around{"", " * np.float32(" + words + ")"}, of_each([factor](float value) { return value * factor; }));
}

}  // namespace attn
