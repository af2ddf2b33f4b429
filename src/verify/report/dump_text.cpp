#include <algorithm>
#include <ostream>

#include "verify/report/dump.hpp"

namespace attn::verify {

void write_text(std::ostream& out, const PortReport& report) {
  const std::vector<Row> rows = rows_of(report);
  std::size_t name_width = 0;
  std::size_t shape_width = 0;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.judged ? row.name.size() : 0);
    shape_width = std::max(shape_width, row.judged ? row.shape.size() : 0);
  }
  const auto padded = [](const std::string& words, std::size_t width) {
    return words + std::string(width - words.size() + 2, ' ');
  };
  for (const Row& row : rows) {
    out << row.mark << ' '
        << (row.judged ? padded(row.name, name_width) + padded(row.shape, shape_width)
                       : row.name + ' ' + row.shape + ": ")
        << row.result << '\n';
    for (const std::string& line : row.details) {
      out << "    " << line << '\n';
    }
  }
  out << '\n' << summary_of(report);
}

}  // namespace attn::verify
