#include "emit/emitters.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <variant>

#include "text/numbers.hpp"
#include "text/utf8.hpp"

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

/// The list of an axis and those within it, starting at a column; `next` is the next number.
template <class T>
std::string list_from(const Block<T>& values, std::size_t& next, std::size_t axis, std::size_t column,
                      std::string_view module) {
  const Shape& shape = values.shape();
  if (axis == shape.size()) {
    return number(values[next++], module);
  }
  const bool is_innermost = axis + 1 == shape.size();
  const bool is_block = axis == 0 && (!is_innermost || shape[axis] > 5);  // starts on its own line
  const std::size_t inner = is_block ? 4 : column + 1;
  const std::string line_break = "\n" + std::string(inner, ' ');
  std::string list = is_block ? "[" + line_break : "[";
  std::size_t at = inner;
  for (std::int64_t i = 0; i < shape[axis]; ++i) {
    const std::string item = list_from(values, next, axis + 1, inner, module);
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

constexpr std::string_view reader = R"(
class Weights(dict):
    """The tensors of .safetensors files as float32, each read when it is asked for."""

    def __init__(self, *files):
        for path in files:
            with open(path, "rb") as file:
                size = int.from_bytes(file.read(8), "little")
                for name, entry in json.loads(file.read(size)).items():
                    self[name] = (path, 8 + size, entry)

    def __getitem__(self, name):
        path, data, entry = super().__getitem__(name)
        begin, end = entry["data_offsets"]
        with open(path, "rb") as file:
            file.seek(data + begin)
            numbers = file.read(end - begin)
        if entry["dtype"] == "BF16":  # the upper half of a float32
            values = (np.frombuffer(numbers, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(numbers, {"F16": np.float16, "F32": np.float32, "F64": np.float64}[entry["dtype"]])
        return )";

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
    name += text::is_letter(c) || text::is_digit(c) ? c : '_';
  }
  return name.empty() || text::is_digit(name[0]) ? "_" + name : name;
}

std::string list_literal(const Tensor& tensor, std::string_view module) {
  const auto contents = tensor.array().contents();
  std::size_t next = 0;
  return std::visit([&](const auto& values) { return list_from(values, next, 0, 40, module); }, *contents);
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

std::string weights_class(const std::vector<std::string>& files, std::string_view result) {
  if (files.empty()) {
    return "";
  }
  std::string list = files.size() == 1 ? string_literal(files[0]) : "\n";
  for (std::size_t i = 0; files.size() > 1 && i < files.size(); ++i) {
    list += "    " + string_literal(files[i]) + ",\n";
  }
  return std::string(reader) + std::string(result) + "\n\n\nweights = Weights(" + list + ")\n";
}

}  // namespace attn::emit
