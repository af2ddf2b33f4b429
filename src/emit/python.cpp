#include "emit/python.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <variant>

#include "text/numbers.hpp"

namespace attn::emit {
namespace {

constexpr std::size_t most_columns = 112;  // statements may be within a function

std::string number(float value, std::string_view module) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? std::string(module) + ".nan" : (value < 0 ? "-" : "") + std::string(module) + ".inf";
  }
  const std::string text = text::float_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string number(bool value, std::string_view) { return value ? "True" : "False"; }

std::string number(std::int64_t value, std::string_view) { return std::to_string(value); }

/// Writes nested lists, row by row.
template <class T>
class Lists {
 public:
  Lists(const Block<T>& values, std::string_view module) : values_(values), module_(module) {}

  /// The list of an axis and those within it, starting at a column.
  std::string from(std::size_t axis, std::size_t column) {
    const Shape& shape = values_.shape();
    if (axis == shape.size()) {
      return number(values_[next_++], module_);
    }
    const bool is_innermost = axis + 1 == shape.size();
    const bool is_block = axis == 0 && (!is_innermost || shape[axis] > 5);  // starts on its own line
    const std::size_t inner = is_block ? 4 : column + 1;
    const std::string line_break = "\n" + std::string(inner, ' ');
    std::string list = is_block ? "[" + line_break : "[";
    std::size_t at = inner;
    for (std::int64_t i = 0; i < shape[axis]; ++i) {
      const std::string item = from(axis + 1, inner);
      if (i > 0) {
        const bool breaks = !is_innermost || at + 2 + item.size() + 1 > most_columns;
        list += breaks ? "," + line_break : ", ";
        at = breaks ? inner : at + 2;
      }
      list += item;
      at += item.size();
    }
    return list + (is_block ? ",\n]" : "]");
  }

 private:
  const Block<T>& values_;
  std::string_view module_;
  std::size_t next_ = 0;
};

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '\n') {
      literal += "\\n";
    } else if (c == '"' || c == '\\') {
      literal += std::string("\\") + c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      std::array<char, 5> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(c));
      literal += escape.data();
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

std::string identifier(std::string_view words) {
  std::string name;
  for (const char c : words) {
    name += is_word(c) ? c : '_';
  }
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "_" + name : name;
}

std::string list_literal(const Tensor& tensor, std::string_view module) {
  const auto contents = tensor.array().contents();
  return std::visit([&]<class T>(const Block<T>& values) { return Lists<T>(values, module).from(0, 40); }, *contents);
}

std::string wrapped_statement(const std::string& statement) {
  const bool has_lines_or_texts = statement.find_first_of("\n\"") != std::string::npos;
  if (statement.size() <= most_columns || has_lines_or_texts) {
    return statement;
  }
  std::string wrapped;
  std::size_t line_start = 0;
  std::size_t last_space = 0;  // the last space between two items of a bracket
  int depth = 0;
  for (const char c : statement) {
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    wrapped += c;
    if (c == ' ' && depth > 0 && wrapped[wrapped.size() - 2] == ',') {
      last_space = wrapped.size() - 1;
    }
    if (wrapped.size() - line_start > most_columns && last_space > line_start) {
      wrapped.replace(last_space, 1, "\n    ");
      line_start = last_space + 1;
    }
  }
  return wrapped;
}

}  // namespace attn::emit
