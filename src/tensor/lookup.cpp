#include <algorithm>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// Rows of a table, each by its number. The operands are the table and the numbers.
class Lookup final : public Operation {
 public:
  explicit Lookup(std::string module) : module_(std::move(module)) {}

  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const auto contents = operands[1].array().contents();
    const auto& ids = std::get<Block<std::int64_t>>(*contents);
    const std::int64_t width = operands[0].size(1);
    Block<float> rows(Shape{operands[1].size(0), width});
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Array row = operands[0].part({{ids[i], ids[i] + 1}, {0, width}}).contiguous();
      std::copy_n(row.floats(), width, rows.data() + static_cast<std::int64_t>(i) * width);
    }
    return Array(std::move(rows));
  }
  bool picks_rows() const override { return true; }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    const auto row = static_cast<std::int64_t>(operands[1].value({index[0]}));
    return Derivation(Derivation::Rule::copy, {0, {row, index[1]}});
  }
  std::string words(const std::vector<std::string>& operands) const override {
    return module_ + "(" + operands[1] + ")";
  }
  std::string pytorch(const std::vector<std::string>& operands) const override {
    return "nn.functional.embedding(" + operands[1] + ", " + operands[0] + ")";
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return grouped(operands[0]) + "[" + operands[1] + "]";
  }
  Facts facts() const override { return {.kind = Kind::looked_up}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return AxisSource{operands[axis == 0 ? 1 : 0], axis};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return "EmbeddingBackward0"; }

 private:
  std::string module_;
};

}  // namespace

Tensor lookup(const Tensor& table, const Tensor& ids, const std::string& module) {
  if (table.dim() != 2 || ids.dim() != 1 || ids.dtype() != DType::int64) {
    throw ShapeError("lookup: rows of a table [n, d] by numbers [k], not of " + shape_text(table.shape()) + " by " +
                     shape_text(ids.shape()));
  }
  return Tensor(std::make_shared<Lookup>(module), {table, ids}, Shape{ids.size(0), table.size(1)});
}

}  // namespace attn
