#include <cmath>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// cos or sin, computed in float64 and rounded to float32. PyTorch's own float32 functions differ between its versions
/// and kernels in the last bit; in float64 they all agree once rounded: of all 503 million float32 from 2^-40 to 2^20,
/// glibc and SLEEF's functions of 1.0 and 3.5 ulp give the same cosine and sine for each (tests/cosine_test.cpp).
class Circular final : public Operation {
 public:
  /// Kind::cosine or Kind::sine.
  explicit Circular(Kind kind) : kind_(kind) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> values = operands[0].own_floats();
    for (float& value : values) {
      const auto angle = static_cast<double>(value);
      value = static_cast<float>(kind_ == Kind::cosine ? std::cos(angle) : std::sin(angle));
    }
    return Array(std::move(values));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(kind_ == Kind::cosine ? Derivation::Rule::cosine : Derivation::Rule::sine, {0, index});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch." + function() + "(" + grouped(operands[0]) + ".double()).float()";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np." + function() + "(" + grouped(operands[0]) + ".astype(np.float64)).astype(np.float32)";
  }
  Facts facts() const override { return {.kind = kind_}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "ToCopyBackward0"; }

 private:
  std::string function() const { return kind_ == Kind::cosine ? "cos" : "sin"; }

  Kind kind_;
};

}  // namespace

Tensor cos(const Tensor& x) { return Tensor(std::make_shared<Circular>(Kind::cosine), {x}, x.shape()); }

Tensor sin(const Tensor& x) { return Tensor(std::make_shared<Circular>(Kind::sine), {x}, x.shape()); }

}  // namespace attn
