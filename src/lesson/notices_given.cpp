// Notices about shapes, and about numbers that are not computed: inputs, ids, random draws, parameters, masks.

#include <cmath>
#include <set>

#include "lesson/noticing.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

using text::number_text;

// ---- Shapes ----------------------------------------------------------------------------------------

void projected(Noticing& notice, std::int64_t d_out) {
  const std::int64_t d_in = notice.operand(0).size(-1);
  if (d_in != d_out) {
    notice.say(std::string(notice.tensor.dim() == 1 ? "" : "in each row, ") +
               counted(d_in, "number becomes ", "numbers become ") + std::to_string(d_out));
  }
}

void heads_split(Noticing& notice, const Tensor& view) {
  const Shape& from = view.operands()[0].shape();
  const Shape& to = view.shape();
  if (from.size() == 3 && to.size() == 4 && from[0] == to[0] && from[1] == to[1]) {
    notice.say("the last axis, of size " + std::to_string(from[2]) + ", is split into " +
               counted(to[2], "head", "heads") + " of head_dim " + std::to_string(to[3]));
  }
}

void heads_joined(Noticing& notice) {
  const Shape& from = notice.operand(0).shape();
  const Shape& to = notice.tensor.shape();
  if (to.size() == 3 && from.size() == 4 && from[0] == to[0] && from[1] == to[1]) {
    notice.say(counted(from[2], "head", "heads") + " x " + counted(from[3], "number", "numbers") + " = " +
               counted(to[2], "number", "numbers") + " for each token");
  } else {
    heads_split(notice, notice.tensor);
  }
}

void transposed(Noticing& notice) {
  if (notice.operand(0).kind() == Kind::view) {
    heads_split(notice, notice.operand(0));
  }
  const std::size_t axes = notice.tensor.shape().size();
  const auto [first, second] = notice.tensor.operation().facts().axes;
  if (std::max(first, second) + 1 == axes && std::min(first, second) + 2 == axes &&
      counts_tokens(notice.tensor, axes - 1)) {
    notice.say("each token is now a column, not a row");
  }
}

void parts_joined(Noticing& notice) {
  const Tensor& tensor = notice.tensor;
  const auto& parts = tensor.operands();
  const std::int64_t axis = tensor.operation().facts().axis;
  if (axis >= 0 && axis + 1 < tensor.dim()) {
    if (axis == 0 && tensor.dim() == 2) {
      std::string rows;
      for (const Tensor& part : parts) {
        rows += (rows.empty() ? "" : " + ") + counted(part.size(0), "row", "rows");
      }
      notice.say(rows + " = " + counted(tensor.size(0), "row", "rows"));
    }
    return;
  }
  const std::int64_t width = parts[0].size(-1);
  if (parts.size() > 1 && std::ranges::all_of(parts, [&](const Tensor& part) { return part.size(-1) == width; })) {
    notice.say(std::to_string(parts.size()) + " heads x " + counted(width, "column", "columns") + " = " +
               counted(tensor.size(-1), "column", "columns"));
  }
}

// ---- Numbers ---------------------------------------------------------------------------------------

/// nn.Linear(d_in, d_out) draws both weight and bias from -1/sqrt(d_in) to 1/sqrt(d_in).
void linear_range(Noticing& notice, const Numbers& numbers, std::int64_t d_in) {
  const double bound = 1 / std::sqrt(static_cast<double>(d_in));
  if (std::ranges::all_of(numbers.all(), [=](double x) { return std::abs(x) <= bound * (1 + 1e-6); })) {
    notice.say("all entries are between -" + number_text(bound) + " and " + number_text(bound) +
               "; the bound is 1/sqrt(in_features) = 1/sqrt(" + std::to_string(d_in) + ")");
  }
  if (notice.tensor.dim() == 2) {
    notice.say("[out_features, in_features] = " + shape_text(notice.tensor.shape()) +
               ": nn.Linear multiplies by the transpose");
  }
}

void drawn(Noticing& notice, const Numbers& numbers, const Facts& facts) {
  const auto all = numbers.all();
  if (facts.fan_in > 0) {
    linear_range(notice, numbers, facts.fan_in);
  } else if (facts.kind == Kind::normal) {
    const auto positive = std::ranges::count_if(all, [](float x) { return x > 0; });
    notice.say(count_text(positive, std::ssize(all)) + (positive == 1 ? " entries is" : " entries are") +
               " above 0: torch.randn is symmetric around 0");
  } else if (facts.kind == Kind::uniform) {
    if (std::ranges::min(all) >= 0 && std::ranges::max(all) < 1) {
      notice.say("all entries are in [0, 1), the range of torch.rand: here " + range_text(all));
    }
  } else if (facts.is_by_tokens && is_above_diagonal(numbers, 0)) {
    const bool is_rest_one = row_total(all) == static_cast<double>(numbers.rows * (numbers.rows + 1)) / 2;
    const bool is_zero = std::ranges::count(all, 0.0F) == std::ssize(all);
    notice.say(is_rest_one ? "entries above the diagonal are 0, the rest are 1"
               : is_zero   ? "all entries are 0"
                           : "entries above the diagonal are 0");
  }
}

void closest_rows(Noticing& notice, const Numbers& numbers) {
  std::vector<float> nearness;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t i = 0; i < numbers.rows; ++i) {
    for (std::int64_t j = i + 1; j < numbers.rows; ++j) {
      double square = 0;
      for (std::size_t k = 0; k < numbers.row(i).size(); ++k) {
        const double difference = static_cast<double>(numbers.row(i)[k]) - static_cast<double>(numbers.row(j)[k]);
        square += difference * difference;
      }
      nearness.push_back(-static_cast<float>(square));
      pairs.emplace_back(i, j);
    }
  }
  const auto closest = only_largest(nearness);
  if (closest && pairs.size() > 1) {
    const auto [i, j] = pairs[static_cast<std::size_t>(*closest)];
    notice.say("the closest two rows are " + notice.token(i) + " and " + notice.token(j) + ", " +
               number_text(std::sqrt(-static_cast<double>(nearness[static_cast<std::size_t>(*closest)]))) + " apart");
  }
}

constexpr std::size_t most_listed = 16;

void token_rows(Noticing& notice, const Numbers& numbers) {
  if (!notice.has_words(0) || notice.tokens.size() > most_listed) {
    notice.say(counted(numbers.rows, "token", "tokens") + " of " + counted(numbers.width, "number", "numbers") +
               (numbers.rows == 1 ? "" : " each"));
    return;
  }
  notice.say((numbers.rows == 1 ? "one row for one token: " : "one row for each token: ") +
             text::joined(notice.tokens));
  if (notice.tensor.kind() != Kind::embedding) {
    closest_rows(notice, numbers);
  }
}

// ---- Masks and comparisons -------------------------------------------------------------------------

void compared(Noticing& notice) {
  const double largest = largest_difference(Numbers(notice.operand(0)).all(), Numbers(notice.operand(1)).all());
  if (std::isfinite(largest)) {
    notice.say(largest == 0 ? "the two are equal to the last bit"
                            : "the largest difference is " + number_text(largest));
  }
}

/// Returns true for a matrix that is True above its diagonal, and there only.
bool is_causal(const Tensor& tensor, std::span<const bool> all) {
  if (!has_squares(tensor.shape()) || tensor.dim() != 2) {
    return false;
  }
  const auto n = static_cast<std::size_t>(tensor.size(-1));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != (i % n > i / n)) {
      return false;
    }
  }
  return true;
}

/// The number of tokens that a sliding window shows.
void shown_by_window(Noticing& notice, std::span<const bool> all) {
  const auto n = static_cast<std::size_t>(notice.tensor.size(-1));
  const auto shown = std::ranges::count(all.last(n), false);
  std::int64_t full = 0;
  for (std::size_t row = 0; row < n; ++row) {
    full += std::ranges::count(all.subspan(row * n, n), false) == shown ? 1 : 0;
  }
  notice.say("each row shows its own token and earlier ones, at most " + counted(shown, "token", "tokens") + ": " +
             count_text(full, notice.tensor.size(-1)) + (full == 1 ? " rows shows as many" : " rows show as many"));
}

}  // namespace

void notice_shape(Noticing& notice) {
  switch (notice.tensor.kind()) {
    case Kind::view: return heads_joined(notice);
    case Kind::transpose: return transposed(notice);
    case Kind::cat: return parts_joined(notice);
    case Kind::linear: return projected(notice, notice.operand(1).size(0));
    case Kind::matmul:
      if (notice.operand(1).operation().is_parameter()) {
        projected(notice, notice.operand(1).size(1));
      }
      return;
    default: return;
  }
}

void notice_given(Noticing& notice, const Numbers& numbers) {
  const Facts facts = data_of(notice.tensor).operation().facts();
  drawn(notice, numbers, facts);
  if (notice.tensor.dim() == 2 && counts_tokens(notice.tensor, 0)) {
    token_rows(notice, numbers);
  }
  if (facts.kind == Kind::embedding) {
    notice.say("nn.Embedding starts with random numbers: before training, similar rows do not mean similar words");
  }
}

void notice_integers(Noticing& notice) {
  const auto contents = notice.tensor.array().contents();
  const auto& ids = std::get<Block<std::int64_t>>(*contents);
  const auto& tokens = notice.tokens;
  if (notice.tensor.dim() != 1 || ids.size() != tokens.size() || tokens.size() > most_listed) {
    return;
  }
  std::string list;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    list += (i == 0 ? "" : ", ") + tokens[i] + ": " + std::to_string(ids.data()[i]);
  }
  notice.say(list);
  if (std::set(ids.begin(), ids.end()).size() < ids.size()) {
    notice.say(
        "an id is a place among the sorted words; a repeated word takes several places and keeps the last, so some ids "
        "are unused");
  }
}

void notice_booleans(Noticing& notice) {
  if (notice.tensor.kind() == Kind::comparison) {
    return compared(notice);
  }
  const auto contents = notice.tensor.array().contents();
  const std::span<const bool> all = bools(*contents);
  const auto yes = std::ranges::count(all, true);
  if (is_causal(notice.tensor, all)) {
    notice.say("True only above the diagonal: " + count_text(yes, std::ssize(all)));
    return;
  }
  const Facts facts = notice.tensor.operation().facts();
  if (facts.window > 0) {
    shown_by_window(notice, all);
  }
  const double share = static_cast<double>(yes) / static_cast<double>(all.size());
  notice.say(count_text(yes, std::ssize(all)) + (yes == 1 ? " is True, " : " are True, ") +
             text::factor_text(std::round(1000 * share) / 10) + "%" +
             (facts.kind == Kind::bernoulli ? "; each is kept with probability " + text::factor_text(facts.p) : ""));
}

}  // namespace attn::render
