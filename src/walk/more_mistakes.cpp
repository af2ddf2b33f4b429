#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "text/numbers.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes.hpp"

namespace attn {
namespace {

using Numbers = std::vector<float>;

Numbers numbers_of(const Tensor& tensor) {
  return std::visit([](const auto& block) { return Numbers(block.begin(), block.end()); }, *tensor.array().contents());
}

/// What a function makes of a tensor's numbers, row-major; the shape stays.
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

float largest(std::span<const float> row) { return *std::ranges::max_element(row); }

std::size_t width_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.size(-1)); }

// ---- Slices: heads, entries of the batch, rows -----------------------------------------------------

/// Each slice along an axis is the one that `source` says of it, or 0 where that is negative.
template <class Source>
Tensor with_slices(const Tensor& x, std::size_t axis, Source source) {
  const Shape strides = row_major_strides(x.shape());
  const auto count = x.shape()[axis];
  const auto stride = strides[axis];
  return made_of(x, [=](Numbers& numbers) {
    const Numbers own = numbers;
    for (std::int64_t i = 0; i < std::ssize(own); ++i) {
      const std::int64_t entry = i / stride % count;
      const std::int64_t from = source(entry, count);
      numbers[static_cast<std::size_t>(i)] =
          from < 0 ? 0.0F : own[static_cast<std::size_t>(i + (from - entry) * stride)];
    }
  });
}

/// What has heads of its own: queries, keys and values split, scores, weights, contexts.
bool has_heads(const Tensor& was) {
  const bool is_split = was.kind() == Kind::transpose && was.operands()[0].kind() == Kind::view &&
                        was.operation().facts().axes == std::array<std::size_t, 2>{1, 2};
  return was.dim() == 4 && was.size(1) > 1 && (is_split || was.kind() == Kind::matmul || was.kind() == Kind::softmax);
}

bool has_batch(const Tensor& was) {
  return was.dim() >= 3 && was.size(0) > 1 &&
         (was.kind() == Kind::linear || was.kind() == Kind::matmul || was.kind() == Kind::softmax ||
          was.kind() == Kind::stack);
}

bool has_rows(const Tensor& was) {
  return was.dim() >= 2 && (was.kind() == Kind::linear || was.kind() == Kind::matmul || was.kind() == Kind::softmax);
}

std::int64_t first_entry(std::int64_t, std::int64_t) { return 0; }
std::int64_t all_but_first(std::int64_t entry, std::int64_t) { return entry == 0 ? -1 : entry; }
std::int64_t all_but_last(std::int64_t entry, std::int64_t count) { return entry == count - 1 ? -1 : entry; }
std::int64_t reversed_entry(std::int64_t entry, std::int64_t count) { return count - 1 - entry; }

template <class Has, class Source>
Rewriter::Rule sliced(Has has, std::int64_t axis, Source source) {
  return [=](const Tensor& was, const Tensor& is) {
    return has(was) ? with_slices(is, static_cast<std::size_t>(axis < 0 ? was.dim() + axis : axis), source) : is;
  };
}

/// Numbers of one row of each matrix.
Rewriter::Rule row_is(bool is_first, float value) {
  return [=](const Tensor& was, const Tensor& is) {
    if (!has_rows(was)) {
      return is;
    }
    const std::int64_t rows = was.size(-2);
    const std::int64_t width = was.size(-1);
    return made_of(is, [=](Numbers& numbers) {
      for (std::int64_t i = 0; i < std::ssize(numbers); ++i) {
        if (i / width % rows == (is_first ? 0 : rows - 1)) {
          numbers[static_cast<std::size_t>(i)] = value;
        }
      }
    });
  };
}

/// A result that is added to what stands in its place already: the entry before along an axis.
Rewriter::Rule accumulated_over(std::int64_t axis) {
  return [axis](const Tensor& was, const Tensor& is) {
    const bool is_product = was.kind() == Kind::matmul || was.kind() == Kind::linear;
    const std::int64_t place = axis < 0 ? was.dim() + axis : axis;
    if (!is_product || place < 0 || place + 2 > was.dim() || (axis == 1 && was.dim() != 4) || was.size(place) < 2) {
      return is;
    }
    const auto stride = row_major_strides(was.shape())[static_cast<std::size_t>(place)];
    return made_of(is, [stride, count = was.size(place)](Numbers& numbers) {
      for (std::int64_t i = 0; i < std::ssize(numbers); ++i) {
        numbers[static_cast<std::size_t>(i)] +=
            i / stride % count == 0 ? 0 : numbers[static_cast<std::size_t>(i - stride)];
      }
    });
  };
}

/// The second operand of a product, its slices along an axis taken from others.
template <class Source>
Rewriter::Rule second_operand_sliced(std::int64_t axis, Source source) {
  return for_each(Kind::matmul, [axis, source](const Tensor& was, const Tensor& is) {
    const bool has_axis =
        was.dim() >= (axis == 0 ? 3 : 4) && was.operands()[1].dim() == was.dim() && was.size(axis) > 1;
    return has_axis ? matmul(is.operands()[0], with_slices(is.operands()[1], static_cast<std::size_t>(axis), source))
                    : is;
  });
}

/// A sum of products that leaves out a term: where the first operand is 0.
template <class Source>
Rewriter::Rule with_terms(Source source) {
  return [source](const Tensor& was, const Tensor& is) {
    const bool is_product = was.kind() == Kind::matmul || was.kind() == Kind::linear;
    if (!is_product || was.operands()[0].size(-1) < 2) {
      return is;
    }
    std::vector<Tensor> operands = is.operands();
    operands[0] = with_slices(operands[0], static_cast<std::size_t>(operands[0].dim() - 1), source);
    return is.with_operands(std::move(operands));
  };
}

/// The heads of contexts [b, heads, tokens, head_dim] in the columns that `column` says.
Tensor joined_reversed(const Tensor& was, const Tensor& is) {
  const bool joins = was.kind() == Kind::view && was.dim() == 3 && was.operands()[0].kind() == Kind::contiguous &&
                     was.operands()[0].dim() == 4;
  return joins ? view(with_slices(is.operands()[0], 2, reversed_entry), was.shape()) : is;
}

Tensor joined_innermost(const Tensor& was, const Tensor& is) {
  const bool joins = was.kind() == Kind::view && was.dim() == 3 && was.operands()[0].kind() == Kind::contiguous &&
                     was.operands()[0].dim() == 4;
  return joins ? view(contiguous(transpose(is.operands()[0], 2, 3)), was.shape()) : is;
}

/// context.view(b, tokens, d_out) of [b, heads, tokens, head_dim], whatever is shown of what lies between.
Tensor joined_by_view(const Tensor& was, const Tensor& is) {
  const bool joins = was.kind() == Kind::view && was.dim() == 3 && was.operands()[0].kind() == Kind::contiguous &&
                     was.operands()[0].dim() == 4;
  return joins ? view(contiguous(transpose(is.operands()[0], 1, 2)), was.shape()) : is;
}

// ---- Projections ----------------------------------------------------------------------------------

constexpr std::array<const char*, 3> projections = {"W_query", "W_key", "W_value"};
constexpr std::array<const char*, 3> results = {"queries", "keys", "values"};

/// Queries, keys and values are computed with the projections that `source` says.
Rewriter::Rule made_with(std::span<const Step> steps, std::array<std::size_t, 3> source, bool with_bias) {
  struct Projection {
    std::optional<Tensor> weight;
    std::optional<Tensor> bias;
  };
  std::map<std::string, std::array<Projection, 3>> by_section;
  std::map<const void*, std::pair<std::string, std::size_t>> whose;
  for (const Step& step : steps) {
    for (std::size_t i = 0; i < projections.size() && step.tensor; ++i) {
      if (step.name == projections[i]) {
        by_section[step.section][i].weight = step.tensor;
        whose[step.tensor->id()] = {step.section, i};
      } else if (step.name == std::string(projections[i]) + "_bias") {
        by_section[step.section][i].bias = step.tensor;
      }
    }
  }
  return [by_section, whose, source, with_bias](const Tensor& was, const Tensor& is) {
    const bool is_product = was.kind() == Kind::linear || was.kind() == Kind::matmul;
    const auto found = is_product ? whose.find(was.operands()[1].id()) : whose.end();
    if (found == whose.end() || source[found->second.second] == found->second.second) {
      return is;
    }
    const Projection& other = by_section.at(found->second.first)[source[found->second.second]];
    if (!other.weight || other.weight->shape() != was.operands()[1].shape()) {
      return is;
    }
    if (was.kind() == Kind::matmul) {
      return matmul(is.operands()[0], *other.weight);
    }
    const std::optional<Tensor> own = is.operands().size() > 2 ? std::optional(is.operands()[2]) : std::nullopt;
    return linear(is.operands()[0], *other.weight, with_bias ? other.bias : own, "");
  };
}

/// The bias so many times.
Rewriter::Rule biased(float times) {
  return for_each(Kind::linear, [times](const Tensor& was, const Tensor& is) {
    if (was.operands().size() < 3) {
      return is;
    }
    const Tensor bias = made_of(is.operands()[2], [times](Numbers& numbers) {
      std::ranges::for_each(numbers, [times](float& one) { one *= times; });
    });
    return linear(is.operands()[0], is.operands()[1], bias, "");
  });
}

Tensor biased_by_first(const Tensor& was, const Tensor& is) {
  if (was.operands().size() < 3) {
    return is;
  }
  const Tensor bias = made_of(is.operands()[2], [](Numbers& numbers) { std::ranges::fill(numbers, numbers[0]); });
  return linear(is.operands()[0], is.operands()[1], bias, "");
}

/// Each row less its mean, divided by the root of its variance; unless `is_centred`, by the root of its mean square.
Tensor normed(const Tensor& x, bool is_centred) {
  return made_of(x, [width = width_of(x), is_centred](Numbers& numbers) {
    for (std::size_t first = 0; first < numbers.size(); first += width) {
      const auto row = std::span(numbers).subspan(first, width);
      const auto size = static_cast<double>(width);
      const double mean = is_centred ? std::accumulate(row.begin(), row.end(), 0.0) / size : 0;
      double squares = 0;
      std::ranges::for_each(row, [&](float one) { squares += (one - mean) * (one - mean); });
      const double root = std::sqrt(squares / size + 1e-5);
      std::ranges::for_each(row, [&](float& one) { one = static_cast<float>((one - mean) / root); });
    }
  });
}

Rewriter::Rule inputs_normed(bool is_centred) {
  return for_each(Kind::linear, [is_centred](const Tensor&, const Tensor& is) {
    std::vector<Tensor> operands = is.operands();
    operands[0] = normed(operands[0], is_centred);
    return is.with_operands(std::move(operands));
  });
}

Rewriter::Rule outputs_normed(bool is_centred) {
  return for_each(Kind::linear, [is_centred](const Tensor&, const Tensor& is) { return normed(is, is_centred); });
}

/// The layer's input is added to its last projection.
Rewriter::Rule with_residual(std::span<const Step> steps) {
  std::vector<Tensor> inputs;
  for (const Step& step : steps) {
    if (step.tensor && (step.name == "batch" || step.name == "inputs")) {
      inputs.push_back(*step.tensor);
    }
  }
  return for_each(Kind::linear, [inputs](const Tensor& was, const Tensor& is) {
    const auto same = std::ranges::find_if(inputs, [&](const Tensor& x) { return x.shape() == was.shape(); });
    const bool is_last = was.operands()[0].kind() == Kind::view;
    return same == inputs.end() || !is_last ? is : add(is, *same);
  });
}

/// The last projection of contexts [b, heads, tokens, head_dim] as they lie in memory.
Tensor projected_unjoined(const Tensor& was, const Tensor& is) {
  const Tensor& joined = was.operands()[0];
  const bool joins = joined.kind() == Kind::view && joined.dim() == 3 &&
                     joined.operands()[0].kind() == Kind::contiguous && joined.operands()[0].dim() == 4;
  if (!joins) {
    return is;
  }
  std::vector<Tensor> operands = is.operands();
  operands[0] = view(contiguous(transpose(joined.operands()[0], 1, 2)), joined.shape());
  return is.with_operands(std::move(operands));
}

/// Queries and keys turned by their places, as RoPE does: halves of a vector with each other, or neighbours.
Rewriter::Rule rotated(std::span<const Step> steps, bool is_by_halves) {
  std::map<std::pair<std::string, std::string>, const void*> ids;  // by section and name
  for (const Step& step : steps) {
    const bool is_split = step.name.ends_with("_heads");
    const std::string name =
        is_split ? step.name.substr(0, step.name.size() - std::string("_heads").size()) : step.name;
    const std::pair key{step.section, name};
    if (step.tensor && (name == "queries" || name == "keys") && (is_split || !ids.contains(key))) {
      ids[key] = step.tensor->id();
    }
  }
  return [ids, is_by_halves](const Tensor& was, const Tensor& is) {
    const bool is_it = std::ranges::any_of(ids, [&](const auto& entry) { return entry.second == was.id(); });
    const std::size_t half = was.dim() == 0 ? 0 : width_of(was) / 2;
    if (!is_it || was.dim() < 2 || half == 0) {
      return is;
    }
    return made_of(is, [half, width = width_of(was), tokens = static_cast<std::size_t>(was.size(-2)),
                        is_by_halves](Numbers& numbers) {
      for (std::size_t row = 0; row * width < numbers.size(); ++row) {
        for (std::size_t i = 0; i < half; ++i) {
          const double angle = static_cast<double>(row % tokens) *
                               std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half));
          float& a = numbers[row * width + (is_by_halves ? i : 2 * i)];
          float& b = numbers[row * width + (is_by_halves ? i + half : 2 * i + 1)];
          const double x = a;
          const double y = b;
          a = static_cast<float>(x * std::cos(angle) - y * std::sin(angle));
          b = static_cast<float>(x * std::sin(angle) + y * std::cos(angle));
        }
      }
    });
  };
}

/// x [b, tokens, d] read as [tokens, b, d].
Tensor tokens_read_first(const Tensor& was, const Tensor& is) {
  const Tensor& x = is.operands()[0];
  if (x.dim() != 3 || x.size(0) < 2) {
    return is;
  }
  std::vector<Tensor> operands = is.operands();
  operands[0] = contiguous(transpose(view(contiguous(x), {x.size(1), x.size(0), x.size(2)}), 0, 1));
  return was.with_operands(std::move(operands));
}

// ---- Scores and masks -----------------------------------------------------------------------------

/// Whether it is queries @ keys.transpose(-2, -1).
bool meets_keys(const Tensor& was) {
  const Tensor& right = was.operands()[1];
  return was.kind() == Kind::matmul && right.kind() == Kind::transpose &&
         right.operation().facts().axes[1] + 1 == static_cast<std::size_t>(right.dim());
}

Tensor keys_reshaped(const Tensor& was, const Tensor& is) {
  const Tensor& right = is.operands()[1];
  return meets_keys(was) && right.kind() == Kind::transpose
             ? matmul(is.operands()[0], view(contiguous(right.operands()[0]), right.shape()))
             : is;
}

/// Each row divided by its length.
Tensor of_length_1(const Tensor& x) {
  return made_of(x, [width = width_of(x)](Numbers& numbers) {
    for (std::size_t first = 0; first < numbers.size(); first += width) {
      const auto row = std::span(numbers).subspan(first, width);
      double squares = 0;
      std::ranges::for_each(row, [&](float one) { squares += static_cast<double>(one) * one; });
      std::ranges::for_each(row, [&](float& one) { one = static_cast<float>(one / std::sqrt(squares)); });
    }
  });
}

Tensor cosines(const Tensor& was, const Tensor& is) {
  const Tensor& right = is.operands()[1];
  return meets_keys(was) && right.kind() == Kind::transpose
             ? matmul(of_length_1(is.operands()[0]),
                      transpose(of_length_1(right.operands()[0]), right.dim() - 2, right.dim() - 1))
             : is;
}

Rewriter::Rule scores_divided_by(double divisor) {
  return [divisor](const Tensor& was, const Tensor& is) {
    return was.operation().facts().root_of > 0 ? divide(is.operands()[0], divisor, "") : is;
  };
}

Tensor scaled_in_first_head(const Tensor& was, const Tensor& is) {
  if (was.operation().facts().root_of == 0 || was.dim() != 4 || was.size(1) < 2) {
    return is;
  }
  const std::int64_t inner = was.size(2) * was.size(3);
  return made_of(is.operands()[0],
                 [inner, heads = was.size(1),
                  root = std::sqrt(static_cast<float>(was.operation().facts().root_of))](Numbers& numbers) {
                   for (std::size_t i = 0; i < numbers.size(); ++i) {
                     numbers[i] = static_cast<std::int64_t>(i) / inner % heads == 0 ? numbers[i] / root : numbers[i];
                   }
                 });
}

Rewriter::Rule filled_with(float value) {
  return [value](const Tensor& was, const Tensor& is) {
    return hides(was) ? masked_fill(is.operands()[0], is.operands()[1], value) : is;
  };
}

/// The mask as numbers beside scores, cell by cell.
template <class Combine>
Rewriter::Rule masked_by(Combine combine) {
  return [combine](const Tensor& was, const Tensor& is) {
    if (!hides(was)) {
      return is;
    }
    return made_of(is.operands()[0], [mask = is.operands()[1], combine](Numbers& numbers) {
      const Numbers hidden = numbers_of(mask);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = combine(numbers[i], hidden[i % hidden.size()]);
      }
    });
  };
}

/// Only the slices along an axis that `masks` says are masked.
template <class Masks>
Rewriter::Rule masked_where(std::size_t axis, Masks masks) {
  return [axis, masks](const Tensor& was, const Tensor& is) {
    const bool has_axis = was.dim() >= (axis == 0 ? 3 : 4) && was.size(static_cast<std::int64_t>(axis)) > 1;
    if (!hides(was) || !has_axis) {
      return is;
    }
    const std::int64_t stride = row_major_strides(was.shape())[axis];
    return made_of(
        is.operands()[0], [mask = is.operands()[1], stride, count = was.shape()[axis], masks](Numbers& numbers) {
          const Numbers hidden = numbers_of(mask);
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (masks(static_cast<std::int64_t>(i) / stride % count, count) && hidden[i % hidden.size()] != 0) {
              numbers[i] = -infinity;
            }
          }
        });
  };
}

/// Another mask: `is_hidden` of how far a column is to the right of its row, and of how far it is from the last one.
template <class IsHidden>
Rewriter::Rule masked_at(IsHidden is_hidden) {
  return [is_hidden](const Tensor& was, const Tensor& is) {
    if (!hides(was)) {
      return is;
    }
    const Tensor mask =
        leaf(was.operands()[1].shape(), DType::boolean, "mask", [shape = was.operands()[1].shape(), is_hidden] {
          Block<bool> block(shape);
          const std::int64_t columns = shape.back();
          const std::int64_t rows = shape[shape.size() - 2];
          for (std::size_t i = 0; i < block.size(); ++i) {
            const auto place = static_cast<std::int64_t>(i);
            block[i] = is_hidden(place % columns - place / columns % rows, columns - 1 - place % columns);
          }
          return Contents(std::move(block));
        });
    return masked_fill(is.operands()[0], mask, -infinity);
  };
}

/// What a mask makes of scores, where rows that are hidden as a whole are hidden by a number, not by -inf.
Rewriter::Rule with_hidden_rows_of(float fill, Rewriter::Rule mask) {
  return [fill, mask](const Tensor& was, const Tensor& is) {
    return !hides(was) ? is : made_of(mask(was, is), [fill, width = width_of(was)](Numbers& numbers) {
      for (std::size_t first = 0; first < numbers.size(); first += width) {
        const auto row = std::span(numbers).subspan(first, width);
        if (largest(row) == -infinity) {
          std::ranges::fill(row, fill);
        }
      }
    });
  };
}

/// The same mistake in a mask of scores that are scaled before they are masked.
Rewriter::Rule scaled_before(Rewriter::Rule mask) {
  return [mask](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = was.operation().facts().root_of;
    if (root_of == 0 || !hides(was.operands()[0]) || !hides(is.operands()[0])) {
      return is;
    }
    const Tensor& hidden = is.operands()[0];
    const Tensor masked = masked_fill(divide(hidden.operands()[0], std::sqrt(static_cast<double>(root_of)), ""),
                                      hidden.operands()[1], -infinity);
    return mask(masked, masked);
  };
}

Tensor with_inverted_mask(const Tensor& was, const Tensor& is) {
  if (!hides(was)) {
    return is;
  }
  const Tensor& mask = is.operands()[1];
  const Tensor inverted = leaf(mask.shape(), DType::boolean, "mask", [mask] {
    Block<bool> block = std::get<Block<bool>>(*mask.array().contents());
    std::ranges::transform(block, block.begin(), [](bool hidden) { return !hidden; });
    return Contents(std::move(block));
  });
  return masked_fill(is.operands()[0], inverted, -infinity);
}

// ---- Softmax --------------------------------------------------------------------------------------

/// Softmax written otherwise: what becomes of each row of its scores.
template <class Row>
Rewriter::Rule softmax_by_rows(Row row) {
  return for_each(Kind::softmax, [row](const Tensor& was, const Tensor& is) {
    return made_of(is.operands()[0], [row, width = width_of(was)](Numbers& numbers) {
      for (std::size_t first = 0; first < numbers.size(); first += width) {
        row(std::span(numbers).subspan(first, width));
      }
    });
  });
}

float sum(std::span<const float> row) { return std::accumulate(row.begin(), row.end(), 0.0F); }

/// exp(scores - shift), divided by its sum and `more`; not divided where there is no more.
void exponentials(std::span<float> row, float shift, std::optional<float> more) {
  std::ranges::transform(row, row.begin(), [shift](float score) { return std::exp(score - shift); });
  const float divisor = more ? sum(row) + *more : 1;
  std::ranges::for_each(row, [divisor](float& one) { one /= divisor; });
}

void by_powers_of_2(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score *= std::log(2.0F); });
  exponentials(row, largest(row), 0.0F);
}

void without_exp(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score = score == -infinity ? 0 : score; });
  const float divisor = sum(row);
  std::ranges::for_each(row, [divisor](float& one) { one /= divisor; });
}

void logarithms(std::span<float> row) {
  Numbers weights(row.begin(), row.end());
  const float most = largest(row);
  exponentials(weights, most, std::nullopt);
  const float log_sum = most + std::log(sum(weights));
  std::ranges::for_each(row, [log_sum](float& score) { score -= log_sum; });
}

void negated(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score = std::isinf(score) ? score : -score; });
  exponentials(row, largest(row), 0.0F);
}

void all_alike(std::span<float> row) {
  std::ranges::for_each(row, [](float& score) { score = std::isinf(score) ? score : 0; });
  exponentials(row, 0, 0.0F);
}

void sigmoids(std::span<float> row) {
  std::ranges::transform(row, row.begin(), [](float score) { return 1 / (1 + std::exp(-score)); });
}

void relus(std::span<float> row) {
  std::ranges::transform(row, row.begin(), [](float score) { return std::max(score, 0.0F); });
  const float divisor = sum(row);
  std::ranges::for_each(row, [divisor](float& one) { one /= divisor; });
}

void largest_alone(std::span<float> row) {
  const float most = largest(row);
  std::ranges::transform(row, row.begin(), [most](float score) { return score == most ? 1.0F : 0.0F; });
}

void by_length(std::span<float> row) {
  exponentials(row, largest(row), std::nullopt);
  const float length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0F));
  std::ranges::for_each(row, [length](float& one) { one /= length; });
}

/// The sum of the exponentials goes on from row to row, and from matrix to matrix where `is_ever`.
Rewriter::Rule softmax_by_running_sums(bool is_ever) {
  return for_each(Kind::softmax, [is_ever](const Tensor& was, const Tensor& is) {
    return made_of(is.operands()[0],
                   [is_ever, width = width_of(was),
                    rows = static_cast<std::size_t>(was.dim() < 2 ? 1 : was.size(-2))](Numbers& numbers) {
                     float running = 0;
                     for (std::size_t row = 0; row * width < numbers.size(); ++row) {
                       const auto own = std::span(numbers).subspan(row * width, width);
                       exponentials(own, largest(own), std::nullopt);
                       running = sum(own) + (row % rows == 0 && !is_ever ? 0 : running);
                       std::ranges::for_each(own, [running](float& one) { one /= running; });
                     }
                   });
  });
}

/// Softmax of scores that are kept below a number: cap * tanh(scores / cap).
Rewriter::Rule softmax_capped(float cap) {
  return softmax_by_rows([cap](std::span<float> row) {
    std::ranges::for_each(row,
                          [cap](float& score) { score = std::isinf(score) ? score : cap * std::tanh(score / cap); });
    exponentials(row, largest(row), 0.0F);
  });
}

/// Softmax of scores less the distance of tokens, times the slope of a head, as ALiBi has it.
Tensor softmax_with_distances(const Tensor& was, const Tensor& is) {
  if (was.dim() < 2) {
    return is;
  }
  const Tensor scores = made_of(is.operands()[0], [rows = was.size(-2), columns = was.size(-1),
                                                   heads = was.dim() == 4 ? was.size(1) : 1](Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const double slope =
          std::exp2(-8.0 * static_cast<double>(place / columns / rows % heads + 1) / static_cast<double>(heads));
      numbers[i] += static_cast<float>(slope * static_cast<double>(place % columns - place / columns % rows));
    }
  });
  return softmax(scores);
}

/// Softmax along another axis, of scores that are hidden by -1e9: where all are, the weights are alike.
Rewriter::Rule softmax_of_hidden_along(std::int64_t axis) {
  return for_each(Kind::softmax, [axis](const Tensor& was, const Tensor& is) {
    const Tensor finite =
        made_of(is.operands()[0], [](Numbers& numbers) { std::ranges::replace(numbers, -infinity, -1e9F); });
    return axis < was.dim() - 1 ? softmax_over(finite, axis) : is;
  });
}

/// The number whose root scores are divided by before softmax; 0 where there is none.
std::int64_t root_before(const Tensor& softmax) {
  const Tensor* scores = &softmax.operands()[0];
  while (scores->operation().facts().root_of == 0 && scores->kind() == Kind::masked) {
    scores = &scores->operands()[0];
  }
  return scores->operation().facts().root_of;
}

/// Softmax of its scores times this power of the root that they are divided by, whatever is shown of them.
Rewriter::Rule softmax_of_times(double power) {
  return for_each(Kind::softmax, [power](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = root_before(was);
    return root_of > 1 ? softmax(divide(is.operands()[0], std::pow(static_cast<double>(root_of), -power / 2), "")) : is;
  });
}

/// Softmax of what the scores were before they were masked, and unless `is_scaled`, before they were scaled.
Rewriter::Rule softmax_of_unmasked(bool is_scaled) {
  return for_each(Kind::softmax, [is_scaled](const Tensor& was, const Tensor& is) {
    Tensor scores = is.operands()[0];
    const std::int64_t root_of = root_before(was);
    bool is_masked = false;
    while (scores.kind() == Kind::masked || scores.operation().facts().root_of > 0) {
      is_masked = is_masked || scores.kind() == Kind::masked;
      scores = Tensor(scores.operands()[0]);
    }
    return root_of == 0 || !is_masked
               ? is
               : softmax(is_scaled ? divide(scores, std::sqrt(static_cast<double>(root_of)), "") : scores);
  });
}

Tensor softmax_twice(const Tensor&, const Tensor& is) { return softmax(is); }

Tensor softmax_over_matrix(const Tensor& was, const Tensor& is) {
  return made_of(is.operands()[0], [cells = width_of(was) * static_cast<std::size_t>(was.dim() < 2 ? 1 : was.size(-2))](
                                       Numbers& numbers) {
    for (std::size_t first = 0; first < numbers.size(); first += cells) {
      const auto matrix = std::span(numbers).subspan(first, cells);
      exponentials(matrix, largest(matrix), 0.0F);
    }
  });
}

Tensor scaled_after(const Tensor& was, const Tensor& is) {
  if (was.operation().facts().root_of > 0) {
    return is.operands()[0];
  }
  const Tensor* scaling = was.kind() == Kind::softmax ? &was.operands()[0] : nullptr;
  while (scaling != nullptr && scaling->operation().facts().root_of == 0) {
    scaling = scaling->kind() == Kind::masked ? &scaling->operands()[0] : nullptr;
  }
  return scaling == nullptr ? is : divide(is, std::sqrt(static_cast<double>(scaling->operation().facts().root_of)), "");
}

// ---- Dropout --------------------------------------------------------------------------------------

Tensor rescaled_twice(const Tensor& was, const Tensor& is) {
  const double p = was.operation().facts().p;
  return p > 0 ? divide(is, 1 - p, "") : is;
}

Tensor dropped_and_normalised(const Tensor& was, const Tensor& is) {
  return made_of(is, [width = width_of(was)](Numbers& numbers) {
    for (std::size_t first = 0; first < numbers.size(); first += width) {
      const auto row = std::span(numbers).subspan(first, width);
      const float divisor = sum(row);
      std::ranges::for_each(row, [divisor](float& one) { one /= divisor; });
    }
  });
}

/// One keep mask along an axis: that of its first entry.
Rewriter::Rule dropped_by_first(std::int64_t axis) {
  return for_each(Kind::dropout, [axis](const Tensor& was, const Tensor& is) {
    if (was.dim() < (axis == 0 ? 3 : 4) || was.size(axis) < 2) {
      return is;
    }
    const Tensor mask = with_slices(is.operands()[1], static_cast<std::size_t>(axis), first_entry);
    return made_of(is.operands()[0], [mask, p = static_cast<float>(was.operation().facts().p)](Numbers& numbers) {
      const Numbers keeps = numbers_of(mask);
      std::ranges::transform(numbers, keeps, numbers.begin(),
                             [p](float weight, float keep) { return weight * keep / (1 - p); });
    });
  });
}

// ---- Precision ------------------------------------------------------------------------------------

/// The nearest number with so many significant bits, ties to even.
float rounded_to(float value, int bits) {
  int exponent = 0;
  const float scaled = std::ldexp(std::frexp(value, &exponent), bits);
  return std::isfinite(value) ? std::ldexp(std::nearbyint(scaled), exponent - bits) : value;
}

Tensor rounded(const Tensor& x, int bits) {
  return x.dtype() != DType::float32 ? x : made_of(x, [bits](Numbers& numbers) {
    std::ranges::transform(numbers, numbers.begin(), [bits](float value) { return rounded_to(value, bits); });
  });
}

/// One product, its operands and its result in a format.
Rewriter::Rule product_in(int bits, bool is_result_rounded) {
  return [bits, is_result_rounded](const Tensor& was, const Tensor& is) {
    if (was.kind() != Kind::matmul && was.kind() != Kind::linear) {
      return is;
    }
    std::vector<Tensor> operands;
    std::ranges::transform(is.operands(), std::back_inserter(operands),
                           [bits](const Tensor& operand) { return rounded(operand, bits); });
    const Tensor product = is.with_operands(std::move(operands));
    return is_result_rounded ? rounded(product, bits) : product;
  };
}

Rewriter::Rule weights_in(int bits) {
  return for_each(Kind::softmax, [bits](const Tensor&, const Tensor& is) { return rounded(is, bits); });
}

}  // namespace

// ---- The table ------------------------------------------------------------------------------------

std::vector<Mistake> mistakes_on_pages(std::span<const Step> steps) {
  const char* const softmax_line = "torch.softmax(scores, dim=-1)";
  std::vector<Mistake> table = mistakes_in(steps);
  const std::vector<Mistake> more = {
      {"exp2", "softmax uses exp2, not exp: powers of 2, not of e", softmax_line, softmax_by_rows(by_powers_of_2)},
      {"no-normalisation", "the exponentials are not divided by their sum", softmax_line,
       softmax_by_rows([](std::span<float> row) { exponentials(row, 0, std::nullopt); })},
      {"one-plus-sum", "the exponentials are divided by 1 + their sum", softmax_line,
       softmax_by_rows([](std::span<float> row) { exponentials(row, 0, 1.0F); })},
      {"softmax-twice", "softmax is applied twice", softmax_line, for_each(Kind::softmax, softmax_twice)},
  };
  table.insert(table.end(), more.begin(), more.end());
  return table;
}

std::vector<Mistake> all_mistakes_in(std::span<const Step> steps) {
  const char* const mask_line = "attn_scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)";
  const char* const softmax_line = "torch.softmax(scores, dim=-1)";
  const char* const scaling_line = "attn_scores / keys.shape[-1]**0.5";
  const char* const split_line = "x.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)";
  const char* const join_line = "context_vec.transpose(1, 2).contiguous().view(b, num_tokens, d_out)";
  const char* const dropout_line = "weights * keep_mask / (1 - p)";
  const char* const bias_line = "x @ W.T + b";
  const auto first = [](std::int64_t entry, std::int64_t) { return entry == 0; };
  const auto last = [](std::int64_t entry, std::int64_t count) { return entry == count - 1; };
  const auto but_first = [](std::int64_t entry, std::int64_t) { return entry != 0; };
  const auto but_last = [](std::int64_t entry, std::int64_t count) { return entry != count - 1; };
  std::vector<Mistake> table = mistakes_on_pages(steps);
  const std::vector<Mistake> more = {
      {"mask-inverted", "the mask is inverted: it hides the tokens that should be visible", mask_line,
       with_inverted_mask},
      {"mask-added", "the mask of 0 and 1 is added to the scores", mask_line,
       masked_by([](float score, float hidden) { return score + hidden; })},
      {"mask-subtracted", "the mask of 0 and 1 is subtracted from the scores", mask_line,
       masked_by([](float score, float hidden) { return score - hidden; })},
      {"keep-mask-added", "1 is added to the visible scores, and the others are not hidden", mask_line,
       masked_by([](float score, float hidden) { return score + 1 - hidden; })},
      {"mask-head-0-alone", "only head 0 is masked", mask_line, masked_where(1, first)},
      {"mask-last-head-alone", "only the last head is masked", mask_line, masked_where(1, last)},
      {"mask-not-head-0", "head 0 is not masked", mask_line, masked_where(1, but_first)},
      {"mask-not-last-head", "the last head is not masked", mask_line, masked_where(1, but_last)},
      {"mask-entry-0-alone", "only entry 0 of the batch is masked", mask_line, masked_where(0, first)},
      {"mask-not-entry-0", "entry 0 of the batch is not masked", mask_line, masked_where(0, but_first)},

      {"scaled-negated", "the scores are divided by the negative of the square root of the keys' dimension",
       scaling_line,
       [](const Tensor& was, const Tensor& is) {
         const std::int64_t size = was.operation().facts().root_of;
         return size > 0 ? divide(is.operands()[0], -std::sqrt(static_cast<double>(size)), "") : is;
       }},
      {"scaled-by-fourth-root",
       "the scores are divided by the fourth root of the keys' dimension: only queries or only keys are scaled",
       scaling_line,
       [](const Tensor& was, const Tensor& is) {
         const std::int64_t size = was.operation().facts().root_of;
         return size > 1 ? divide(is.operands()[0], std::pow(static_cast<double>(size), 0.25), "") : is;
       }},
      {"scaled-by-8", "the scores are divided by 8, the square root of 64, whatever the keys' dimension is",
       scaling_line, scores_divided_by(8)},
      {"scaled-head-0-alone", "only the scores of head 0 are scaled", scaling_line, scaled_in_first_head},
      {"scaled-after-softmax", "the weights are scaled after softmax, instead of the scores before it", scaling_line,
       scaled_after},

      {"softmax-of-unscaled",
       "softmax is applied to scores that are not scaled: not divided by the square root of the keys' dimension",
       scaling_line, softmax_of_times(1)},
      {"softmax-of-unmasked", "softmax is applied to scores that are not masked", mask_line, softmax_of_unmasked(true)},
      {"softmax-of-raw", "softmax is applied to scores that are neither masked nor scaled", mask_line,
       softmax_of_unmasked(false)},
      {"scaled-twice", "the scores are scaled twice", scaling_line, softmax_of_times(-1)},
      {"no-normalisation-of-shifted", "exp(scores - max) is not divided by its sum", softmax_line,
       softmax_by_rows([](std::span<float> row) { exponentials(row, largest(row), std::nullopt); })},
      {"one-plus-sum-of-shifted", "exp(scores - max) is divided by 1 + its sum", softmax_line,
       softmax_by_rows([](std::span<float> row) { exponentials(row, largest(row), 1.0F); })},
      {"no-exp", "the scores are divided by their sum, without exp", softmax_line, softmax_by_rows(without_exp)},
      {"log-softmax", "this is log_softmax: the logarithms of the weights", softmax_line, softmax_by_rows(logarithms)},
      {"softmax-of-negated", "softmax is applied to scores with the wrong sign", softmax_line,
       softmax_by_rows(negated)},
      {"softmax-of-all", "softmax is taken over the whole matrix, not over each row", softmax_line,
       for_each(Kind::softmax, softmax_over_matrix)},
      {"weights-uniform", "all visible tokens have the same weight", softmax_line, softmax_by_rows(all_alike)},
      {"sigmoid", "sigmoid of each score, not softmax", softmax_line, softmax_by_rows(sigmoids)},
      {"relu-for-exp", "relu in place of exp", softmax_line, softmax_by_rows(relus)},
      {"largest-alone", "the largest score has all the weight: argmax", softmax_line, softmax_by_rows(largest_alone)},
      {"divided-by-length", "the exponentials are divided by the root of the sum of their squares, not by their sum",
       softmax_line, softmax_by_rows(by_length)},
      {"running-sum", "the sum of the exponentials is not reset to 0 for each row", softmax_line,
       softmax_by_running_sums(false)},
      {"running-sum-of-all", "the sum of the exponentials is not reset to 0 for each row, head and entry", softmax_line,
       softmax_by_running_sums(true)},
      {"alibi", "a term for the distance of tokens is added to the scores: ALiBi", softmax_line,
       for_each(Kind::softmax, softmax_with_distances)},
      {"softmax-dim-0", "softmax is taken over dim 0, not over the last axis", softmax_line,
       softmax_of_hidden_along(0)},
      {"softmax-dim-1", "softmax is taken over dim 1, not over the last axis", softmax_line,
       softmax_of_hidden_along(1)},
      {"softmax-dim-2", "softmax is taken over dim 2, not over the last axis", softmax_line,
       softmax_of_hidden_along(2)},

      {"rescaled-twice", "kept entries are multiplied by 1 / (1 - p) twice", dropout_line,
       for_each(Kind::dropout, rescaled_twice)},
      {"dropped-and-normalised", "kept entries are divided by their sum", dropout_line,
       for_each(Kind::dropout, dropped_and_normalised)},
      {"dropout-mask-of-head-0", "every head has the dropout mask of head 0", dropout_line, dropped_by_first(1)},
      {"dropout-mask-of-entry-0", "every entry of the batch has the dropout mask of entry 0", dropout_line,
       dropped_by_first(0)},

      {"bias-twice", "the bias is added twice", bias_line, biased(2)},
      {"bias-subtracted", "the bias is subtracted", bias_line, biased(-1)},
      {"tokens-read-first", "x is read as [tokens, batch, d_in] by view or reshape", "x of shape [batch, tokens, d_in]",
       [](const Tensor& was, const Tensor& is) {
         return was.kind() == Kind::linear ||
                        (was.kind() == Kind::matmul && was.operands()[1].kind() == Kind::parameter)
                    ? tokens_read_first(was, is)
                    : is;
       }},
      {"bias-first", "only the first number of the bias is added, everywhere", bias_line,
       for_each(Kind::linear, biased_by_first)},
      {"inputs-normed", "x is normalised before its projection, as by a LayerNorm", "x @ W.T + b", inputs_normed(true)},
      {"inputs-rms-normed", "x is normalised before its projection, as by an RMSNorm", "x @ W.T + b",
       inputs_normed(false)},
      {"output-normed", "the result of the projection is normalised, as by a LayerNorm", "x @ W.T + b",
       outputs_normed(true)},
      {"output-rms-normed", "the result of the projection is normalised, as by an RMSNorm", "x @ W.T + b",
       outputs_normed(false)},
      {"residual-added", "the layer's input is added to its output: a residual connection", "out_proj(context_vec)",
       with_residual(steps)},
      {"rotated-halves", "queries and keys are rotated by position: RoPE, on halves",
       "queries @ keys.transpose(-2, -1)", rotated(steps, true)},
      {"rotated-pairs", "queries and keys are rotated by position: RoPE, on neighbours",
       "queries @ keys.transpose(-2, -1)", rotated(steps, false)},
      {"last-term-left-out", "the sum of each product leaves out its last term: off by one", "for i in range(n)",
       with_terms(all_but_last)},
      {"first-term-left-out", "the sum of each product leaves out its first term: off by one", "for i in range(n)",
       with_terms(all_but_first)},
      {"accumulated-over-batch", "each entry of the batch is added to the one before: the sum is not reset to 0",
       "sum = 0", accumulated_over(0)},
      {"accumulated-over-heads", "each head is added to the one before: the sum is not reset to 0", "sum = 0",
       accumulated_over(1)},
      {"accumulated-over-rows", "each row is added to the one before: the sum is not reset to 0", "sum = 0",
       accumulated_over(-2)},

      {"second-operand-of-head-0", "the second operand of the product is head 0's for every head", split_line,
       second_operand_sliced(1, first_entry)},
      {"second-operand-of-entry-0", "the second operand of the product is that of entry 0 for every entry of the batch",
       "x of shape [batch, tokens, d_in]", second_operand_sliced(0, first_entry)},
      {"second-operand-reversed", "the second operand of the product has its heads in reverse order", split_line,
       second_operand_sliced(1, reversed_entry)},
      {"cosine", "queries and keys are divided by their lengths: the scores are cosines",
       "queries @ keys.transpose(-2, -1)", for_each(Kind::matmul, cosines)},
      {"projected-unjoined", "the projection reads contexts whose heads are joined by view only, without transpose",
       join_line, for_each(Kind::linear, projected_unjoined)},

      {"keys-reshaped", "the keys are reshaped by view, not transposed, before the product with the queries",
       "queries @ keys.transpose(-2, -1)", for_each(Kind::matmul, keys_reshaped)},
      {"heads-reversed", "the order of the heads is reversed", split_line, sliced(has_heads, 1, reversed_entry)},
      {"one-head-everywhere", "every head is a copy of head 0", split_line, sliced(has_heads, 1, first_entry)},
      {"last-head-left-0", "the last head is left at 0", split_line, sliced(has_heads, 1, all_but_last)},
      {"heads-joined-reversed", "heads are joined in reverse order", join_line, joined_reversed},
      {"heads-joined-by-view", "heads are joined by view only, without transpose", join_line, joined_by_view},
      {"heads-joined-innermost",
       "heads are joined with the head axis innermost: column i belongs to head i % num_heads", join_line,
       joined_innermost},
      {"one-entry-everywhere", "every entry of the batch is a copy of entry 0", "x of shape [batch, tokens, d_in]",
       sliced(has_batch, 0, first_entry)},
      {"batch-reversed", "the order of the batch's entries is reversed", "x of shape [batch, tokens, d_in]",
       sliced(has_batch, 0, reversed_entry)},
      {"last-entry-left-0", "the last entry of the batch is left at 0", "x of shape [batch, tokens, d_in]",
       sliced(has_batch, 0, all_but_last)},
      {"last-row-left-0", "the last row is left at 0: never written", "for i in range(num_tokens)", row_is(false, 0)},
      {"first-row-left-0", "the first row is left at 0: never written", "for i in range(num_tokens)", row_is(true, 0)},

      {"float16-product", "this product is computed in float16", "float32", product_in(11, true)},
      {"bfloat16-product", "this product is computed in bfloat16", "float32", product_in(8, true)},
      {"float16-operands", "the operands of this product are float16", "float32", product_in(11, false)},
      {"bfloat16-operands", "the operands of this product are bfloat16", "float32", product_in(8, false)},
      {"float16-weights", "the weights are rounded to float16", "float32", weights_in(11)},
      {"bfloat16-weights", "the weights are rounded to bfloat16", "float32", weights_in(8)},
  };
  table.insert(table.end(), more.begin(), more.end());
  for (const float cap : {1.0F, 10.0F, 20.0F, 30.0F, 50.0F}) {
    table.push_back({"soft-capped",
                     "the scores are soft-capped at " + text::shortest_text(cap) + ", by tanh, before softmax",
                     softmax_line, softmax_capped(cap)});
  }
  for (const std::int64_t width : {1, 2, 3, 4}) {
    table.push_back({"mask-window", "the mask hides earlier tokens as well: a window of " + std::to_string(width),
                     mask_line,
                     masked_at([width](std::int64_t right, std::int64_t) { return right > 0 || right <= -width; })});
  }
  table.push_back({"mask-last-column", "the mask hides only the last token: a padding mask, not a causal one",
                   mask_line, masked_at([](std::int64_t, std::int64_t from_last) { return from_last == 0; })});
  const Rewriter::Rule itself = masked_at([](std::int64_t right, std::int64_t) { return right >= 0; });
  const Rewriter::Rule two = masked_at([](std::int64_t right, std::int64_t) { return right > -2; });
  const Mistake hides_two{"mask-hides-two", "the mask hides the diagonal and the token before it as well: off by two",
                          mask_line, two};
  table.push_back(hides_two);
  // Where a row is hidden as a whole, what hides it shows: -inf gives nan, a large negative number equal weights.
  for (const float fill : {-1e9F, -1e4F, -65504.0F, -std::numeric_limits<float>::max()}) {
    table.push_back({"mask-hides-itself", "the mask hides the diagonal as well: off by one", mask_line,
                     with_hidden_rows_of(fill, itself)});
    table.push_back({"mask-inverted", "the mask is inverted: it hides the tokens that should be visible", mask_line,
                     with_hidden_rows_of(fill, with_inverted_mask)});
    table.push_back({hides_two.name, hides_two.sentence, mask_line, with_hidden_rows_of(fill, two)});
  }
  for (std::size_t i = 0, count = table.size(); i < count; ++i) {
    constexpr std::array<std::string_view, 7> of_masks = {"mask-added",    "mask-subtracted",   "keep-mask-added",
                                                          "mask-0",        "mask-hides-itself", "mask-inverted",
                                                          "mask-hides-two"};
    if (std::ranges::find(of_masks, std::string_view(table[i].name)) != of_masks.end()) {
      table.push_back({table[i].name, table[i].sentence, table[i].instead, scaled_before(table[i].rule)});
    }
  }
  const auto name_of = [](float value) {
    return std::isnan(value) ? std::string("nan") : value == infinity ? "inf" : text::shortest_text(value);
  };
  for (const float value :
       {-1e4F, -65504.0F, -std::numeric_limits<float>::max(), infinity, 1e9F, -1e-9F, 1e-9F, -1.0F, -10.0F, -100.0F,
        std::numeric_limits<float>::min(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const Rewriter::Rule& rule : {Rewriter::Rule(filled_with(value)), scaled_before(filled_with(value))}) {
      table.push_back({"mask-filled-with-" + name_of(value), "masked scores are " + name_of(value) + ", not -inf",
                       mask_line, rule});
    }
  }
  struct Sources {
    std::array<std::size_t, 3> of;
    std::string sentence;
  };
  // Those with fewest mistakes first: of what has the same name, the first one that fits is told.
  std::vector<Sources> sources;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      std::array<std::size_t, 3> of{0, 1, 2};
      of[i] = j;
      i == j ? void()
             : sources.push_back({of, std::string(results[i]) + " are computed with " + projections[j] + ", not with " +
                                          projections[i]});
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<std::size_t, 3> swapped{0, 1, 2};
    std::swap(swapped[i], swapped[(i + 1) % 3]);
    sources.push_back({swapped, std::string(projections[i]) + " and " + projections[(i + 1) % 3] + " are swapped"});
  }
  sources.push_back(
      {{1, 2, 0},
       "queries are computed with W_key, keys with W_value, values with W_query: the fused weight has another order"});
  sources.push_back(
      {{2, 0, 1},
       "queries are computed with W_value, keys with W_query, values with W_key: the fused weight has another order"});
  for (std::size_t i = 0; i < 3; ++i) {
    sources.push_back({{i, i, i}, std::string("queries, keys and values are all computed with ") + projections[i]});
  }
  for (const Sources& source : sources) {
    table.push_back(
        {"made-with", source.sentence, "x @ W_query, x @ W_key, x @ W_value", made_with(steps, source.of, true)});
  }
  return table;
}

}  // namespace attn
