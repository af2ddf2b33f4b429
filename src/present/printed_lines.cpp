#include "present/printed_lines.hpp"

#include <algorithm>

#include "text/columns.hpp"

namespace attn::present {

PrintedLines::PrintedLines(std::string text, Parts reversed) : text_(std::move(text)), reversed_(std::move(reversed)) {
  for (std::size_t begin = 0; begin < text_.size();) {
    begins_.push_back(begin);
    begin = std::min(text_.find('\n', begin), text_.size()) + 1;
  }
}

std::int64_t PrintedLines::columns() const {
  std::int64_t columns = 0;
  for (std::size_t line = 0; line < count(); ++line) {
    columns = std::max(columns, text::display_columns(plain(line)));
  }
  return columns;
}

std::string_view PrintedLines::plain(std::size_t line) const {
  const std::string_view rest = std::string_view(text_).substr(begins_.at(line));
  return rest.substr(0, rest.find('\n'));
}

text::StyledLine PrintedLines::styled(std::size_t line) const {
  const std::string_view plain_line = plain(line);
  const std::size_t begin = begins_[line];
  text::StyledLine styled_line;
  std::size_t done = 0;
  auto part = std::lower_bound(reversed_.begin(), reversed_.end(), std::pair(begin, std::size_t{0}));
  for (; part != reversed_.end() && part->first < begin + plain_line.size(); ++part) {
    text::append(styled_line, plain_line.substr(done, part->first - begin - done));
    text::append(styled_line, plain_line.substr(part->first - begin, part->second), {.reverse = true});
    done = part->first - begin + part->second;
  }
  text::append(styled_line, plain_line.substr(done));
  return styled_line;
}

}  // namespace attn::present
