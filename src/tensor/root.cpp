#include <cmath>
#include <utility>

#include "tensor/operations.hpp"

namespace attn {
namespace {

/// sqrt(x), or 1 / sqrt(x): two roundings.
class Root final : public Operation {
 public:
  /// Kind::root or Kind::inverse_root.
  explicit Root(Kind kind) : kind_(kind) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> values = operands[0].own_floats();
    for (float& value : values) {
      value = is_inverse() ? 1 / std::sqrt(value) : std::sqrt(value);
    }
    return Array(std::move(values));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(is_inverse() ? Derivation::Rule::inverse_root : Derivation::Rule::root, {0, index});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return (is_inverse() ? "torch.rsqrt(" : "torch.sqrt(") + operands[0] + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return (is_inverse() ? "1 / np.sqrt(" : "np.sqrt(") + operands[0] + ")";
  }
  Facts facts() const override { return {.kind = kind_}; }
  std::string autograd_name(const std::vector<Tensor>&) const override {
    return is_inverse() ? "RsqrtBackward0" : "SqrtBackward0";
  }

 private:
  bool is_inverse() const { return kind_ == Kind::inverse_root; }

  Kind kind_;
};

}  // namespace

Tensor sqrt(const Tensor& x) { return Tensor(std::make_shared<Root>(Kind::root), {x}, x.shape()); }

Tensor rsqrt(const Tensor& x) { return Tensor(std::make_shared<Root>(Kind::inverse_root), {x}, x.shape()); }

}  // namespace attn
