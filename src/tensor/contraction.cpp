#include <algorithm>
#include <memory>
#include <utility>

#include "tensor/blas.hpp"
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

/// The properties of one contraction.
struct Row {
  std::string_view name;
  std::string_view left;    ///< a letter for each axis of the first operand; the sum runs over k
  std::string_view right;   ///< of the second
  std::string_view result;  ///< of the result
  void (*compute)(Blas blas, const Array& a, const Array& b, float* out);  ///< contiguous operands; out starts as zeros
  Kind kind;
  const char* autograd;
  const char* words;
  const char* numpy;
};

/// Products of two tensors' elements, summed along k, the last axis of the first.
class Contraction final : public Worded {
 public:
  explicit Contraction(const Row& row) : Worded({{.kind = row.kind}, row.autograd, row.words, row.numpy}), row_(row) {}

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
      for (const char letter : operand == 0 ? row_.left : row_.right) {
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
  std::optional<AxisSource> axis_source(const std::vector<Tensor>& operands, std::size_t axis) const override {
    const std::size_t left = row_.left.find(row_.result[axis]);
    const bool is_left = left != std::string_view::npos;
    return is_left ? AxisSource{operands[0], left} : AxisSource{operands[1], row_.right.find(row_.result[axis])};
  }

 private:
  const Row& row_;
};

Tensor contraction(const Row& row, const Tensor& a, const Tensor& b) {
  const bool have_axes = a.shape().size() == row.left.size() && b.shape().size() == row.right.size();
  if (!have_axes || a.size(-1) != b.shape()[row.right.find('k')]) {
    throw ShapeError(std::string(row.name) + ": " + shape_text(a.shape()) + " and " + shape_text(b.shape()) +
                     " do not fit; their axes must be " + std::string(row.left) + " and " + std::string(row.right));
  }
  auto operation = std::make_shared<Contraction>(row);
  Shape shape = operation->result({a, b});
  return Tensor(std::move(operation), {a, b}, std::move(shape));
}

constexpr Row dot_row = {
    "dot", "k", "k", "", by_dot, Kind::dot, "DotBackward0", "torch.dot({a}, {b})", "np.dot({a}, {b})"};
constexpr Row dot_by_loop_row = {"dot_by_loop",
                                 "k",
                                 "k",
                                 "",
                                 by_loop,
                                 Kind::dot,
                                 "AddBackward0",
                                 "sum(a * b for a, b in zip({a}, {b}))",
                                 "sum((a * b for a, b in zip({a}, {b})), np.float32(0))"};
constexpr Row dots_row = {"dots",
                          "ik",
                          "k",
                          "i",
                          by_dot,
                          Kind::dots,
                          "StackBackward0",
                          "torch.stack([torch.dot(x_i, {b}) for x_i in {a}])",
                          "np.stack([np.dot(x_i, {b}) for x_i in {a}])"};
constexpr Row pairwise_dots_row = {"pairwise_dots",
                                   "ik",
                                   "jk",
                                   "ij",
                                   by_dot,
                                   Kind::pairwise_dots,
                                   "StackBackward0",
                                   "torch.stack([torch.stack([torch.dot(x_i, x_j) for x_j in {b}]) for x_i in {a}])",
                                   "np.stack([np.stack([np.dot(x_i, x_j) for x_j in {b}]) for x_i in {a}])"};
constexpr Row matvec_row = {"matvec", "jk", "k", "j", by_gemv, Kind::matvec, "MvBackward0", "{(a)} @ {(b)}", ""};
constexpr Row matvecs_row = {"matvecs",
                             "jk",
                             "ik",
                             "ij",
                             by_gemv,
                             Kind::matvecs,
                             "StackBackward0",
                             "torch.stack([{(a)} @ x_i for x_i in {b}])",
                             "np.stack([{(a)} @ x_i for x_i in {b}])"};
constexpr Row weighted_sum_row = {"weighted_sum",
                                  "k",
                                  "kj",
                                  "j",
                                  by_loop,
                                  Kind::weighted_sum,
                                  "AddBackward0",
                                  "sum({a}[i] * x_i for i, x_i in enumerate({b}))",
                                  ""};

}  // namespace

Tensor dot(const Tensor& a, const Tensor& b) { return contraction(dot_row, a, b); }
Tensor dot_by_loop(const Tensor& a, const Tensor& b) { return contraction(dot_by_loop_row, a, b); }
Tensor dots(const Tensor& rows, const Tensor& x) { return contraction(dots_row, rows, x); }
Tensor pairwise_dots(const Tensor& a, const Tensor& b) { return contraction(pairwise_dots_row, a, b); }
Tensor matvec(const Tensor& a, const Tensor& x) { return contraction(matvec_row, a, x); }
Tensor matvecs(const Tensor& a, const Tensor& rows) { return contraction(matvecs_row, a, rows); }
Tensor weighted_sum(const Tensor& weights, const Tensor& rows) { return contraction(weighted_sum_row, weights, rows); }

}  // namespace attn
