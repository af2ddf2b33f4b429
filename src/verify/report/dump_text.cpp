#include <algorithm>
#include <ostream>

#include "verify/report/dump.hpp"

namespace attn::port {

void write_text(std::ostream& out, const Report& report) {
  const std::vector<Row> rows = rows_of(report);
  std::size_t name_width = 0;
  std::size_t shape_width = 0;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.name.size());
    shape_width = std::max(shape_width, row.shape.size());
  }
  for (const Row& row : rows) {
    out << row.mark << ' ' << row.name << std::string(name_width - row.name.size() + 2, ' ') << row.shape
        << std::string(shape_width - row.shape.size() + 2, ' ') << row.result << '\n';
    for (const std::string& line : row.details) {
      out << "    " << line << '\n';
    }
  }
  out << '\n' << summary_of(report);
}

}  // namespace attn::port
