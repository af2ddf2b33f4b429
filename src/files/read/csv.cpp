
#include "files/read/formats.hpp"
#include "files/wrong.hpp"
#include "tensor/array.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::files {
namespace {

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
  const std::optional<double> number = text::number_of<double>(cell);
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
    cells.push_back(text::trimmed(row.substr(0, end)));
    row = more ? row.substr(end + 1) : "";
    if (separator == ' ') {
      row = text::trimmed(row);
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
  const std::size_t colon = line.rfind(": ");
  const std::size_t bracket = line.find(" [", std::min(colon, line.size()));
  if (!line.starts_with("# ") || bracket == std::string_view::npos || !line.ends_with(']') || colon < 3) {
    return {};
  }
  Dumped told = {
      std::string(line.substr(2, colon - 2)), {}, std::string(line.substr(colon + 2, bracket - colon - 2)), {}};
  const std::string_view sizes = line.substr(bracket + 2, line.size() - bracket - 3);
  for (const std::string& size : sizes.empty() ? std::vector<std::string>() : text::split(sizes)) {
    told.shape.push_back(text::number_of<std::int64_t>(text::trimmed(size)).value_or(-1));
  }
  const bool is_ours = (told.dtype == "float32" || told.dtype == "int64" || told.dtype == "bool") &&
                       std::ranges::all_of(told.shape, [](std::int64_t size) { return size > 0; });
  return is_ours ? told : Dumped();
}

/// A matrix with the name, dtype and shape that its file states. Throws Wrong if the number of elements differs.
Dumped as_told(const Dumped& matrix, Dumped told) {
  std::vector<double> values = matrix.values;
  if (byte_count(told.shape, encoding_of(&Encoding::name, "bool")) != std::ssize(values)) {
    throw Wrong("its first line says " + shape_text(told.shape) + ", and it has " + std::to_string(matrix.shape[0]) +
                    " rows of " + std::to_string(matrix.shape[1]),
                "correct that line, or leave it out", "a shape needs as many numbers as it says");
  }
  if (told.dtype == "float32") {
    std::ranges::transform(values, values.begin(), [](double x) { return static_cast<double>(static_cast<float>(x)); });
  }
  told.values = std::move(values);
  return told;
}

}  // namespace

std::vector<Dumped> parse_csv(const Bytes& bytes, const std::string& name, const Wanted& wanted) {
  check_memory(static_cast<std::int64_t>(bytes.size() * (2 + sizeof(double))));
  std::vector<std::string> lines = text::lines_of(bytes.piece(0, bytes.size()));
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (!lines.empty() && lines[0].starts_with(byte_order_mark)) {
    lines[0].erase(0, byte_order_mark.size());
  }
  std::vector<double> values;
  std::size_t rows = 0;
  std::size_t columns = 0;
  char separator = ' ';
  Dumped told;
  std::size_t header = 0;   // its cells
  bool have_names = false;  // the rows, each in its first cell
  for (std::size_t line = 1; line <= lines.size(); ++line) {
    const std::string_view row = text::trimmed(lines[line - 1]);
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
    if (rows > 0 && cells.size() != columns) {
      throw_bad_row(line,
                    std::to_string(cells.size()) + " numbers, but " + std::to_string(columns) + " in the first row");
    }
    columns = cells.size();
    ++rows;
  }
  if (rows == 0) {
    throw Wrong("it has no rows of numbers", "write it again with numpy.savetxt(path, matrix)");
  }
  Dumped matrix = {
      name, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}, "float64", std::move(values)};
  return one_if_wanted(told.name.empty() ? std::move(matrix) : as_told(matrix, std::move(told)), wanted);
}

}  // namespace attn::files
