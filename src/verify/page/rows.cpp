#include "verify/page/rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "text/utf8.hpp"
#include "verify/page/pieces.hpp"

namespace attn::verify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool is_sign(char c) { return c == '-' || c == '+'; }

/// The value of a number without a sign, also of one beyond a double's; NaN if the text is no number.
double value_of(std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_beyond = error == std::errc::result_out_of_range;
  return end != number.data() + number.size() ? not_a_number
         : is_beyond                          ? std::strtod(std::string(number).c_str(), nullptr)
                                              : value;
}

/// One unit of a number's last visible digit.
double unit_of(std::string_view number) {
  const std::size_t mark = number.find_first_of("eE");
  const std::string_view significand = number.substr(0, mark);
  const std::size_t point = significand.find('.');
  const double exponent = mark == npos ? 0 : value_of(without_leading(number.substr(mark + 1), "+"));
  return std::pow(10.0, exponent - static_cast<double>(point == npos ? 0 : significand.size() - point - 1));
}

constexpr std::pair<std::string_view, double> named_values[] = {
    {"True", 1}, {"False", 0}, {"inf", infinity}, {"Inf", infinity}, {"nan", not_a_number}, {"NaN", not_a_number}};

bool is_scientific(const Cell& cell) { return std::isfinite(cell.value) && cell.text.find_first_of("eE") != npos; }

/// Returns true for 0.e+00, which is exactly 0, as numbers with an exponent print their first digit, and for a number
/// without decimals.
bool is_exact(const Cell& cell) { return is_scientific(cell) ? cell.value == 0 : cell.unit >= 1; }

/// "1", "1." or "1.0".
bool is_whole_number(const Cell& cell) {
  return cell.value == std::floor(cell.value) && cell.unit > 0.05 && !is_scientific(cell);
}

/// The unit of a number that lost zeros at its end: without blanks in their place, at most that of six significant
/// digits, as MLX prints them.
double trimmed_unit(const Cell& cell, double finest) {
  const bool is_padded = *(cell.text.data() + cell.text.size()) == ' ';
  const double sixth = std::pow(10.0, std::floor(std::log10(std::abs(cell.value))) - 5);
  return is_padded ? finest : std::clamp(sixth, finest, cell.unit);
}

constexpr std::size_t most_axes = 16;
constexpr std::int64_t unknown = -1;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Returns true for characters that can follow a number only in a program.
bool is_code(char c) {
  constexpr std::string_view signs = "_*+-/%@(=:'\"#";
  return text::is_letter(c) || signs.find(c) != npos;
}

struct Axis {
  std::int64_t items = 0;       ///< number of items in the open list
  std::int64_t size = unknown;  ///< size of the first closed list
  std::int64_t before_gap = unknown;
};

class RowsReader {
 public:
  explicit RowsReader(Cursor& cursor) : cursor_(cursor) {}

  std::optional<Rows> read() {
    while (step()) {
    }
    const bool closed = depth_ == 0;
    if (is_code_ || (printed_.cells.empty() && (gap_ || !closed))) {
      return std::nullopt;
    }
    cursor_.at = end_;
    while (depth_ > 0) {
      close();
    }
    const std::size_t rank = printed_.cells.empty() ? deepest_ : rank_;
    for (std::size_t i = 1; i <= rank; ++i) {
      printed_.shape.push_back(std::max<std::int64_t>(axes_[i].size, 0));
      if (gap_) {
        printed_.shown_before_gap.push_back(axes_[i].before_gap);
      }
    }
    printed_.is_bool = !printed_.cells.empty() && is_truth(printed_.cells.front());
    rows_.sound = rows_.sound && closed && !(rows_.has_commas && rows_.has_blanks);
    return std::move(rows_);
  }

 private:
  /// Reads one item; false at the end of the lists.
  bool step() {
    const bool new_line = cursor_.skip();
    switch (cursor_.peek()) {
      case '[': return open();
      case ']':
        take(1);
        close();
        return depth_ > 0;
      case ',':
        rows_.has_commas = true;
        after_number_ = false;
        ++cursor_.at;
        return true;
      case ')':
      case '\0': return false;
      default: return cursor_.rest().starts_with("...") ? gap() : number(new_line);
    }
  }

  void take(std::size_t bytes) { end_ = cursor_.at += bytes; }

  bool open() {
    if (depth_ == most_axes) {
      is_code_ = true;
      return false;
    }
    ++axes_[depth_].items;
    axes_[++depth_].items = 0;
    deepest_ = std::max(deepest_, depth_);
    printed_.ragged = printed_.ragged || (!printed_.cells.empty() && depth_ > rank_);
    take(1);
    after_number_ = false;
    return true;
  }

  void close() {
    after_number_ = false;
    compare(axes_[depth_].size, axes_[depth_].items);
    --depth_;
  }

  /// Notices a row that differs from the first one.
  void compare(std::int64_t& first, std::int64_t items) {
    first = first == unknown ? items : first;
    printed_.ragged = printed_.ragged || first != items;
  }

  bool gap() {
    compare(axes_[depth_].before_gap, axes_[depth_].items);
    gap_ = true;
    take(3);
    return true;
  }

  bool number(bool new_line) {
    if (cursor_.rest().size() > 1 && cursor_.peek() == '*' && cell_length(cursor_.rest().substr(1)) > 0) {
      ++cursor_.at;  // --what-if marks the numbers that change
      rows_.sound = false;
    }
    const std::string_view text = cursor_.rest().substr(0, cell_length(cursor_.rest()));
    const std::optional<Cell> cell = parse_cell(text);
    if (!cell) {
      return noise(new_line);
    }
    if (printed_.cells.empty()) {
      rank_ = depth_;
      printed_.ragged = deepest_ > rank_;
    }
    printed_.ragged = printed_.ragged || depth_ != rank_;
    ++axes_[depth_].items;
    printed_.cells.push_back(*cell);
    rows_.has_blanks = rows_.has_blanks || after_number_;
    after_number_ = true;
    take(text.size());
    return true;
  }

  /// Handles something that is not part of a tensor. On its own line it ends an incomplete tensor.
  bool noise(bool new_line) {
    rows_.sound = false;
    if (new_line) {
      return false;
    }
    is_code_ = is_code(cursor_.peek());
    ++cursor_.at;
    return !is_code_;
  }

  Cursor& cursor_;
  Rows rows_;
  Printed& printed_ = rows_.printed;
  std::array<Axis, most_axes + 1> axes_;  ///< by depth
  std::size_t end_ = 0;                   ///< after the last bracket or number
  std::size_t depth_ = 0;
  std::size_t deepest_ = 0;
  std::size_t rank_ = 0;       ///< depth of the first number
  bool after_number_ = false;  ///< only blanks follow the last number
  bool gap_ = false;
  bool is_code_ = false;
};

}  // namespace

std::optional<Cell> parse_cell(std::string_view word) {
  const double sign = word.starts_with('-') ? -1 : 1;
  std::string_view number = word.substr(!word.empty() && is_sign(word.front()) ? 1 : 0);
  for (const auto& [name, value] : named_values) {
    if (number == name) {
      return Cell{word, sign * value, 0};
    }
  }
  const bool begins_number = !number.empty() && (text::is_digit(number.front()) || number.front() == '.');
  if (!begins_number || std::ranges::none_of(number, text::is_digit)) {
    return std::nullopt;
  }
  number = without_trailing(number, "j");  // the second number of "0.5403+0.8415j"
  const double value = value_of(number);
  return Cell{word, sign * value, std::isnan(value) ? 0 : unit_of(number)};
}

bool is_truth(const Cell& cell) { return cell.text == "True" || cell.text == "False"; }

std::size_t cell_length(std::string_view text) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    const bool sign = is_sign(c) && (end == 0 || text::lower(text[end - 1]) == 'e');
    if ((!sign && !is_name_part(c) && c != '.') || text.substr(end).starts_with("...")) {
      break;
    }
  }
  return end;
}

void set_units(std::span<Cell> cells, bool drop_zeros) {
  const auto is_plain = [](const Cell& cell) { return cell.unit > 0 && !is_scientific(cell); };
  double finest = infinity;
  bool are_whole = true;
  for (const Cell& cell : cells) {
    are_whole = are_whole && (cell.unit == 0 || is_whole_number(cell));
    finest = is_plain(cell) ? std::min(finest, cell.unit) : finest;
  }
  for (Cell& cell : cells) {
    if (drop_zeros && is_plain(cell)) {
      cell.unit = are_whole ? 0 : trimmed_unit(cell, finest);
    } else if (is_exact(cell)) {
      cell.unit = 0;
    }
  }
}

Cursor::Cursor(std::string_view text, std::size_t begin, std::string_view line) : page(text), at(begin) {
  constexpr std::size_t widest = 64;
  const std::string_view start = line.substr(0, std::min(line.find_first_not_of(" \t>|#/!"), widest));
  const std::string_view end = line.substr(line.size() - std::min(line.size(), 4 * widest));
  if (start.find_first_of(">|#/") != npos) {
    margin = start.find(">>>") == npos ? start : "";  // a prompt
  } else if (end.find(" # ") != npos || end.ends_with(" #")) {
    margin = "#";  // a comment after a statement
  } else if (end.find(" // ") != npos) {
    margin = "//";
  }
}

bool Cursor::skip() {
  bool new_line = false;
  const bool has_bars = margin.find('|') != npos;
  while (is_blank(peek()) || peek() == '\n' || (has_bars && peek() == '|')) {
    if (page[at++] == '\n') {
      new_line = true;
      auto markers = static_cast<std::int64_t>(margin.size()) - std::ranges::count_if(margin, is_blank);
      for (; is_blank(peek()) || (markers > 0 && margin.find(peek()) != npos); ++at) {
        markers -= is_blank(peek()) ? 0 : 1;
      }
      const bool is_fence = rest().starts_with("```") || rest().starts_with("~~~");
      at = is_fence ? std::min(page.find('\n', at), page.size()) : at;
    }
  }
  return new_line;
}

std::optional<Rows> read_rows(Cursor& cursor) { return RowsReader(cursor).read(); }

}  // namespace attn::verify
