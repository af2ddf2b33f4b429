#include "verify/read/literal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "text/ascii.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_literal_axes = 8;

/// A number at a text's start, in a program's notation: "0.43", ".5", "1e-3", "0.43f32".
struct Number {
  double value = 0;
  bool has_point = false;
  std::size_t size = 0;  ///< 0 if there is none
};

/// The length of "f", "f32", "_f64": types of C++ and Rust.
std::size_t suffix_length(std::string_view text) {
  constexpr auto suffixes = std::to_array<std::string_view>({"_f32", "_f64", "f32", "f64", "f", "F"});
  const auto* found = std::ranges::find_if(suffixes, [&](std::string_view suffix) { return text.starts_with(suffix); });
  return found == suffixes.end() ? 0 : found->size();
}

Number read_number(std::string_view text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::string_view digits = text.substr(sign);
  Number number;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
  const auto size = static_cast<std::size_t>(end - digits.data());
  if (error != std::errc() || !(text::is_digit(digits.front()) || digits.front() == '.')) {
    return {};
  }
  const std::size_t suffix = suffix_length(digits.substr(size));
  number.size = sign + size + suffix;
  if (text.size() > number.size && (is_name_part(text[number.size]) || text[number.size] == '.')) {
    return {};
  }
  number.has_point = suffix > 0 || digits.substr(0, size).find_first_of(".eE") != std::string_view::npos;
  number.value = text.front() == '-' ? -number.value : number.value;
  return number;
}

bool opens(char c) { return c == '[' || c == '{' || c == '('; }
bool closes(char c) { return c == ']' || c == '}' || c == ')'; }

class ListReader {
 public:
  ListReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::optional<NumberList> read() {
    if (!read_axis(0) || list_.values.empty()) {
      return std::nullopt;
    }
    list_.end = at_;
    return std::move(list_);
  }

  std::size_t at() const { return at_; }

 private:
  /// Reads the list at an opening bracket, at this nesting depth; false if it is not a list, or does not match earlier
  /// ones.
  bool read_axis(std::size_t axis) {
    const bool is_first = axis == list_.shape.size();
    if (axis == most_literal_axes || (is_first && !list_.values.empty())) {
      return false;
    }
    if (is_first) {
      list_.shape.push_back(unknown);
    }
    ++at_;
    std::int64_t items = 0;
    for (skip(); at_ < text_.size() && !closes(text_[at_]); skip()) {
      if (text_[at_] == ',') {
        ++at_;
      } else if (opens(text_[at_]) ? read_axis(axis + 1) : read_item(axis)) {
        ++items;
      } else {
        return false;
      }
    }
    std::int64_t& size = list_.shape[axis];
    size = size == unknown ? items : size;
    if (at_ == text_.size() || size != items) {
      return false;
    }
    ++at_;
    return true;
  }

  /// Reads a number at this nesting depth; false unless all numbers have the same depth.
  bool read_item(std::size_t axis) {
    const Number number = read_number(text_.substr(at_));
    if (number.size == 0 || axis + 1 != list_.shape.size()) {
      return false;
    }
    list_.values.push_back(number.value);
    list_.has_point = list_.has_point || number.has_point;
    at_ += number.size;
    return true;
  }

  /// Skips blanks, comments, C's \ at a line's end and Rust's & of a slice.
  void skip() {
    constexpr std::string_view skipped = " \t\n\\&";
    while (at_ < text_.size()) {
      if (text_[at_] == '#' || text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (skipped.find(text_[at_]) != npos) {
        ++at_;
      } else {
        return;
      }
    }
  }

  static constexpr std::int64_t unknown = -1;

  std::string_view text_;
  std::size_t at_;
  NumberList list_;
};

}  // namespace

std::optional<NumberList> read_number_list(std::string_view text, std::size_t begin, std::size_t& end) {
  ListReader reader(text, begin);
  std::optional<NumberList> list = reader.read();
  end = std::max(begin + 1, reader.at());
  return list;
}

}  // namespace attn::verify
