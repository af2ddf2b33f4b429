#include <cmath>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
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

/// x times the root of 1 / d, d the size of its last axis.
class TimesRoot final : public Operation {
 public:
  explicit TimesRoot(std::int64_t d) : d_(d), factor_(static_cast<float>(std::sqrt(1 / static_cast<double>(d)))) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> product = operands[0].own_floats();
    for (float& value : product) {
      value *= factor_;
    }
    return Array(std::move(product));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::product, {0, index}, {}, static_cast<double>(factor_));
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " * (1 / " + std::to_string(d_) + ")**0.5";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + " * np.float32((1 / " + std::to_string(d_) + ")**0.5)";
  }
  Facts facts() const override {
    return {.kind = Kind::scaled, .root_of = d_, .value = std::sqrt(static_cast<double>(d_))};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "MulBackward0"; }

 private:
  std::int64_t d_;
  float factor_;
};

}  // namespace

Tensor scale_queries(const Tensor& queries) {
  return Tensor(std::make_shared<TimesRoot>(queries.size(-1)), {queries}, queries.shape());
}

Tensor divide(const Tensor& x, double divisor, const std::string& words) {
  return Tensor(std::make_shared<Divide>(divisor, words), {x}, x.shape());
}

Tensor scale(const Tensor& scores, const Tensor& keys) {
  const std::int64_t d = keys.size(-1);
  const std::string words = keys.name() + ".shape[-1]**0.5";
  return Tensor(std::make_shared<Divide>(std::sqrt(static_cast<double>(d)), words, d), {scores}, scores.shape());
}

}  // namespace attn
