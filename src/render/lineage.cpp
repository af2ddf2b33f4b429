#include "render/lineage.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

namespace attn::render {
namespace {

struct Pattern {
  std::string_view start;
  Made made;
};

/// The first that fits counts.
constexpr std::array patterns = {
    Pattern{"torch.softmax(", Made::softmax},
    Pattern{"\x01.masked_fill(", Made::masked},
    Pattern{"nn.Dropout(", Made::dropout},
    Pattern{"\x01.T", Made::transpose},
    Pattern{"\x01.transpose(", Made::transpose},
    Pattern{"\x01.view(", Made::view},
    Pattern{"\x01.contiguous()", Made::contiguous},
    Pattern{"\x01[...", Made::columns},
    Pattern{"\x01[", Made::index},
    Pattern{"torch.stack([torch.dot(", Made::dots},
    Pattern{"torch.stack([", Made::matvecs},
    Pattern{"torch.stack((", Made::stack},
    Pattern{"torch.cat(", Made::cat},
    Pattern{"torch.exp(", Made::exp},
    Pattern{"torch.isclose(", Made::comparison},
    Pattern{"torch.dot(", Made::dot},
    Pattern{"sum(\x01[i]", Made::weighted_sum},
    Pattern{"\x01.sum(", Made::sum},
    Pattern{"\x01 / \x02", Made::divided},
    Pattern{"\x01 * \x02", Made::multiplied},
    Pattern{"\x01 / ", Made::scaled},
    Pattern{"\x01 @ \x02", Made::matmul},
};

/// The whole number that `text` begins with.
std::size_t leading_number(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool counts_in_matmul(const Tensor& product, std::size_t axis) {
  const Tensor& a = product.operands()[0];
  const Tensor& b = product.operands()[1];
  const bool is_last = axis + 1 == product.shape().size();
  return is_last ? counts_tokens(b, b.shape().size() - 1) : counts_tokens(a, axis);
}

/// A view keeps the axes up to where the sizes differ.
bool counts_in_view(const Tensor& view, std::size_t axis) {
  const Tensor& x = view.operands()[0];
  if (axis >= x.shape().size()) {
    return false;
  }
  const auto end = view.shape().begin() + static_cast<std::ptrdiff_t>(axis) + 1;
  return std::equal(view.shape().begin(), end, x.shape().begin()) && counts_tokens(x, axis);
}

bool counts_in_transposed(const Tensor& transposed, std::size_t axis) {
  const auto [first, second] = swapped_axes(transposed);
  const std::size_t from = axis == first ? second : axis == second ? first : axis;
  return counts_tokens(transposed.operands()[0], from);
}

}  // namespace

std::string word_pattern(const Tensor& tensor) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < tensor.operands().size(); ++i) {
    places.emplace_back(1, static_cast<char>(std::min<std::size_t>(i, 2) + 1));
  }
  return tensor.operation().words(places);
}

Made made(const Tensor& tensor) {
  if (tensor.operands().empty()) {
    return Made::leaf;
  }
  if (tensor.operation().is_parameter()) {
    return Made::parameter;
  }
  const std::string words = word_pattern(tensor);
  const auto* found = std::find_if(patterns.begin(), patterns.end(),
                                   [&](const Pattern& pattern) { return words.starts_with(pattern.start); });
  if (found != patterns.end()) {
    return found->made == Made::matmul && tensor.operands()[1].dim() == 1 ? Made::matvec : found->made;
  }
  return tensor.operands().size() > 1 && words.ends_with("(\x01)") ? Made::linear : Made::other;
}

std::pair<std::size_t, std::size_t> swapped_axes(const Tensor& transposed) {
  const std::string words = word_pattern(transposed);
  const std::size_t open = words.find('(');
  if (open == std::string::npos) {
    return {0, 1};
  }
  return {leading_number(std::string_view(words).substr(open + 1)),
          leading_number(std::string_view(words).substr(words.find(", ", open) + 2))};
}

bool counts_tokens(const Tensor& tensor, std::size_t axis) {
  const auto& operands = tensor.operands();
  const bool is_last = axis + 1 == tensor.shape().size();
  switch (made(tensor)) {
    case Made::leaf: return axis == 0 && tensor.name() == "inputs";
    case Made::matmul: return counts_in_matmul(tensor, axis);
    case Made::matvec: return counts_tokens(operands[0], 0);
    case Made::matvecs: return counts_tokens(operands[axis == 0 ? 1 : 0], 0);
    case Made::dots: return counts_tokens(operands[0], 0);
    case Made::weighted_sum: return counts_tokens(operands[1], 1);
    case Made::transpose: return counts_in_transposed(tensor, axis);
    case Made::view: return counts_in_view(tensor, axis);
    case Made::index: return counts_tokens(operands[0], axis + 1);
    case Made::stack: return axis > 0 && counts_tokens(operands[0], axis - 1);
    case Made::linear:
    case Made::columns:
    case Made::cat: return !is_last && counts_tokens(operands[0], axis);
    case Made::sum:
      return tensor.size(static_cast<std::int64_t>(axis)) == operands[0].size(static_cast<std::int64_t>(axis)) &&
             counts_tokens(operands[0], axis);
    case Made::scaled:
    case Made::divided:
    case Made::multiplied:
    case Made::masked:
    case Made::softmax:
    case Made::exp:
    case Made::dropout:
    case Made::contiguous: return counts_tokens(operands[0], axis);
    case Made::parameter:
    case Made::dot:
    case Made::comparison:
    case Made::other: break;
  }
  return false;
}

std::optional<std::int64_t> token_of(const Tensor& vector) {
  if (vector.dim() != 1) {
    return std::nullopt;
  }
  const auto& operands = vector.operands();
  switch (made(vector)) {
    case Made::index:
      if (counts_tokens(operands[0], 0)) {
        return static_cast<std::int64_t>(leading_number(std::string_view(word_pattern(vector)).substr(2)));
      }
      return std::nullopt;
    case Made::dots:
    case Made::matvec: return token_of(operands[1]);
    case Made::matmul:
    case Made::linear:
    case Made::weighted_sum:
    case Made::scaled:
    case Made::masked:
    case Made::softmax:
    case Made::exp:
    case Made::dropout: return token_of(operands[0]);
    default: return std::nullopt;
  }
}

}  // namespace attn::render
