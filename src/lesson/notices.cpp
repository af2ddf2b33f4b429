#include "lesson/notices.hpp"

#include "lesson/noticing.hpp"

namespace attn::render {
namespace {

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
    {Kind::dot, notice_dot},
    {Kind::scaled, notice_scaling},
    {Kind::masked, notice_mask},
    {Kind::softmax, notice_weights},
    {Kind::softmax_gradient, notice_softmax_gradient},
    {Kind::exp, notice_exponentials},
    {Kind::sum, notice_sums},
    {Kind::divided, notice_proportions},
    {Kind::dropout, notice_dropout},
    {Kind::multiplied, notice_multiplied},
};

void notice_numbers(Noticing& notice) {
  if (notice.tensor.dtype() == DType::boolean) {
    return notice_booleans(notice);
  }
  if (notice.tensor.dtype() == DType::int64) {
    return notice_integers(notice);
  }
  const Row* const row = std::ranges::find(looks, notice.tensor.kind(), &Row::kind);
  if (row != std::end(looks)) {
    row->look(notice, Numbers(notice.tensor));
  }
}

void notice_batch(Noticing& notice) {
  const Tensor& tensor = notice.tensor;
  if (tensor.dim() < 3 || tensor.size(0) < 2) {
    return;
  }
  const bool are_same = are_slices_equal(tensor);
  if (tensor.operands().empty()) {
    if (!are_same && tensor.dtype() == DType::boolean) {
      notice.say("each batch entry has its own mask");
    }
    return;
  }
  const std::string who =
      tensor.size(0) == 2 ? "both batch entries" : "all " + std::to_string(tensor.size(0)) + " batch entries";
  const Kind how = tensor.kind();
  const Tensor& from = notice.operand(0);
  const bool is_worth_it = how == Kind::stack || how == Kind::linear || how == Kind::matmul;
  const bool were_same = from.dim() >= 3 && from.size(0) == tensor.size(0) && are_slices_equal(from);
  if (are_same && is_worth_it) {
    notice.say(who + " are equal" + (were_same && !from.name().empty() ? ", like those of " + from.words() : ""));
  } else if (!are_same && were_same && how == Kind::dropout) {
    notice.say("the batch entries differ from here on: each has its own dropout mask");
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

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string range_text(std::span<const float> values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  return "from " + text::number_text(*least) + " to " + text::number_text(*most);
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

std::string Noticing::row_words(std::int64_t row) const {
  const Shape& shape = tensor.shape();
  if (shape.size() < 2) {
    return "the row";
  }
  const std::size_t axis = shape.size() - 2;
  return "row " + place_text(row, std::span(shape).first(axis + 1)) +
         (has_words(axis) ? " (" + token(row % shape[axis]) + ")" : "");
}

std::string Noticing::pair_words(std::int64_t position, const std::string& verb) const {
  if (!has_words()) {
    return "";
  }
  const std::int64_t row = position / tensor.size(-1) % tensor.size(-2);
  return ": " + token(row) + verb + token_or_itself(position % tensor.size(-1), row);
}

void Noticing::say_empty(const std::vector<std::int64_t>& rows, std::int64_t all, const std::string& reason) {
  constexpr std::size_t shown = 3;
  if (rows.empty()) {
    return;
  }
  if (std::ssize(rows) == all) {
    say("all entries are now 0");
    return;
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i) {
    list += (i == 0 ? "" : ", ") + row_words(rows[i]);
  }
  if (rows.size() > shown) {
    list += " and " + std::to_string(rows.size() - shown) + " more";
  }
  say(list + (rows.size() == 1 ? " is" : " are") + reason);
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
