#pragma once

#include <algorithm>

#include "tensor/operations.hpp"
#include "walk/mistakes.hpp"

/// The mistakes that people make, the most common first: those of --what-if, and what pages and ports show.
/// Helpers to write the tables of mistakes that no what-if needs.
namespace attn {

/// A function that programs apply to each number of a tensor.
struct Function {
  const char* name;
  const char* words;  ///< before "is applied to"
  double (*of)(double);
  bool is_identity_above_0 = false;
};

/// Activation functions, powers, and changes of sign; those that are easily taken for others come later.
std::span<const Function> functions();

/// Those that printed digits can distinguish. Computes no numbers.
std::vector<Mistake> mistakes_in(Steps steps);

/// mistakes_in(), and mistakes in a softmax written by hand that four printed digits can distinguish.
std::vector<Mistake> mistakes_on_pages(Steps steps);

/// mistakes_on_pages(), and mistakes known from ports.
std::vector<Mistake> all_mistakes_in(Steps steps);

/// Returns true if the mistake confuses what a slice is one of, a head or a batch entry: "head 1", "entry 0 of the
/// batch".
bool is_of_slices(const Mistake& mistake, std::string_view slice);

/// The mistake of dividing the scores by an arbitrary number.
Mistake scaled_by_number(double divisor);

inline constexpr const char* scores_line = "queries @ keys.transpose(-2, -1)";
inline constexpr const char* bias_line = "x @ W.T + b";
inline constexpr const char* batch_line = "x of shape [batch, tokens, d_in]";
inline constexpr const char* split_line = "x.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)";
inline constexpr const char* join_line = "context_vec.transpose(1, 2).contiguous().view(b, num_tokens, d_out)";

// ---- What a tensor is -----------------------------------------------------------------------------

/// The size of the tensor's last axis.
std::size_t width_of(const Tensor& tensor);

/// The rows of each of the tensor's matrices; 1 for a vector.
std::size_t rows_of(const Tensor& tensor);

/// Returns true if the tensor has several entries on the batch axis, 0, or the head axis, 1.
bool has_axis(const Tensor& tensor, std::size_t axis);

/// Returns true for x.view(b, tokens, heads, head_dim).transpose(1, 2).
bool splits_heads(const Tensor& tensor);

/// Returns true for context.transpose(1, 2).contiguous().view(b, tokens, d_out).
bool joins_heads(const Tensor& tensor);

/// Returns true for a tensor whose last two axes have the same size.
bool is_square(const Tensor& tensor);

/// Returns true for queries @ keys.transpose(-2, -1).
bool meets_keys(const Tensor& tensor);

// ---- Rules ----------------------------------------------------------------------------------------

/// The operation applied to another first operand.
Tensor with_first_operand(const Tensor& tensor, const Tensor& operand);

/// A rule that divides scores by divisor(root_of), where the root of `root_of` is right.
template <class Divisor>
Rewriter::Rule scaled_by(Divisor divisor) {
  return [divisor](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = was.operation().facts().root_of;
    return root_of > 0 ? divide(is.operands()[0], divisor(root_of), "") : is;
  };
}

/// A rule that replaces x in x @ W by another tensor of the same shape.
template <class Change>
Rewriter::Rule with_inputs(Change change) {
  return [change](const Tensor& was, const Tensor& is) {
    if (!projects_inputs(was)) {
      return is;
    }
    const Tensor& x = is.operands()[0];
    const Tensor changed = change(x);
    return changed.id() == x.id() ? is : with_first_operand(is, changed);
  };
}

/// A rule that divides scores by a number.
Rewriter::Rule divided_by(double divisor);

/// A rule that fills hidden scores with a number.
Rewriter::Rule filled_with(float value);

/// A rule for a mask of another diagonal: it hides cells where column - row is more than `beyond`; 0 would be right.
Rewriter::Rule masked_beyond(std::int64_t beyond);

std::vector<Mistake> made(std::span<const MistakeRow> rows, Steps steps);

// ---- Tensors made of others -----------------------------------------------------------------------

/// The inverted mask.
Tensor inverted(const Tensor& mask);

/// A tensor of the same shape whose numbers, row-major, are changed by a function.
template <class Function>
Tensor made_of(const Tensor& x, Function f) {
  return leaf(
      x.shape(), DType::float32, x.name().empty() ? "mistaken" : x.name(),
      [x, f] {
        Numbers numbers = numbers_of(x);
        f(numbers);
        Block<float> block(x.shape());
        std::ranges::copy(numbers, block.begin());
        return Contents(std::move(block));
      },
      x.kernels());
}

/// A tensor whose rows are changed by a function.
template <class Function>
Tensor made_by_rows(const Tensor& x, Function f) {
  return made_of(x, [f, width = width_of(x)](Numbers& numbers) {
    for (std::size_t first = 0; first < numbers.size(); first += width) {
      f(std::span(numbers).subspan(first, width));
    }
  });
}

/// A tensor whose slices along an axis come from the index source(index, count), or are 0 if that is negative.
template <class Source>
Tensor with_slices(const Tensor& x, std::size_t axis, Source source) {
  return made_of(x, [count = x.shape()[axis], inner = row_major_strides(x.shape())[axis], source](Numbers& numbers) {
    const Numbers own = numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto cell = static_cast<std::int64_t>(i);
      const std::int64_t entry = cell / inner % count;
      const std::int64_t from = source(entry, count);
      numbers[i] = from < 0 ? 0 : own[static_cast<std::size_t>(cell + (from - entry) * inner)];
    }
  });
}

// ---- Rows of the subjects -------------------------------------------------------------------------

std::vector<Mistake> score_mistakes();
std::span<const MistakeRow> softmax_rows_on_pages();
std::vector<Mistake> projection_mistakes(Steps steps);
std::vector<Mistake> product_mistakes();
std::vector<Mistake> number_mistakes();
std::vector<Mistake> chapter_mistakes(Steps steps);

}  // namespace attn
