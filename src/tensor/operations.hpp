#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "tensor/tensor.hpp"

/// The operations that attention needs, a file for each family. All throw ShapeError, which names the operands' shapes,
/// if the shapes do not fit.
namespace attn {

struct ShapeError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The operation that computes a tensor.
enum class Kind {
  // Leaves: where their numbers come from.
  given,      ///< a constant, or numbers from the user
  uniform,    ///< torch.rand, or nn.Linear's initialisation
  normal,     ///< torch.randn
  embedding,  ///< rows of nn.Embedding
  bernoulli,  ///< a dropout mask

  parameter,
  matmul,
  matvec,
  matvecs,
  linear,
  dot,
  dots,
  pairwise_dots,
  weighted_sum,
  scaled,   ///< divided by a number
  divided,  ///< divided element by element
  multiplied,
  added,       ///< element by element
  subtracted,  ///< element by element
  largest,     ///< of an axis or of two tensors
  masked,
  softmax,
  softmax_gradient,
  exp,
  cosine,
  sine,
  root,
  inverse_root,
  raised,  ///< a number added to each element
  mean,
  variance,
  inverse_deviation,   ///< 1 / sqrt(variance + eps)
  scaled_and_shifted,  ///< times a weight, plus a bias, along the last axis
  sum,
  dropout,
  index,
  looked_up,  ///< rows of a table by their numbers
  slice,
  stack,
  cat,
  repeat,
  transpose,
  view,
  contiguous,
  comparison,
};

/// An operation's properties, so that nobody has to parse its words. Fields that do not apply to a kind keep their
/// defaults.
struct Facts {
  Kind kind;
  std::array<std::size_t, 2> axes = {};  ///< transpose: the two swapped axes
  std::int64_t axis = -1;     ///< softmax: of weights that sum to 1; sum, cat, slice, repeat: theirs; -1: the last;
                              ///< index: the removed axis
  std::int64_t at = 0;        ///< index: the item; slice: its first item
  std::int64_t every = 1;     ///< slice: the distance of its items
  std::int64_t fan_in = 0;    ///< uniform: nn.Linear's d_in; 0 for torch.rand
  std::int64_t rows = 0;      ///< embedding: number of rows to choose from
  std::int64_t root_of = 0;   ///< scaled: the number whose square root is the divisor; 0 if there is none
  double p = 0;               ///< dropout: probability of dropping; bernoulli: of True
  double value = 0;           ///< masked: the fill value; scaled: the divisor; dropout: the factor of kept elements;
                              ///< raised: the addend; inverse_deviation: eps
  std::int64_t window = 0;    ///< given: a mask that shows so many tokens up to each one; 0: all before it, too
  bool is_by_tokens = false;  ///< given: every axis counts the lesson's tokens
  bool is_own = false;        ///< given: by the reader, not by the article
  bool is_from_file = false;  ///< given: read from the reader's file, which settles its sizes
};

/// A leaf's expressions.
struct LeafWords {
  template <class Text>
  requires std::convertible_to<Text, std::string> LeafWords(Text words, std::string formula = "")
      : pytorch(std::move(words)), numpy(std::move(formula)) {}

  std::string pytorch;  ///< its expression in PyTorch
  std::string numpy;    ///< a formula for its numbers; empty if they must be listed or were drawn
};

/// The function that computes a leaf's numbers: all of them or, if it takes a box, those of a part.
struct Fill {
  Fill() = default;
  template <std::invocable Whole>
  Fill(Whole whole) : part([whole = std::move(whole)](const Box&) mutable { return Contents(whole()); }) {}
  template <std::invocable<const Box&> Part>
  Fill(Part make) : part(std::move(make)), is_in_parts(true) {}

  std::function<Contents(const Box& part)> part;
  bool is_in_parts = false;
};

/// A tensor without operands: its numbers, filled in on demand, its expression in PyTorch, and the kernels for
/// everything computed from it. Its axes have the meaning of those of `like`.
Tensor leaf(Shape shape, DType dtype, LeafWords words, Fill fill, std::optional<Kernels> kernels = {},
            Facts facts = {.kind = Kind::given}, std::optional<Tensor> like = {});

/// nn.Parameter(data): requires a gradient and prints "Parameter containing:". `words` replace the whole expression if
/// the parameter belongs to a module ("nn.Linear(3, 3, bias=False).weight").
Tensor parameter(const Tensor& data, const std::string& words = "");

/// nn.Parameter(data, requires_grad=False): also prints "Parameter containing:".
Tensor frozen_parameter(const Tensor& data);

/// A parameter's data, or any other tensor itself.
const Tensor& data_of(const Tensor& tensor);

/// x[i]: [n, ...] -> [...], a view; for another axis x[:, i].
Tensor index(const Tensor& x, std::int64_t i, std::int64_t axis = 0);

/// nn.Embedding's rows: table [n, d], numbers of its rows [k] of int64 -> [k, d]. `module` is the article's variable
/// for the module.
Tensor lookup(const Tensor& table, const Tensor& ids, const std::string& module);

/// x[:, begin:end]: items of an axis, a view; for the last axis as -1: x[..., begin:end].
Tensor slice(const Tensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end);

/// x[..., first::step]: every step-th item of the last axis from the first on, a view; step is at least 2.
Tensor every(const Tensor& x, std::int64_t first, std::int64_t step);

/// torch.stack((x, x, ...), dim=0): [...] -> [copies, ...].
Tensor stack(const Tensor& x, std::int64_t copies);

/// torch.stack(tensors, dim): n tensors [...] -> [..., n, ...], the new axis at `dim`.
Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim);

/// x.transpose(axis_0, axis_1), a view.
Tensor transpose(const Tensor& x, std::int64_t axis_0, std::int64_t axis_1);

/// x.T: [m, n] -> [n, m], a view.
Tensor t(const Tensor& x);

/// x.view(shape): the same elements in another shape, a view. Throws if the layout does not allow one.
Tensor view(const Tensor& x, const Shape& shape);

/// x.contiguous(): the same numbers, row-major.
Tensor contiguous(const Tensor& x);

/// a @ b as in torch.matmul: [m, k] @ [k, n], [k] @ [k, n], and batches [..., m, k] @ [..., k, n] or @ [k, n].
Tensor matmul(const Tensor& a, const Tensor& b);

/// torch.dot(a, b): [n], [n] -> [].
Tensor dot(const Tensor& a, const Tensor& b);

/// The articles' loop `result += a[i] * b[i]`: [n], [n] -> [].
Tensor dot_by_loop(const Tensor& a, const Tensor& b);

/// a @ x: [m, n], [n] -> [m].
Tensor matvec(const Tensor& a, const Tensor& x);

/// The loop `result[i] = a @ rows[i]`: a [m, n], rows [k, n] -> [k, m].
Tensor matvecs(const Tensor& a, const Tensor& rows);

/// The articles' loop `result[i] = torch.dot(rows[i], x)`: rows [n, d], x [d] -> [n].
Tensor dots(const Tensor& rows, const Tensor& x);

/// The articles' nested loop `result[i, j] = torch.dot(a[i], b[j])`: a [n, d], b [m, d] -> [n, m].
Tensor pairwise_dots(const Tensor& a, const Tensor& b);

/// nn.Linear's x Wᵀ + b: x [..., d_in], weight [d_out, d_in], bias [d_out] -> [..., d_out]. `module` is the article's
/// variable for the module.
Tensor linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, const std::string& module);

/// x / divisor, rounded to float before the division; `words` are the divisor's expression in PyTorch.
Tensor divide(const Tensor& x, double divisor, const std::string& words);

/// scores / keys.shape[-1]**0.5, with the name of `keys`.
Tensor scale(const Tensor& scores, const Tensor& keys);

/// queries * (1 / queries.shape[-1])**0.5: as nn.MultiheadAttention scales, before queries meet keys.
Tensor scale_queries(const Tensor& queries);

/// x / y, x * y, x + y and x - y element by element; either is repeated along axes that it lacks or that have size 1.
Tensor divide(const Tensor& x, const Tensor& y);
Tensor multiply(const Tensor& x, const Tensor& y);
Tensor add(const Tensor& x, const Tensor& y);
Tensor subtract(const Tensor& x, const Tensor& y);

/// x.amax(dim=-1, keepdim=True): [..., n] -> [..., 1]; NaN if one is NaN.
Tensor amax(const Tensor& x);

/// torch.maximum(a, b), element by element: a and b have the same shape; NaN if one is NaN.
Tensor maximum(const Tensor& a, const Tensor& b);

/// x + addend, for each element.
Tensor add(const Tensor& x, double addend);

/// torch.sqrt(x) and torch.rsqrt(x).
Tensor sqrt(const Tensor& x);
Tensor rsqrt(const Tensor& x);

/// x.mean(dim=-1, keepdim=True) and x.var(dim=-1, unbiased=False, keepdim=True): [..., n] -> [..., 1].
Tensor mean(const Tensor& x);
Tensor variance(const Tensor& x);

/// nn.LayerNorm in its steps: the mean of a row and 1 / sqrt(variance + epsilon), [..., n] -> [..., 1], and
/// x * scales + shifts with scales and shifts [n]. Its kernel computes other last bits than mean(), variance() and so
/// on.
Tensor layer_norm_mean(const Tensor& x);
Tensor layer_norm_factor(const Tensor& x, double epsilon);
Tensor scale_and_shift(const Tensor& x, const Tensor& scales, const Tensor& shifts);

/// torch.exp(x).
Tensor exp(const Tensor& x);

/// torch.cos(x.double()).float() and torch.sin(x.double()).float(): computed in float64.
Tensor cos(const Tensor& x);
Tensor sin(const Tensor& x);

/// x.masked_fill(mask, value): mask is bool and has the shape of x's last axes.
Tensor masked_fill(const Tensor& x, const Tensor& mask, float value);

/// torch.softmax(x, dim=-1).
Tensor softmax(const Tensor& x);

/// torch.softmax(x, dim=axis) for an axis that is not the last, with the bits of PyTorch on one thread: its last few
/// elements use another exponential, and their places depend on the number of threads.
Tensor softmax_over(const Tensor& x, std::int64_t axis);

/// The gradient of softmax's input, [..., n], from the gradients of its result and the result itself:
/// torch._softmax_backward_data(gradients, weights, -1, torch.float32).
Tensor softmax_gradient(const Tensor& gradients, const Tensor& weights);

/// x.sum(): all elements -> [].
Tensor total(const Tensor& x);

/// x.sum(dim): [..., n, ...] -> [..., ...], or [..., 1, ...] if the axis is kept. `dim` counts from the end: -1 is the
/// last.
Tensor sum(const Tensor& x, bool keepdim = false, std::int64_t dim = -1);

/// torch.cat(tensors, dim): [..., n_i, ...] -> [..., sum of n_i, ...]; -1 is the last.
Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim = -1);

/// x.repeat_interleave(repeats, dim): [..., n, ...] -> [..., n * repeats, ...], each item of the axis repeated that
/// often in a row.
Tensor repeat_interleave(const Tensor& x, std::int64_t repeats, std::int64_t dim);

/// torch.isclose(a, b).all(): a bool scalar; a and b have the same shape.
Tensor all_close(const Tensor& a, const Tensor& b);

/// The articles' loop `result += weights[i] * rows[i]`: weights [n], rows [n, d] -> [d].
Tensor weighted_sum(const Tensor& weights, const Tensor& rows);

/// x * mask: x where the bool mask is True, else 0. Both have the same shape.
Tensor kept(const Tensor& x, const Tensor& mask);

/// nn.Dropout(p) in training mode: x times 1 / (1 - p) where the mask is True, else 0; x itself for p = 0. x and mask
/// have the same shape.
Tensor dropout(const Tensor& x, const Tensor& mask, double p);

/// Walks from tensors down to their leaves and lets a rule replace tensors. The tensors above are rebuilt lazily with
/// the same operations and keep their names. Random draws are leaves that are already drawn, so rewriting never changes
/// them. Shared operands are rewritten once.
class Rewriter {
 public:
  /// Receives a tensor before rewriting and the same tensor with rewritten operands; returns the latter if the rule
  /// does not apply.
  using Rule = std::function<Tensor(const Tensor& was, const Tensor& is)>;

  explicit Rewriter(Rule rule) : rule_(std::move(rule)) {}

  /// Throws ShapeError if the rule replaces a tensor with one of another shape or dtype.
  Tensor operator()(const Tensor& tensor) { return rewritten(tensor); }

 private:
  const Tensor& rewritten(const Tensor& tensor);

  Rule rule_;
  std::unordered_map<const void*, Tensor> done_;
};

}  // namespace attn
