#include "verify/read/literal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <utility>

#include "text/ascii.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_literal_axes = 8;

/// A number at a text's start, as programs write them: "0.43", ".5", "1e-3", "0.43f32", "1.5f-3".
struct Number {
  double value = 0;
  bool has_point = false;
  std::size_t size = 0;  ///< 0: there is none
};

/// "f", "f32", "_f64": the types of C++ and Rust.
std::size_t suffix_length(std::string_view text) {
  constexpr auto suffixes = std::to_array<std::string_view>({"_f32", "_f64", "f32", "f64", "f", "F"});
  const auto* found = std::ranges::find_if(suffixes, [&](std::string_view suffix) { return text.starts_with(suffix); });
  return found == suffixes.end() ? 0 : found->size();
}

/// Takes Julia's exponent, the "f-3" of "1.5f-3"; returns its length.
std::size_t take_exponent(std::string_view text, double& value) {
  int exponent = 0;
  const bool plus = text.starts_with("f+");
  const char* begin = text.data() + (plus ? 2 : 1);
  if (!text.starts_with('f') || text.starts_with("f32") || text.starts_with("f64")) {
    return 0;
  }
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), exponent);
  if (error != std::errc()) {
    return 0;
  }
  value *= std::pow(10.0, exponent);
  return static_cast<std::size_t>(end - text.data());
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
  const std::string_view after = digits.substr(size);
  const std::size_t exponent = take_exponent(after, number.value);
  const std::size_t suffix = exponent > 0 ? exponent : suffix_length(after);
  number.size = sign + size + suffix;
  if (text.size() > number.size && (is_name_part(text[number.size]) || text[number.size] == '.')) {
    return {};
  }
  number.has_point = suffix > 0 || digits.substr(0, size).find_first_of(".eE") != std::string_view::npos;
  number.value = text.front() == '-' ? -number.value : number.value;
  return number;
}

class ListReader {
 public:
  ListReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::optional<NumberList> read() {
    while (step() && depth_ > 0) {
    }
    const bool complete = depth_ == 0 && !failed_ && !list_.values.empty();
    if (!complete) {
      return std::nullopt;
    }
    list_.end = at_;
    if (row_size_ == 0) {
      list_.shape.assign(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(rank_));
    } else if (row_size_ == 1) {
      list_.shape.assign({rows_ + 1});
    } else {
      list_.shape.assign({rows_ + 1, row_size_});
    }
    return std::move(list_);
  }

  std::size_t at() const { return at_; }

 private:
  bool fail() {
    failed_ = true;
    return false;
  }

  bool step() {
    const bool new_line = skip();
    if (at_ >= text_.size()) {
      return fail();
    }
    switch (text_[at_]) {
      case '[':
      case '{':
      case '(': return open();
      case ']':
      case '}':
      case ')': return close();
      case ',':
        ++at_;
        separated_ = true;
        return true;
      case ';': return semicolon();
      case '&': ++at_; return true;
      default: return number(new_line);
    }
  }

  /// Goes past blanks and comments; returns whether a line ended.
  bool skip() {
    bool new_line = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const std::string_view rest = text_.substr(at_);
      if (c == '#' || rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\\') {
        new_line = new_line || c == '\n';
        ++at_;
      } else {
        break;
      }
    }
    return new_line;
  }

  bool open() {
    if (depth_ == most_literal_axes || row_size_ > 0 || (rank_ > 0 && depth_ >= rank_)) {
      return fail();
    }
    if (depth_ > 0) {
      ++items_[depth_ - 1];
    }
    items_[depth_++] = 0;
    ++at_;
    separated_ = true;
    return true;
  }

  bool close() {
    --depth_;
    if (row_size_ == 0 ? !close_axis() : !close_rows()) {
      return fail();
    }
    ++at_;
    separated_ = false;
    return true;
  }

  bool close_axis() {
    if (depth_ >= rank_) {
      return false;
    }
    std::int64_t& size = sizes_[depth_];
    size = size == unknown ? items_[depth_] : size;
    return size == items_[depth_];
  }

  bool close_rows() {
    rows_ -= items_[0] == 0 ? 1 : 0;  // the last row had its semicolon
    return items_[0] == 0 || items_[0] == row_size_;
  }

  /// The end of a row of Julia's.
  bool semicolon() {
    ++at_;
    return end_row();
  }

  bool end_row() {
    if (depth_ != 1 || rank_ != 1 || items_[0] == 0 || (row_size_ != 0 && row_size_ != items_[0])) {
      return fail();
    }
    row_size_ = items_[0];
    ++rows_;
    items_[0] = 0;
    separated_ = true;
    return true;
  }

  bool number(bool new_line) {
    const Number number = read_number(text_.substr(at_));
    if (number.size == 0 || depth_ == 0 || (rank_ > 0 && rank_ != depth_)) {
      return fail();
    }
    if (new_line && !separated_ && !end_row()) {
      return false;
    }
    rank_ = depth_;
    ++items_[depth_ - 1];
    list_.values.push_back(number.value);
    list_.has_point = list_.has_point || number.has_point;
    at_ += number.size;
    separated_ = false;
    return true;
  }

  static constexpr std::int64_t unknown = -1;

  std::string_view text_;
  std::size_t at_;
  NumberList list_;
  std::array<std::int64_t, most_literal_axes> items_{};
  std::array<std::int64_t, most_literal_axes> sizes_ = [] {
    std::array<std::int64_t, most_literal_axes> sizes{};
    sizes.fill(unknown);
    return sizes;
  }();
  std::size_t depth_ = 0;
  std::size_t rank_ = 0;   ///< the depth of the numbers; 0 before the first
  std::int64_t rows_ = 0;  ///< that a semicolon or a line's end closed
  std::int64_t row_size_ = 0;
  bool separated_ = true;  ///< a comma, a bracket or a row's end stands before
  bool failed_ = false;
};

}  // namespace

std::optional<NumberList> read_number_list(std::string_view text, std::size_t begin, std::size_t& end) {
  ListReader reader(text, begin);
  std::optional<NumberList> list = reader.read();
  end = std::max(begin + 1, reader.at());
  return list;
}

}  // namespace attn::verify
