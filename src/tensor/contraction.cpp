#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tensor/blas.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"

namespace attn {
namespace {

/// a [i, k] or [k], b [j, k] or [k], both row-major: sdot of each row of a with each row of b.
void by_dot(Blas blas, const Array& a, const Array& b, float* out) {
  const std::int64_t width = a.shape.back();
  for (std::int64_t i = 0; i < a.count(); i += width) {
    for (std::int64_t j = 0; j < b.count(); j += width) {
      *out++ = dot_product(blas, a.floats() + i, b.floats() + j, width);
    }
  }
}

/// a [j, k], b [i, k] or [k]: sgemv for each row of b.
void by_gemv(Blas blas, const Array& a, const Array& b, float* out) {
  const std::int64_t width = a.shape[1];
  for (std::int64_t i = 0; i < b.count(); i += width) {
    gemv(blas, a.floats(), a.shape[0], width, b.floats() + i, out);
    out += a.shape[0];
  }
}

/// a [k], b [k, j] or [k]. Without BLAS: every product is rounded before it is added, in ascending order of k.
void by_loop(Blas, const Array& a, const Array& b, float* out) {
  const std::int64_t width = b.count() / b.shape[0];
  for (std::int64_t k = 0; k < a.count(); ++k) {
    for (std::int64_t j = 0; j < width; ++j) {
      out[j] += a.floats()[k] * b.floats()[k * width + j];
    }
  }
}

/// The properties of one contraction. In words, {a} and {b} are the operands, {(a)} an operand parenthesised if needed.
struct Row {
  Kind kind;
  std::string_view name;
  std::array<std::string_view, 2> operands;  ///< a letter for each axis; the sum runs over k
  std::string_view result;                   ///< the axes of the result
  void (*compute)(Blas blas, const Array& a, const Array& b, float* out);  ///< contiguous operands; out starts as zeros
  std::string_view words;
  std::string_view numpy;
  std::string_view autograd_name;
};

std::string filled(std::string_view words, const std::vector<std::string>& operands) {
  const std::map<std::string_view, std::string> places = {
      {"{a}", operands[0]}, {"{b}", operands[1]}, {"{(a)}", grouped(operands[0])}, {"{(b)}", grouped(operands[1])}};
  std::string text;
  while (!words.empty()) {
    const auto place = std::ranges::find_if(places, [&](const auto& one) { return words.starts_with(one.first); });
    text += place == places.end() ? std::string(words.substr(0, 1)) : place->second;
    words.remove_prefix(place == places.end() ? 1 : place->first.size());
  }
  return text;
}

/// Products of two tensors' elements, summed along k, the last axis of the first.
class Contraction final : public Operation {
 public:
  explicit Contraction(const Row& row) : row_(row) {}

  Shape result(const std::vector<Tensor>& operands) const {
    Shape shape;
    for (std::size_t axis = 0; axis < row_.result.size(); ++axis) {
      const AxisSource source = *axis_source(operands, axis);
      shape.push_back(source.tensor.shape()[source.axis]);
    }
    return shape;
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    const Array a = operands[0].array().contiguous();
    const Array b = operands[1].array().contiguous();
    Block<float> out(result(operands));
    row_.compute(kernels_of(operands).blas, a, b, out.data());
    return Array(std::move(out));
  }
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override {
    const auto element = [&](std::size_t operand, std::int64_t k) {
      Element place = {operand, {}};
      for (const char letter : row_.operands[operand]) {
        place.index.push_back(letter == 'k' ? k : index[row_.result.find(letter)]);
      }
      return place;
    };
    Derivation derivation(Derivation::Rule::products);
    for (std::int64_t k = 0; k < operands[0].size(-1); ++k) {
      derivation.add(element(0, k), element(1, k));
    }
    return derivation;
  }
  std::string words(const std::vector<std::string>& operands) const override { return filled(row_.words, operands); }
  std::string numpy(const std::vector<std::string>& operands) const override { return filled(row_.numpy, operands); }
  Facts facts() const override { return {.kind = row_.kind}; }
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const std::size_t left = row_.operands[0].find(row_.result[axis]);
    const bool is_left = left != std::string_view::npos;
    return is_left ? AxisSource{operands[0], left} : AxisSource{operands[1], row_.operands[1].find(row_.result[axis])};
  }
  std::string autograd_name(const std::vector<Tensor>&) const override { return std::string(row_.autograd_name); }

 private:
  const Row& row_;
};

Tensor contraction(const Row& row, const Tensor& a, const Tensor& b) {
  const bool have_axes = a.shape().size() == row.operands[0].size() && b.shape().size() == row.operands[1].size();
  if (!have_axes || a.size(-1) != b.shape()[row.operands[1].find('k')]) {
    throw ShapeError(std::string(row.name) + ": " + shape_text(a.shape()) + " and " + shape_text(b.shape()) +
                     " do not fit; their axes must be " + std::string(row.operands[0]) + " and " +
                     std::string(row.operands[1]));
  }
  auto operation = std::make_shared<Contraction>(row);
  Shape shape = operation->result({a, b});
  return Tensor(std::move(operation), {a, b}, std::move(shape));
}

}  // namespace

Tensor dot(const Tensor& a, const Tensor& b) {
  static constexpr Row row = {.kind = Kind::dot,
                              .name = "dot",
                              .operands = {"k", "k"},
                              .result = "",
                              .compute = by_dot,
                              .words = "torch.dot({a}, {b})",
                              .numpy = "np.dot({a}, {b})",
                              .autograd_name = "DotBackward0"};
  return contraction(row, a, b);
}

Tensor dot_by_loop(const Tensor& a, const Tensor& b) {
  static constexpr Row row = {.kind = Kind::dot,
                              .name = "dot_by_loop",
                              .operands = {"k", "k"},
                              .result = "",
                              .compute = by_loop,
                              .words = "sum(a * b for a, b in zip({a}, {b}))",
                              .numpy = "sum((a * b for a, b in zip({a}, {b})), np.float32(0))",
                              .autograd_name = "AddBackward0"};
  return contraction(row, a, b);
}

Tensor dots(const Tensor& rows, const Tensor& x) {
  static constexpr Row row = {.kind = Kind::dots,
                              .name = "dots",
                              .operands = {"ik", "k"},
                              .result = "i",
                              .compute = by_dot,
                              .words = "torch.stack([torch.dot(x_i, {b}) for x_i in {a}])",
                              .numpy = "np.stack([np.dot(x_i, {b}) for x_i in {a}])",
                              .autograd_name = "StackBackward0"};
  return contraction(row, rows, x);
}

Tensor pairwise_dots(const Tensor& a, const Tensor& b) {
  static constexpr Row row = {
      .kind = Kind::pairwise_dots,
      .name = "pairwise_dots",
      .operands = {"ik", "jk"},
      .result = "ij",
      .compute = by_dot,
      .words = "torch.stack([torch.stack([torch.dot(x_i, x_j) for x_j in {b}]) for x_i in {a}])",
      .numpy = "np.stack([np.stack([np.dot(x_i, x_j) for x_j in {b}]) for x_i in {a}])",
      .autograd_name = "StackBackward0"};
  return contraction(row, a, b);
}

Tensor matvec(const Tensor& a, const Tensor& x) {
  static constexpr Row row = {.kind = Kind::matvec,
                              .name = "matvec",
                              .operands = {"jk", "k"},
                              .result = "j",
                              .compute = by_gemv,
                              .words = "{(a)} @ {(b)}",
                              .numpy = "{(a)} @ {(b)}",
                              .autograd_name = "MvBackward0"};
  return contraction(row, a, x);
}

Tensor matvecs(const Tensor& a, const Tensor& rows) {
  static constexpr Row row = {.kind = Kind::matvecs,
                              .name = "matvecs",
                              .operands = {"jk", "ik"},
                              .result = "ij",
                              .compute = by_gemv,
                              .words = "torch.stack([{(a)} @ x_i for x_i in {b}])",
                              .numpy = "np.stack([{(a)} @ x_i for x_i in {b}])",
                              .autograd_name = "StackBackward0"};
  return contraction(row, a, rows);
}

Tensor weighted_sum(const Tensor& weights, const Tensor& rows) {
  static constexpr Row row = {.kind = Kind::weighted_sum,
                              .name = "weighted_sum",
                              .operands = {"k", "kj"},
                              .result = "j",
                              .compute = by_loop,
                              .words = "sum({a}[i] * x_i for i, x_i in enumerate({b}))",
                              .numpy = "sum({a}[i] * x_i for i, x_i in enumerate({b}))",
                              .autograd_name = "AddBackward0"};
  return contraction(row, weights, rows);
}

}  // namespace attn
