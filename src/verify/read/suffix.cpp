#include "verify/read/suffix.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "text/ascii.hpp"
#include "text/numbers.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t longest_value = 256;

bool is_key_part(char c) { return text::is_letter(c) || c == '_'; }
bool is_word_part(char c) { return is_key_part(c) || text::is_digit(c) || c == '.' || c == ':' || c == '-'; }

template <class Condition>
std::string_view leading(std::string_view text, Condition condition) {
  const std::string_view head = text.substr(0, longest_value);
  return head.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(head, condition) - head.begin()));
}

/// Returns true for the keys that PyTorch and numpy print after a tensor's numbers.
bool is_key(std::string_view word) { return is_among(word, "device dtype grad_fn requires_grad shape size weak_type"); }

/// The value at a text's start with its brackets or quotes; if they are not closed, its words.
std::string_view value_at(std::string_view text) {
  text = text.substr(0, longest_value);
  text = text.substr(0, text.find('\n'));
  if (text.empty()) {
    return text;
  }
  constexpr std::string_view opening = "<('\"";
  constexpr std::string_view closing = ">)'\"";
  const std::size_t kind = opening.find(text.front());
  if (kind == npos) {
    return leading(text, is_word_part);
  }
  const std::size_t end = text.find(closing[kind], 1);
  return end == npos ? text.substr(0, 1 + leading(text.substr(1), is_word_part).size()) : text.substr(0, end + 1);
}

/// The numbers in "(0, 3)" or "[6][x: 3]".
Shape numbers_in(std::string_view text) {
  Shape sizes;
  while (!text.empty()) {
    const std::string_view digits = leading(text, text::is_digit);
    if (const auto size = text::number_of<std::int64_t>(digits)) {
      sizes.push_back(*size);
    }
    text.remove_prefix(std::max<std::size_t>(1, digits.size()));
  }
  return sizes;
}

std::string_view name_in(std::string_view value) {
  value.remove_prefix(value.starts_with('<') ? 1 : 0);
  return value.substr(0, value.find_first_of(" >"));
}

void note(std::string_view key, std::string_view value, Printed& printed, Suffix& suffix) {
  if (key == "grad_fn") {
    printed.grad_fn = name_in(value);
  } else if (key == "dtype") {
    suffix.dtype = value;
    printed.is_bool = printed.is_bool || value.ends_with("bool");
  } else if ((key == "size" || key == "shape") && printed.cells.empty()) {
    printed.shape = numbers_in(value);
    printed.shown_before_gap.assign(printed.shape.size(), -1);
  }
}

/// Reads "dtype=torch.float64"; false if the cursor is at something else.
bool read_pair(Cursor& cursor, Printed& printed, Suffix& suffix) {
  const std::string_view key = leading(cursor.rest(), is_key_part);
  if (!is_key(key)) {
    return false;
  }
  Cursor ahead = cursor;
  ahead.advance(key.size());
  ahead.skip_spaces();
  if (ahead.peek() != '=') {
    return false;
  }
  ahead.advance(1);
  ahead.skip_spaces();
  const std::string_view value = value_at(ahead.rest());
  note(key, value, printed, suffix);
  ahead.advance(value.size());
  cursor.advance(ahead.at() - cursor.at());
  return true;
}

/// Skips "EXLA.Backend<host:0, 0.1.2.3>" or "Torchx.Backend(cpu)".
void skip_nx_backend(Cursor& cursor) {
  const std::string_view name = leading(cursor.rest(), [](char c) { return text::is_letter(c) || c == '.'; });
  if (!name.ends_with("Backend")) {
    return;
  }
  cursor.advance(name.size());
  if (cursor.peek() == '<' || cursor.peek() == '(') {
    cursor.advance(value_at(cursor.rest()).size());
  }
}

}  // namespace

Suffix read_suffix(Cursor& cursor, Printed& printed) {
  Suffix suffix;
  suffix.end = cursor.at();
  while (true) {
    suffix.new_line = cursor.skip();
    const char c = cursor.peek();
    if (c == ')') {
      cursor.advance(1);
      suffix.end = cursor.at();
      suffix.closed = true;
      return suffix;
    }
    if (c == ']') {
      cursor.advance(1);
    } else if (c == ',') {
      Cursor ahead = cursor;
      ahead.advance(1);
      const bool new_line = ahead.skip();
      if (!read_pair(ahead, printed, suffix)) {
        suffix.new_line = suffix.new_line || new_line;
        return suffix;
      }
      cursor.advance(ahead.at() - cursor.at());
    } else if (!read_pair(cursor, printed, suffix)) {
      return suffix;
    }
    suffix.end = cursor.at();
  }
}

bool read_nx_type(Cursor& cursor, Shape& shape) {
  cursor.skip();
  const std::string_view near = cursor.rest().substr(0, longest_value);
  const std::string_view line = near.substr(0, near.find('\n'));
  const std::string_view letters = leading(line, text::is_letter);
  const std::string_view bits = leading(line.substr(letters.size()), text::is_digit);
  if (!is_among(letters, "f s u bf c") || bits.empty()) {
    return false;
  }
  cursor.advance(letters.size() + bits.size());
  // [6][3] belongs to the type only if the brackets contain only sizes, on the same line.
  std::string_view rest = line.substr(letters.size() + bits.size());
  while (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    const Shape sizes = end == npos ? Shape{} : numbers_in(rest.substr(0, end));
    if (sizes.size() != 1) {
      break;
    }
    shape.push_back(sizes.front());
    cursor.advance(end + 1);
    rest.remove_prefix(end + 1);
  }
  cursor.skip();
  skip_nx_backend(cursor);
  return true;
}

}  // namespace attn::verify
