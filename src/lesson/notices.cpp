// Notices about shapes, batches, and numbers that are not computed: inputs, random draws, parameters, masks.

#include "lesson/explain.hpp"

#include <cmath>

#include "lesson/numbers.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

using text::number_text;

// ---- Shapes ----------------------------------------------------------------------------------------

/// "1 head" or "2 heads"
std::string counted(std::int64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

void projected(Noticing& notice, std::int64_t d_out) {
  const std::int64_t d_in = notice.operand(0).size(-1);
  if (d_in != d_out) {
    notice.say(std::string(notice.tensor.dim() == 1 ? "" : "in each row, ") + counted(d_in, "number") +
               (d_in == 1 ? " becomes " : " become ") + std::to_string(d_out));
  }
}

/// Returns true if a view of the first shape has the second: the last axis is split in two.
bool splits_last(const Shape& from, const Shape& to) {
  return from.size() == 3 && to.size() == 4 && from[0] == to[0] && from[1] == to[1];
}

void viewed(Noticing& notice, const Tensor& view) {
  const Shape& from = view.operands()[0].shape();
  const Shape& to = view.shape();
  if (splits_last(from, to)) {
    notice.say("the last axis, of size " + std::to_string(from[2]) + ", is split into " + counted(to[2], "head") +
               " of head_dim " + std::to_string(to[3]));
  } else if (splits_last(to, from)) {
    notice.say(counted(from[2], "head") + " x " + counted(from[3], "number") + " = " + counted(to[2], "number") +
               " for each token");
  }
}

void transposed(Noticing& notice) {
  if (notice.operand(0).kind() == Kind::view) {
    viewed(notice, notice.operand(0));
  }
  if (swaps_last(notice.tensor) && counts_tokens(notice.tensor, notice.tensor.shape().size() - 1)) {
    notice.say("each token is now a column, not a row");
  }
}

void heads_joined(Noticing& notice) {
  const auto& parts = notice.tensor.operands();
  const std::int64_t axis = notice.tensor.operation().facts().axis;
  const std::int64_t width = parts[0].size(-1);
  if ((axis < 0 || axis + 1 == notice.tensor.dim()) && parts.size() > 1 &&
      std::ranges::all_of(parts, [&](const Tensor& part) { return part.size(-1) == width; })) {
    notice.say(std::to_string(parts.size()) + " heads x " + counted(width, "column") + " = " +
               counted(notice.tensor.size(-1), "column"));
  }
}

void notice_shape(Noticing& notice) {
  switch (notice.tensor.kind()) {
    case Kind::view: return viewed(notice, notice.tensor);
    case Kind::transpose: return transposed(notice);
    case Kind::cat: return heads_joined(notice);
    case Kind::linear: return projected(notice, notice.operand(1).size(0));
    case Kind::matmul:
      if (notice.operand(1).operation().is_parameter()) {
        projected(notice, notice.operand(1).size(1));
      }
      return;
    default: return;
  }
}

void notice_batch(Noticing& notice) {
  const Tensor& tensor = notice.tensor;
  if (tensor.dim() < 3 || tensor.size(0) < 2 || tensor.operands().empty()) {
    return;
  }
  const bool are_same = are_slices_equal(tensor);
  const Kind how = tensor.kind();
  if (are_same && (how == Kind::stack || how == Kind::linear || how == Kind::matmul)) {
    notice.say((tensor.size(0) == 2 ? "both" : "all " + std::to_string(tensor.size(0))) + " batch entries are equal");
  } else if (!are_same && how == Kind::dropout && are_slices_equal(notice.operand(0))) {
    notice.say("the batch entries differ from here on: each has its own dropout mask");
  }
}

// ---- Inputs, random draws and parameters -----------------------------------------------------------

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

void notice_given(Noticing& notice, const Numbers& numbers) {
  constexpr std::size_t most_listed = 16;
  const Facts facts = data_of(notice.tensor).operation().facts();
  const auto all = numbers.all();
  if (facts.fan_in > 0) {
    linear_range(notice, numbers, facts.fan_in);
  } else if (facts.kind == Kind::uniform && std::ranges::min(all) >= 0 && std::ranges::max(all) < 1) {
    notice.say("all entries are in [0, 1), the range of torch.rand: here " + range_text(all));
  } else if (facts.is_by_tokens && is_above_diagonal(numbers, 0)) {
    notice.say("entries above the diagonal are 0");
  }
  if (notice.tensor.dim() == 2 && notice.has_words(0) && notice.tokens.size() <= most_listed) {
    notice.say("one row for each token: " + text::joined(notice.tokens));
  }
  if (facts.kind == Kind::embedding) {
    notice.say("nn.Embedding starts with random numbers: before training, similar rows do not mean similar words");
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

void notice_booleans(Noticing& notice) {
  if (notice.tensor.kind() == Kind::comparison) {
    return compared(notice);
  }
  const auto contents = notice.tensor.array().contents();
  const std::span<const bool> all = bools(*contents);
  const auto yes = std::ranges::count(all, true);
  const std::string count = count_text(yes, std::ssize(all));
  if (is_causal(notice.tensor, all)) {
    notice.say("True only above the diagonal: " + count);
    return;
  }
  const Facts facts = notice.tensor.operation().facts();
  if (facts.window > 0) {
    notice.say("each row shows its own token and earlier ones, at most " + std::to_string(facts.window));
  }
  const double share = static_cast<double>(yes) / static_cast<double>(all.size());
  notice.say(count + (yes == 1 ? " is True, " : " are True, ") + text::factor_text(std::round(1000 * share) / 10) +
             "%" +
             (facts.kind == Kind::bernoulli ? "; each is kept with probability " + text::factor_text(facts.p) : ""));
}

// ---- Kinds of tensors ------------------------------------------------------------------------------

/// What is looked at in the float numbers of a kind of tensor.
struct Row {
  Kind kind;
  void (*look)(Noticing& notice, const Numbers& numbers);
};

constexpr Row looks[] = {
    {Kind::given, notice_given},
    {Kind::uniform, notice_given},
    {Kind::normal, notice_given},
    {Kind::embedding, notice_given},
    {Kind::bernoulli, notice_given},
    {Kind::parameter, notice_given},
    {Kind::matmul, notice_product},
    {Kind::weighted_sum, notice_product},
    {Kind::matvec, notice_scores},
    {Kind::matvecs, notice_scores},
    {Kind::pairwise_dots, notice_scores},
    {Kind::dots, notice_scores},
    {Kind::scaled, notice_scaling},
    {Kind::masked, notice_mask},
    {Kind::softmax, notice_weights},
    {Kind::softmax_gradient, notice_softmax_gradient},
    {Kind::sum, notice_sums},
    {Kind::divided, notice_weights},
    {Kind::dropout, notice_dropout},
    {Kind::multiplied, notice_multiplied},
};

void notice_numbers(Noticing& notice) {
  if (notice.tensor.dtype() == DType::boolean) {
    return notice_booleans(notice);
  }
  const Row* const row = std::ranges::find(looks, notice.tensor.kind(), &Row::kind);
  if (notice.tensor.dtype() == DType::float32 && row != std::end(looks)) {
    row->look(notice, Numbers(notice.tensor));
  }
}

}  // namespace

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
        const std::span all(values.data(), values.size());
        const std::size_t rest = all.size() - all.size() / static_cast<std::size_t>(tensor.size(0));
        return std::ranges::equal(all.first(rest), all.last(rest));
      },
      *contents);
}

std::string count_text(std::int64_t count, std::int64_t total) {
  return std::to_string(count) + " of " + std::to_string(total);
}

std::string range_text(std::span<const float> values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  return "from " + number_text(*least) + " to " + number_text(*most);
}

std::string Noticing::token(std::int64_t i) const {
  const std::string& word = tokens[static_cast<std::size_t>(i)];
  const bool is_only = std::ranges::count(tokens, word) == 1;
  return '"' + word + '"' + (is_only ? "" : " (token " + std::to_string(i) + ")");
}

bool Noticing::has_words(std::size_t axis) const {
  return !tokens.empty() && tensor.shape()[axis] == std::ssize(tokens) && counts_tokens(tensor, axis);
}

bool Noticing::has_words() const {
  const std::size_t axes = tensor.shape().size();
  return axes >= 2 && has_words(axes - 1) && has_words(axes - 2);
}

bool Noticing::is_square_of_tokens() const {
  const std::size_t axes = tensor.shape().size();
  return has_squares(tensor.shape()) && counts_tokens(tensor, axes - 1) && counts_tokens(tensor, axes - 2);
}

std::string Noticing::pair_words(std::int64_t position, const std::string& verb) const {
  if (!has_words()) {
    return "";
  }
  const std::int64_t row = position / tensor.size(-1) % tensor.size(-2);
  return ": " + token(row) + verb + token_or_itself(position % tensor.size(-1), row);
}

std::vector<std::string> notices(const Step& step, std::span<const std::string> tokens) {
  if (!step.tensor) {
    return {};
  }
  Noticing notice{*step.tensor, tokens};
  notice_shape(notice);
  if (step.kind != Step::Kind::size && element_count(step.tensor->shape()) > 0) {
    notice_numbers(notice);
    notice_batch(notice);
  }
  return std::move(notice.notices);
}

}  // namespace attn::render
