#include <algorithm>
#include <utility>

#include "tensor/words.hpp"

namespace attn {
namespace {

class Leaf final : public Operation {
 public:
  Leaf(Facts facts, LeafWords words, Fill fill, std::optional<Tensor> like)
      : facts_(facts), words_(std::move(words)), fill_(std::move(fill)), like_(std::move(like)) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box&) const override {
    return fill_.is_in_parts ? std::optional(std::vector<Need>{}) : std::nullopt;
  }
  Array compute(const std::vector<Tensor>&, const Box& part) const override { return Array(fill_.part(part)); }
  Derivation derive(const std::vector<Tensor>&, const Shape&) const override {
    return Derivation(Derivation::Rule::given);
  }
  std::string words(const std::vector<std::string>&) const override { return words_.pytorch; }
  std::string numpy(const std::vector<std::string>&) const override { return words_.numpy; }
  Facts facts() const override { return facts_; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>&, std::size_t axis) const override {
    return like_ ? std::optional(AxisSource{*like_, axis}) : std::nullopt;
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return ""; }

 private:
  Facts facts_;
  LeafWords words_;
  Fill fill_;
  std::optional<Tensor> like_;
};

class Parameter final : public Moved {
 public:
  Parameter(const std::string& words, bool is_trainable)
      : Moved({{.kind = Kind::parameter},
               "",
               !words.empty() ? words
               : is_trainable ? "nn.Parameter({a})"
                              : "nn.Parameter({a}, requires_grad=False)",
               "{a}"}),
        is_trainable_(is_trainable) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override { return operands[0].array(); }
  bool is_view() const override { return true; }
  bool is_parameter() const override { return true; }
  bool is_trainable() const override { return is_trainable_; }

 private:
  bool is_trainable_;
};

}  // namespace

Tensor leaf(Shape shape, DType dtype, LeafWords words, Fill fill, std::optional<Kernels> kernels, Facts facts,
            std::optional<Tensor> like) {
  return Tensor(std::make_shared<Leaf>(facts, std::move(words), std::move(fill), std::move(like)), kernels,
                std::move(shape), dtype);
}

Tensor parameter(const Tensor& data, const std::string& words) {
  return Tensor(std::make_shared<Parameter>(words, true), {data}, data.shape());
}

Tensor frozen_parameter(const Tensor& data) {
  return Tensor(std::make_shared<Parameter>("", false), {data}, data.shape());
}

const Tensor& data_of(const Tensor& tensor) {
  return tensor.operation().is_parameter() ? tensor.operands()[0] : tensor;
}

namespace {

/// Rows of a table, each by its number. The operands are the table and the numbers.
class Lookup final : public Worded {
 public:
  explicit Lookup(const std::string& module)
      : Worded({{.kind = Kind::looked_up},
                "EmbeddingBackward0",
                module + "({b})",
                "{(a)}[{b}]",
                "nn.functional.embedding({b}, {a})"}) {}

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
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    return AxisSource{operands[axis == 0 ? 1 : 0], axis};
  }
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
