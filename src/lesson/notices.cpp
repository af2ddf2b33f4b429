#include "lesson/notices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lesson/lineage.hpp"
#include "lesson/noticing.hpp"
#include "text/numbers.hpp"

namespace attn::render {

std::string count_text(std::int64_t count, std::int64_t total) {
  return std::to_string(count) + " of " + std::to_string(total);
}

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::span<const bool> bools(const Contents& contents) {
  const auto& values = std::get<Block<bool>>(contents);
  return {values.data(), values.size()};
}

bool are_slices_equal(const Tensor& tensor) {
  if (tensor.dim() < 3 || tensor.size(0) < 2) {
    return false;
  }
  const auto contents = tensor.array().contents();
  return std::visit(
      [&](const auto& values) {
        const auto slice = static_cast<std::ptrdiff_t>(values.size()) / static_cast<std::ptrdiff_t>(tensor.size(0));
        const auto* first = values.data();
        return std::equal(first, first + static_cast<std::ptrdiff_t>(values.size()) - slice, first + slice);
      },
      *contents);
}

std::vector<std::string> Noticing::all() {
  look_at_shape();
  if (element_count(tensor_.shape()) > 0) {
    look_at_numbers();
    look_at_batch();
  }
  return std::move(notices_);
}

std::vector<std::string> Noticing::of_shape() {
  look_at_shape();
  return std::move(notices_);
}

std::string Noticing::token(std::int64_t i) const {
  const std::string& word = tokens_[static_cast<std::size_t>(i)];
  const bool is_only = std::count(tokens_.begin(), tokens_.end(), word) == 1;
  return '"' + word + '"' + (is_only ? "" : " (token " + std::to_string(i) + ")");
}

bool Noticing::has_words(const Tensor& tensor, std::size_t axis) const {
  return !tokens_.empty() && static_cast<std::size_t>(tensor.shape()[axis]) == tokens_.size() &&
         counts_tokens(tensor, axis);
}

std::string Noticing::row_words(const Numbers& numbers, std::int64_t row) const {
  if (numbers.shape.size() < 2) {
    return "the row";
  }
  const std::span<const std::int64_t> outer(numbers.shape.data(), numbers.shape.size() - 1);
  const std::string words = "row " + place_text(row, outer);
  const std::size_t axis = numbers.shape.size() - 2;
  return has_words(tensor_, axis) ? words + " (" + token(row % numbers.shape[axis]) + ")" : words;
}

void Noticing::look_at_numbers() {
  if (tensor_.dtype() == DType::boolean) {
    look_at_bools();
  } else if (tensor_.dtype() == DType::int64) {
    ids();
  } else {
    look_at_floats(Numbers(tensor_));
  }
}

void Noticing::look_at_floats(const Numbers& numbers) {
  switch (tensor_.kind()) {
    case Kind::given:
    case Kind::uniform:
    case Kind::normal:
    case Kind::embedding:
    case Kind::bernoulli:
    case Kind::parameter: given(numbers); break;
    case Kind::softmax: weights(numbers); break;
    case Kind::masked: masked(numbers); break;
    case Kind::scaled: scaled(numbers); break;
    case Kind::dropout: dropped(numbers); break;
    case Kind::matmul:
    case Kind::weighted_sum:
      if (!is_gradient()) {
        product(numbers);
      }
      break;
    case Kind::softmax_gradient: shifted(numbers); break;
    case Kind::matvec:
    case Kind::matvecs:
    case Kind::pairwise_dots:
    case Kind::dots: scores(numbers); break;
    case Kind::dot: met(numbers); break;
    case Kind::sum: sums(numbers); break;
    case Kind::exp: exponentials(numbers); break;
    case Kind::multiplied:
      if (operand(1).dtype() == DType::boolean) {
        dropped(numbers);
      } else {
        multiplied(numbers);
      }
      break;
    case Kind::divided: divided(numbers); break;
    default: break;
  }
}

void Noticing::sums(const Numbers& numbers) {
  const auto all = numbers.all();
  const auto ones = std::count_if(all.begin(), all.end(), [](float x) { return near(x, 1); });
  const bool are_exact = std::all_of(all.begin(), all.end(), [](float x) { return x == 1; });
  const std::string rounding = are_exact ? "" : ", up to rounding";
  if (tensor_.dim() == 0) {
    say(ones == 1 ? "the sum is 1" + rounding : "the sum is " + text::number_text(all[0]));
    return;
  }
  if (ones == std::ssize(all)) {
    say("every sum is 1" + rounding);
    return;
  }
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  say("sums range from " + text::number_text(*least) + " to " + text::number_text(*most) + ", with mean " +
      text::number_text(row_total(all) / static_cast<double>(all.size())));
}

void Noticing::exponentials(const Numbers& numbers) {
  if (operand(0).kind() == Kind::subtracted) {
    relative_to_maximum(numbers);
    return;
  }
  const auto all = numbers.all();
  const Numbers before(operand(0));
  if (!std::all_of(all.begin(), all.end(), [](float x) { return x > 0; })) {
    return;
  }
  const auto best = only_largest(all);
  say("all entries are above 0" + (best ? "; the largest is " + text::number_text(numbers.at(*best)) +
                                              ", from a score of " + text::number_text(before.at(*best))
                                        : ""));
}

void Noticing::shifted(const Numbers& numbers) {
  double largest = 0;
  double furthest = 0;
  for (std::int64_t row = 0; row < numbers.rows; ++row) {
    for (const float value : numbers.row(row)) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    furthest = std::max(furthest, std::abs(row_total(numbers.row(row))));
  }
  if (!(furthest <= 1e-5 * largest) || numbers.width < 2) {
    return;
  }
  say("each row sums to 0, up to rounding: what one score gains, others lose");
  const auto first = numbers.row(0);
  if (std::ranges::all_of(first, [](float x) { return x == 0; }) && Numbers(operand(1)).row(0)[0] == 1) {
    say("the first row is 0: its only weight is 1, and no score changes that");
  }
}

void Noticing::relative_to_maximum(const Numbers& numbers) {
  std::int64_t ones = 0;
  for (std::int64_t row = 0; row < numbers.rows; ++row) {
    const auto values = numbers.row(row);
    ones += std::find(values.begin(), values.end(), 1.0F) != values.end() ? 1 : 0;
  }
  if (operand(0).operands()[0].kind() == Kind::largest) {
    say(count_text(ones, numbers.rows) + (ones == 1 ? " factors is" : " factors are") + " 1: there the maximum stays");
  } else {
    say(count_text(ones, numbers.rows) + (ones == 1 ? " rows has" : " rows have") +
        " a 1: there this block has the maximum so far");
  }
}

void Noticing::multiplied(const Numbers& numbers) {
  if (operand(1).kind() == Kind::subtracted && numbers.shape.size() == 3) {
    lost_with_distance(numbers);
    return;
  }
  if (!is_above_diagonal(numbers, 0)) {
    return;
  }
  say("entries above the diagonal are now 0");
  if (!has_weight_rows(Numbers(operand(0))) || numbers.rows < 2) {
    return;
  }
  const double first = row_total(numbers.row(0));
  const double last = row_total(numbers.row(numbers.rows - 1));
  if (!near(first, 1) && near(last, 1)) {
    say("the rows no longer sum to 1: the first sums to " + text::number_text(first) + "; the last still sums to 1");
  }
}

void Noticing::lost_with_distance(const Numbers& numbers) {
  constexpr std::int64_t most_heads = 8;
  const std::int64_t n = numbers.width;
  if (n < 2 || numbers.shape[0] > most_heads) {
    return;
  }
  std::string each;
  for (std::int64_t head = 0; head < numbers.shape[0]; ++head) {
    each += (head == 0 ? "" : ", ") + head_name(head) + " " + text::number_text(numbers.row((head + 1) * n - 1)[0]);
  }
  say("the last token's bias for the first, " + std::to_string(n - 1) + " back: " + each);
}

void Noticing::divided(const Numbers& numbers) {
  const bool is_share = operand(1).kind() == Kind::sum && operand(1).operands()[0].id() == operand(0).id();
  if (!is_share) {
    return;
  }
  const auto all = numbers.all();
  if (std::any_of(all.begin(), all.end(), [](float x) { return !(x >= 0); })) {
    if (std::all_of(all.begin(), all.end(), [](float x) { return std::isfinite(x); })) {
      say("some entries are negative, so they are not proportions");
    }
    return;
  }
  if (!has_weight_rows(numbers)) {
    return;
  }
  const bool was_masked = is_above_diagonal(numbers, 0);
  say_rows_sum_to_one(was_masked ? " again" : "");
  if (was_masked) {
    say("entries above the diagonal are still 0");
    first_row_alone(numbers);
    pattern(numbers);
  } else if (tensor_.dim() > 1) {
    strongest(numbers, 0);
  } else if (numbers.width > 1) {
    strongest_of_one(numbers);
  }
}

void Noticing::look_at_bools() {
  const auto contents = tensor_.array().contents();
  const auto all = bools(*contents);
  if (tensor_.kind() == Kind::comparison) {
    largest_difference();
    return;
  }
  const auto yes = std::count(all.begin(), all.end(), true);
  if (is_causal(all)) {
    say("True only above the diagonal: " + count_text(yes, std::ssize(all)));
    return;
  }
  if (tensor_.operation().facts().window > 0) {
    shown_by_window(all);
  }
  say(count_text(yes, std::ssize(all)) + (yes == 1 ? " is True, " : " are True, ") +
      text::factor_text(std::round(1000.0 * static_cast<double>(yes) / static_cast<double>(all.size())) / 10) + "%" +
      expected_share());
}

void Noticing::shown_by_window(std::span<const bool> all) {
  const auto n = static_cast<std::size_t>(tensor_.size(-1));
  const auto shown = std::count(all.end() - static_cast<std::ptrdiff_t>(n), all.end(), false);
  std::size_t full = 0;
  for (std::size_t row = 0; row < n; ++row) {
    full += std::count(all.begin() + static_cast<std::ptrdiff_t>(row * n),
                       all.begin() + static_cast<std::ptrdiff_t>((row + 1) * n), false) == shown
                ? 1U
                : 0U;
  }
  say("each row shows its own token and earlier ones, at most " + counted(shown, "token", "tokens") + ": " +
      count_text(static_cast<std::int64_t>(full), static_cast<std::int64_t>(n)) +
      (full == 1 ? " rows shows as many" : " rows show as many"));
}

bool Noticing::is_causal(std::span<const bool> all) const {
  if (!has_squares(tensor_.shape()) || tensor_.dim() != 2) {
    return false;
  }
  const auto n = static_cast<std::size_t>(tensor_.size(-1));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != (i % n > i / n)) {
      return false;
    }
  }
  return true;
}

std::string Noticing::expected_share() const {
  const Facts facts = tensor_.operation().facts();
  return facts.kind == Kind::bernoulli ? "; each is kept with probability " + text::factor_text(facts.p) : "";
}

void Noticing::largest_difference() {
  const Numbers a(operand(0));
  const Numbers b(operand(1));
  double largest = 0;
  for (std::size_t i = 0; i < a.all().size(); ++i) {
    const double difference = std::abs(static_cast<double>(a.all()[i]) - static_cast<double>(b.all()[i]));
    if (!(difference <= std::numeric_limits<double>::max())) {
      return;
    }
    largest = std::max(largest, difference);
  }
  say(largest == 0 ? "the two are equal to the last bit" : "the largest difference is " + text::number_text(largest));
}

void Noticing::look_at_batch() {
  if (tensor_.dim() < 3 || tensor_.size(0) < 2) {
    return;
  }
  const std::string who =
      tensor_.size(0) == 2 ? "both batch entries" : "all " + std::to_string(tensor_.size(0)) + " batch entries";
  const bool are_same = are_slices_equal(tensor_);
  if (tensor_.operands().empty()) {
    if (!are_same && tensor_.dtype() == DType::boolean) {
      say("each batch entry has its own mask");
    }
    return;
  }
  const Kind how = tensor_.kind();
  const bool is_worth_it = how == Kind::stack || how == Kind::linear || how == Kind::matmul;
  const bool was_batch = operand(0).dim() >= 3 && operand(0).size(0) == tensor_.size(0);
  const bool were_same = was_batch && are_slices_equal(operand(0));
  if (are_same && is_worth_it) {
    say(who + " are equal" + (were_same && !operand(0).name().empty() ? ", like those of " + operand(0).words() : ""));
  } else if (!are_same && were_same && how == Kind::dropout) {
    say("the batch entries differ from here on: each has its own dropout mask");
  }
}

std::vector<std::string> notices(const Step& step, std::span<const std::string> tokens) {
  if (!step.tensor) {
    return {};
  }
  Noticing noticing(*step.tensor, tokens);
  return step.kind == Step::Kind::size ? noticing.of_shape() : noticing.all();
}

}  // namespace attn::render
