#include "files/csv.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "files/file.hpp"
#include "files/wrong.hpp"
#include "text/numbers.hpp"

namespace attn::dump {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

[[noreturn]] void throw_bad_row(std::size_t line, const std::string& what) {
  throw Wrong("line " + std::to_string(line) + ": " + what, "write it again with numpy.savetxt(path, matrix)",
              "every row must have as many numbers as the first, separated by commas, semicolons, tabs or spaces");
}

/// What a row's numbers are apart by; a space stands for one or more.
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

/// Appends a row's numbers; how many there are.
std::size_t read_row(std::string_view row, char separator, std::size_t line, std::vector<double>& values) {
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const std::size_t end = row.find(separator);
    more = end != std::string_view::npos;
    values.push_back(number_in(trimmed(row.substr(0, end)), line));
    row = more ? row.substr(end + 1) : "";
    if (separator == ' ') {
      row = trimmed(row);
    }
  }
  return count;
}

}  // namespace

Dumped parse_csv(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) {
    text.remove_prefix(byte_order_mark.size());
  }
  check_memory(static_cast<std::int64_t>(text.size()) * static_cast<std::int64_t>(sizeof(double)));
  std::vector<double> values;
  std::size_t rows = 0;
  std::size_t columns = 0;
  char separator = ' ';
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.empty() || row.starts_with('#')) {
      continue;
    }
    separator = rows == 0 ? separator_of(row) : separator;
    const std::size_t count = read_row(row, separator, line, values);
    columns = rows == 0 ? count : columns;
    if (count != columns) {
      throw_bad_row(line, std::to_string(count) + " numbers, but " + std::to_string(columns) + " in the first row");
    }
    ++rows;
  }
  if (rows == 0) {
    throw Wrong("it has no rows of numbers", "write it again with numpy.savetxt(path, matrix)");
  }
  return {"", {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}, "float64", std::move(values)};
}

}  // namespace attn::dump
