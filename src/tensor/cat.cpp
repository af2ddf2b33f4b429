#include <algorithm>
#include <utility>

#include "tensor/operations.hpp"

namespace attn {
namespace {

class Cat final : public Operation {
 public:
  Array compute(const std::vector<Tensor>& operands) const override {
    std::int64_t width = 0;
    std::vector<Array> parts;
    for (const Tensor& operand : operands) {
      parts.push_back(operand.array().contiguous());
      width += parts.back().shape.back();
    }
    Shape shape = parts[0].shape;
    shape.back() = width;
    Block<float> joined(shape);
    std::int64_t column = 0;
    for (const Array& part : parts) {
      const std::int64_t columns = part.shape.back();
      for (std::int64_t row = 0; row < part.count() / columns; ++row) {
        std::copy_n(part.floats() + row * columns, columns, joined.data() + row * width + column);
      }
      column += columns;
    }
    return Array(std::move(joined));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    Shape at = index;
    std::size_t part = 0;
    while (at.back() >= operands[part].size(-1)) {
      at.back() -= operands[part++].size(-1);
    }
    return Derivation(Derivation::Rule::copy, {part, std::move(at)});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return "torch.cat([" + listed(operands) + "], dim=-1)";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return "np.concatenate([" + listed(operands) + "], axis=-1)";
  }
  Facts facts() const override { return {.kind = Kind::cat}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return outer_axis_source(operands, axis);
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "CatBackward0"; }

 private:
  static std::string listed(const std::vector<std::string>& operands) {
    std::string list;
    for (const std::string& operand : operands) {
      list += (list.empty() ? "" : ", ") + operand;
    }
    return list;
  }
};

}  // namespace

Tensor cat(const std::vector<Tensor>& tensors) {
  Shape shape = tensors.at(0).shape();
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const Shape& other = tensors[i].shape();
    if (other.size() != shape.size() || !std::equal(shape.begin(), shape.end() - 1, other.begin())) {
      throw ShapeError("cat along the last axis needs equal other axes, got " + shape_text(tensors[0].shape()) +
                       " and " + shape_text(other));
    }
    shape.back() += other.back();
  }
  return Tensor(std::make_shared<Cat>(), tensors, std::move(shape));
}

}  // namespace attn
