#include "verify/page/page.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "text/lines.hpp"
#include "text/utf8.hpp"

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

namespace {

constexpr std::size_t longest_value = 256;

/// PyTorch's, which have all zeros at the ends of numbers; numpy's and MLX's, JAX's, TensorFlow's; Nx's.
constexpr std::string_view tensor_form = "tensor(";
constexpr std::string_view size_form = "torch.Size(";
constexpr std::string_view nx_form = "#Nx.Tensor<";
constexpr auto forms = std::to_array<std::string_view>(
    {tensor_form, size_form, "array(", "Array(", "tf.Tensor(", "np.float32(", "np.float64(", nx_form});

/// The text after a tensor's numbers.
struct Suffix {
  std::size_t end = 0;     ///< after the last thing that belongs to the tensor
  bool closed = false;     ///< the closing bracket is present
  bool new_line = false;   ///< the text after the tensor is on another line
  std::string_view dtype;  ///< "float32", "torch.float64"
};

/// The value at a text's start with its brackets or quotes; if they are not closed, its word; empty if that is long.
std::string_view value_at(std::string_view text) {
  text = text.substr(0, std::min(longest_value, text.find('\n')));
  constexpr std::string_view opening = "<('\"";
  constexpr std::string_view closing = ">)'\"";
  const std::size_t kind = text.empty() ? npos : opening.find(text.front());
  const std::size_t end = kind == npos ? npos : text.find(closing[kind], 1);
  if (end != npos) {
    return text.substr(0, end + 1);
  }
  const std::size_t word_end = text.find_first_of(" ,)]>[(`", kind == npos ? 0 : 1);
  return word_end == npos && text.size() == longest_value ? "" : text.substr(0, word_end);
}

/// Reads "dtype=torch.float64"; false if the cursor is at something else.
bool read_pair(Cursor& cursor, Printed& printed, Suffix& suffix) {
  const std::string_view text = cursor.rest();
  const std::string_view key = leading_name(text.substr(0, longest_value));
  const std::string_view after = without_indent(text.substr(key.size()));
  if (!is_among(key, "device dtype grad_fn requires_grad shape size weak_type") || !after.starts_with('=')) {
    return false;
  }
  const std::string_view rest = without_indent(after.substr(1));
  const std::string_view value = value_at(rest);
  if (key == "grad_fn") {
    printed.grad_fn = leading_name(without_leading(value, "<"));
  } else if (key == "dtype") {
    suffix.dtype = value;
    printed.is_bool = printed.is_bool || value.ends_with("bool");
  }
  cursor.at += text.size() - rest.size() + value.size();
  return true;
}

/// Reads ", grad_fn=<AddBackward0>", "dtype=torch.float64" and the like up to the closing bracket.
Suffix read_suffix(Cursor& cursor, char closing, Printed& printed) {
  Suffix suffix;
  while (!suffix.closed) {
    suffix.end = cursor.at;
    suffix.new_line = cursor.skip();
    const char c = cursor.peek();
    Cursor ahead = cursor;
    ahead.at += c == ',' || c == closing || c == ']' ? 1 : 0;
    suffix.closed = c == closing;
    if (c == ',' && ahead.skip()) {
      suffix.new_line = true;
    }
    if (!suffix.closed && c != ']' && !read_pair(ahead, printed, suffix)) {
      return suffix;
    }
    cursor.at = ahead.at;
  }
  suffix.end = cursor.at;
  return suffix;
}

/// Skips Nx's lines before the numbers: "f32[6][3]", and perhaps "EXLA.Backend<host:0, 0.1.2.3>".
void skip_type(Cursor& cursor) {
  for (int line = 0; line < 2; ++line) {
    cursor.skip();
    cursor.at += text::is_letter(cursor.peek()) ? std::min(cursor.rest().find('\n'), cursor.rest().size()) : 0;
  }
}

/// Reads the nested lists or the single number, with units of the last visible digits.
std::optional<Printed> read_numbers(std::string_view form, Cursor& cursor) {
  cursor.skip();
  if (cursor.peek() == '[') {
    std::optional<Rows> rows = read_rows(cursor);
    return rows ? std::optional(std::move(rows->printed)) : std::nullopt;
  }
  const std::string_view word = cursor.rest().substr(0, cell_length(cursor.rest()));
  const std::optional<Cell> cell = parse_cell(word);
  if (!cell || form == size_form) {
    return std::nullopt;
  }
  cursor.at += word.size();
  Printed printed;
  printed.cells.push_back(*cell);
  printed.is_bool = is_truth(*cell);
  return printed;
}

/// Returns true if what follows the numbers is a program's: tensor(2, 3), tensor([1, 2] * 3), array(10).
bool is_call(std::string_view form, const Printed& printed, const Suffix& suffix, const Cursor& cursor) {
  const bool breaks_off = suffix.closed || suffix.new_line || cursor.at_end();
  if (!printed.shape.empty() || printed.cells.empty()) {
    constexpr std::string_view operators = "*+/%@";
    return !breaks_off && operators.find(cursor.peek()) != npos;
  }
  const bool is_whole = printed.cells.front().text.find_first_not_of("0123456789") == npos;
  return !breaks_off || (!suffix.closed && cursor.peek() == ',') ||
         (is_whole && form != tensor_form && form != nx_form && suffix.dtype.empty());
}

/// Makes it the size of its numbers; -1 for a number that cannot be a size.
void make_size(Printed& printed) {
  printed.kind = Printed::Kind::size;
  printed.shape.clear();
  for (const Cell& cell : printed.cells) {
    constexpr double largest = 9e15;
    const bool possible = cell.value >= 0 && cell.value < largest && cell.value == std::floor(cell.value);
    printed.shape.push_back(possible ? static_cast<std::int64_t>(cell.value) : -1);
  }
}

bool is_float(const Cell& cell) { return cell.text.find_first_of(".e") != npos; }

/// Returns true if the list may be a tensor, not a size, ids or an interval: floats; bools; a mask; without commas, as
/// numpy prints it, also whole numbers.
bool looks_like_tensor(const Rows& rows) {
  const std::vector<Cell>& cells = rows.printed.cells;
  if (cells.empty() || rows.printed.ragged || std::ranges::any_of(cells, is_damaged)) {
    return false;
  }
  const bool is_vector = rows.printed.shape.size() == 1;
  const bool is_numpys = !rows.has_commas && (rows.has_blanks || !is_vector);
  const auto all_cells = [&](auto condition) { return std::ranges::all_of(cells, condition); };
  const bool floats = all_cells([](const Cell& cell) { return cell.unit == 0 || is_float(cell); });
  const bool wholes = all_cells([](const Cell& cell) { return cell.unit == 1 && !is_float(cell); });
  const bool mask = all_cells([](const Cell& cell) { return cell.value == 0 || cell.value == 1; });
  if (is_numpys) {
    return (floats || wholes) && cells.size() >= (is_vector && (wholes || all_cells(is_truth)) ? 3 : 2);
  }
  const bool has_points = std::ranges::any_of(cells, [](const Cell& cell) { return cell.text.find('.') != npos; });
  const std::size_t least = !is_vector ? 1 : all_cells([](const Cell& cell) { return cell.unit < 0.002; }) ? 2 : 3;
  return has_points ? floats && cells.size() >= least : mask && !is_vector && cells.size() > 3;
}

/// Returns true if the text after a list on its line does not continue an expression.
bool ends_list(std::string_view after) {
  after = after.substr(0, after.find('\n'));
  constexpr std::string_view ends = ",);}|`'\"";
  constexpr std::string_view goes_on = "*/+-%@=<[(#";
  const std::string_view next = without_indent(after);
  return after.empty() || ends.find(after.front()) != npos ||
         (next.size() < after.size() && (next.empty() || goes_on.find(next.front()) == npos || next.starts_with("<-")));
}

/// The word with its bracket by which a framework prints a tensor or a size, such as "array(", if it ends the text and
/// stands alone: not torch.tensor(, not an argument; empty if there is none.
std::string_view find_form(std::string_view text) {
  const auto* const found = std::ranges::find_if(forms, [&](std::string_view form) { return text.ends_with(form); });
  const std::string_view form = found == forms.end() ? "" : *found;
  std::string_view before = text.substr(0, text.size() - form.size());
  before.remove_suffix(before.ends_with('(') ? 1 : 0);
  return is_path(before.substr(before.empty() ? 0 : before.size() - 1)) ? "" : form;
}

/// Reads something printed. The cursor is after the form's word; `begin` is where that begins. Empty if it is not
/// output; the cursor is then at the evidence against it.
std::optional<Printed> read_form(std::string_view form, std::size_t begin, Cursor& cursor) {
  form == nx_form ? skip_type(cursor) : void();
  std::optional<Printed> printed = read_numbers(form, cursor);
  if (!printed || (form == size_form && (printed->shape.size() != 1 || has_gap(*printed)))) {
    return std::nullopt;
  }
  const Suffix suffix = read_suffix(cursor, form == nx_form ? '>' : ')', *printed);
  if (is_call(form, *printed, suffix, cursor)) {
    return std::nullopt;
  }
  printed->text = cursor.page.substr(begin, suffix.end - begin);
  printed->missing_parenthesis = !suffix.closed;
  set_units(printed->cells, form != tensor_form && form != size_form);
  if (form == size_form) {
    make_size(*printed);
  }
  return printed;
}

/// Returns true if a list that begins after the text, on the same line, may stand alone: not an index, an argument, a
/// JSON value or, in a comment, a part of a statement.
bool may_begin_list(std::string_view before, bool in_comment) {
  constexpr std::string_view glued = "_)]}\"'.@$\\!&^/?%~+*;-";
  const std::string_view words = without_trailing(before, " \t([");
  before.remove_suffix(before.ends_with('(') ? 1 : 0);
  const bool is_glued = !before.empty() && (is_name_part(before.back()) || glued.find(before.back()) != npos);
  const bool in_call = words.rfind('(') + 1 > words.rfind(')') + 1;
  const bool is_part =
      words.ends_with("\":") || words.ends_with("==") || (in_comment && (words.ends_with('=') || in_call));
  constexpr std::string_view introduces = ":=>|,-";
  constexpr std::size_t longest_words = 40;
  return !is_glued && !is_part && (words.size() <= longest_words || introduces.find(words.back()) != npos);
}

/// Reads lists without a name in a program's output: Python's [[0.43, 0.15], [0.55, 0.87]] and numpy's [[0.43 0.15]
/// [0.55 0.87]]. Empty if they look like sizes, ids or an interval. The cursor is at the first bracket.
std::optional<Printed> read_list(Cursor& cursor) {
  const std::size_t begin = cursor.at;
  std::optional<Rows> rows = read_rows(cursor);
  if (!rows || !rows->sound || !ends_list(cursor.rest().substr(0, longest_value)) || !looks_like_tensor(*rows)) {
    return std::nullopt;
  }
  rows->printed.text = cursor.page.substr(begin, cursor.at - begin);
  set_units(rows->printed.cells, true);
  return std::move(rows->printed);
}

constexpr std::size_t longest_label = 60;

/// The words of a line without margins and IPython's prompts.
std::string_view words_of(std::string_view line) {
  line = without_leading(line, " \t\n>|#*`/");
  const bool has_prompt = line.starts_with("Out[") || line.starts_with("In [") || line.starts_with("In[");
  const std::size_t end = has_prompt ? line.substr(0, longest_label).find("]:") : npos;
  const std::string_view words = end == npos ? line : without_indent(line.substr(end + 2));
  const std::string_view label = without_trailing(words.substr(0, words.find("<tf.Tensor:")), " \t\n`([{,=*|#/");
  const bool arrow = label.ends_with("=>") || label.ends_with("->");
  const std::string_view words_only = arrow ? without_trailing(label.substr(0, label.size() - 2), " \t=#/-") : label;
  return label == "True" || label == "False" ? "" : words_only;  // these are themselves output
}

/// The words before something printed: those on its line or, if there are none, the previous line if it is short.
/// `begin` is where the output begins, `from` where the previous output ends.
std::string_view find_label(std::string_view page, std::size_t from, std::size_t begin) {
  const std::string_view before = page.substr(from, begin - from);
  const std::size_t line_end = before.rfind('\n');
  std::string_view words = words_of(before.substr(line_end + 1));
  if (words.empty() && line_end != npos) {
    const std::string_view above = without_trailing(before.substr(0, line_end), " \t\n");
    const std::size_t above_begin = above.rfind('\n');
    const std::string_view line = without_leading(above.substr(above_begin + 1), " \t>|#");
    const bool is_fence = line.starts_with("```") || line.starts_with("~~~");
    words = is_fence || (above_begin == npos && from != 0) ? "" : words_of(line);
  }
  return words.size() > longest_label ? "" : words;
}

/// One pass over a page. Nothing is read twice, so the time is linear for every page.
class Finder {
 public:
  explicit Finder(const Page& page) : page_(page), text_(page.text()), zones_(find_zones(page)) {}

  std::vector<Printed> find() {
    while (at_ < text_.size()) {
      switch (text_[at_++]) {
        case '\n': line_begin_ = at_; break;
        case '(':
        case '<': try_form(); break;
        case '[': try_list(); break;
        default: break;
      }
    }
    return std::move(found_);
  }

 private:
  void try_form() {
    const std::string_view form = find_form(text_.substr(free_from_, at_ - free_from_));
    const std::size_t begin = at_ - form.size();
    if (form.empty() || is_in_statement(begin)) {
      return;
    }
    Cursor cursor(text_, at_, text_.substr(line_begin_, begin - line_begin_));
    note(read_form(form, begin, cursor), begin, cursor.at);
  }

  /// Returns true if it belongs to a program: after an "=", as an operand or an argument.
  bool is_in_statement(std::size_t begin) const {
    const std::string_view line = without_trailing(text_.substr(line_begin_, begin - line_begin_), " \t");
    constexpr std::string_view before = "=(,+-*/@";
    return zones_.at(begin) == Zone::code && !line.empty() && before.find(line.back()) != npos;
  }

  void try_list() {
    const std::size_t bracket = --at_;
    constexpr std::size_t farthest = 200;
    const std::size_t from = std::max({line_begin_, free_from_, bracket - std::min(bracket, farthest)});
    const Zone zone = zones_.at(bracket);
    Cursor cursor(text_, at_, text_.substr(line_begin_, bracket - line_begin_));
    std::optional<Printed> printed = read_list(cursor);
    const bool is_output = zone == Zone::output || zone == Zone::comment;
    if (!is_output || !may_begin_list(text_.substr(from, bracket - from), zone == Zone::comment)) {
      printed.reset();
    }
    note(std::move(printed), bracket, std::max(cursor.at, bracket + 1));
  }

  /// Records what was read from `begin` on, if anything, and continues after it; otherwise continues at `end`.
  void note(std::optional<Printed> printed, std::size_t begin, std::size_t end) {
    if (printed) {
      end = begin + printed->text.size();
      read_heading_and_label(*printed, begin, end);
      free_from_ = end;
      printed->cells.shrink_to_fit();
      found_.push_back(std::move(*printed));
    }
    const std::size_t line_end = text_.substr(at_, end - at_).rfind('\n');
    line_begin_ = line_end == npos ? line_begin_ : at_ + line_end + 1;
    at_ = end;
  }

  void read_heading_and_label(Printed& printed, std::size_t begin, std::size_t end) const {
    const std::string_view words = without_trailing(text_.substr(free_from_, begin - free_from_), " \t\n>|#");
    constexpr std::string_view heading = "Parameter containing:";
    if (words.ends_with(heading)) {
      begin = free_from_ + words.size() - heading.size();
      printed.text = text_.substr(begin, end - begin);
    }
    printed.place = page_.place(begin);
    const std::string_view label = find_label(text_, free_from_, begin);
    const auto label_begin = static_cast<std::size_t>(label.empty() ? 0 : label.data() - text_.data());
    printed.label = page_.place(label_begin).cell == printed.place.cell ? label : "";
  }

  const Page& page_;
  std::string_view text_;
  Zones zones_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;  ///< beginning of the line that contains at_
  std::size_t free_from_ = 0;   ///< end of the last printed thing
  std::vector<Printed> found_;
};

}  // namespace

std::vector<Printed> find_printed(const Page& page) { return Finder(page).find(); }

std::string_view unread_form(const Page& page) {
  return text::contains_any(page.text(), "Vector{Float|Matrix{Float|Array{Float")
             ? "Julia's arrays are not read; print them as nested lists, such as [[0.43, 0.15], [0.55, 0.87]]"
             : "";
}

}  // namespace attn::verify
