#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "files/read/formats.hpp"
#include "files/wrong.hpp"
#include "tensor/array.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::files {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

[[noreturn]] void throw_bad_row(std::size_t line, const std::string& what) {
  throw Wrong("line " + std::to_string(line) + ": " + what, "write it again with numpy.savetxt(path, matrix)",
              "every row must have as many numbers as the first, separated by commas, semicolons, tabs or spaces");
}

/// The separator of a row's numbers; a space stands for one or more.
char separator_of(std::string_view row) {
  for (const char separator : {';', ',', '\t'}) {
    if (row.find(separator) != std::string_view::npos) {
      return separator;
    }
  }
  return ' ';
}

double number_in(std::string_view cell, std::size_t line) {
  std::string_view digits = cell;
  if (digits.starts_with('+') && !digits.starts_with("+-")) {
    digits.remove_prefix(1);
  }
  const std::optional<double> number = text::number_of<double>(digits);
  if (!number) {
    constexpr std::size_t shown = 30;
    throw_bad_row(line,
                  cell.empty() ? "a cell is empty" : "'" + std::string(cell.substr(0, shown)) + "' is not a number");
  }
  return *number;
}

std::vector<std::string_view> cells_of(std::string_view row, char separator) {
  std::vector<std::string_view> cells;
  for (bool more = true; more;) {
    const std::size_t end = row.find(separator);
    more = end != std::string_view::npos;
    cells.push_back(without_blanks(row.substr(0, end)));
    row = more ? row.substr(end + 1) : "";
    if (separator == ' ') {
      row = without_blanks(row);
    }
  }
  return cells;
}

bool is_word(std::string_view cell) {
  return !cell.empty() && !text::number_of<double>(cell) &&
         std::string_view("0123456789+-.").find(cell[0]) == std::string_view::npos;
}

bool is_empty(std::string_view cell) { return cell.empty() || cell == R"("")"; }

/// Returns true for a row of names: a table's header, whose first cell may be empty.
bool is_header(const std::vector<std::string_view>& cells) {
  return is_empty(cells[0]) || std::ranges::all_of(cells, is_word);
}

/// Parses "# head_1/keys: float32 [2, 6, 3]"; for other lines the shape and the name are empty.
Dumped told_by(std::string_view line) {
  constexpr std::size_t most_axes = 64;
  const std::size_t colon = line.rfind(": ");
  const std::size_t bracket = line.find(" [", std::min(colon, line.size()));
  if (!line.starts_with("# ") || bracket == std::string_view::npos || !line.ends_with(']') || colon < 3) {
    return {};
  }
  Dumped told = {
      std::string(line.substr(2, colon - 2)), {}, std::string(line.substr(colon + 2, bracket - colon - 2)), {}};
  const std::string sizes(line.substr(bracket + 2, line.size() - bracket - 3));
  for (const std::string& size : sizes.empty() ? std::vector<std::string>() : text::split(sizes)) {
    told.shape.push_back(text::number_of<std::int64_t>(text::trimmed(size)).value_or(-1));
  }
  const bool is_ours = (told.dtype == "float32" || told.dtype == "int64" || told.dtype == "bool") &&
                       told.shape.size() <= most_axes &&
                       std::ranges::all_of(told.shape, [](std::int64_t size) { return size > 0; });
  return is_ours ? told : Dumped();
}

/// Gives a matrix the name, dtype and shape that its file states. Throws Wrong if the number of elements differs.
void take_told(Dumped& matrix, const Dumped& told) {
  std::int64_t count = 1;
  bool fits = told.shape.empty() || told.shape.back() == matrix.shape[1];
  for (const std::int64_t size : told.shape) {
    fits = fits && !__builtin_mul_overflow(count, size, &count);
  }
  if (!fits || count != std::ssize(matrix.values)) {
    throw Wrong("its first line says " + shape_text(told.shape) + ", and it has " + std::to_string(matrix.shape[0]) +
                    " rows of " + std::to_string(matrix.shape[1]),
                "correct that line, or leave it out", "a shape needs as many numbers as it says");
  }
  check_name(told.name);
  matrix.name = told.name;
  matrix.shape = told.shape;
  matrix.dtype = told.dtype;
  if (told.dtype == "float32") {
    std::vector<double> values = matrix.values;
    std::ranges::transform(values, values.begin(),
                           [](double value) { return static_cast<double>(static_cast<float>(value)); });
    matrix.values = std::move(values);
  }
}

}  // namespace

std::vector<Dumped> parse_csv(const Bytes& bytes, const std::string& name, const Wanted& wanted) {
  const std::string whole = text_of(bytes);
  std::string_view text = whole;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) {
    text.remove_prefix(byte_order_mark.size());
  }
  check_memory(static_cast<std::int64_t>(text.size()) * static_cast<std::int64_t>(sizeof(double)));
  std::vector<double> values;
  std::size_t rows = 0;
  std::size_t columns = 0;
  char separator = ' ';
  Dumped told;
  std::size_t header = 0;   // its cells
  bool have_names = false;  // the rows, each in its first cell
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.empty() || row.starts_with('#')) {
      told = line == 1 ? told_by(row) : told;
      continue;
    }
    separator = rows == 0 ? separator_of(row) : separator;
    std::vector<std::string_view> cells = cells_of(row, separator);
    if (rows == 0 && header == 0 && cells.size() > 1 && is_header(cells)) {
      header = cells.size();
      have_names = is_empty(cells[0]);
      continue;
    }
    have_names = have_names || (rows == 0 && cells.size() > 1 && (is_word(cells[0]) || cells.size() == header + 1));
    if (have_names) {
      cells.erase(cells.begin());
    }
    std::ranges::for_each(cells, [&](std::string_view cell) { values.push_back(number_in(cell, line)); });
    const std::size_t count = cells.size();
    columns = rows == 0 ? count : columns;
    if (count != columns) {
      throw_bad_row(line, std::to_string(count) + " numbers, but " + std::to_string(columns) + " in the first row");
    }
    ++rows;
  }
  if (rows == 0) {
    throw Wrong("it has no rows of numbers", "write it again with numpy.savetxt(path, matrix)");
  }
  Dumped matrix = {
      name, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}, "float64", std::move(values)};
  if (!told.name.empty()) {
    take_told(matrix, told);
  }
  return one_if_wanted(std::move(matrix), wanted);
}

}  // namespace attn::files
