#include "present/printed_lines.hpp"

#include <algorithm>
#include <utility>

#include "text/columns.hpp"

namespace attn::present {

PrintedLines::PrintedLines(std::string text, TextCells cells) : text_(std::move(text)), cells_(std::move(cells)) {
  find_begins();
}

PrintedLines::PrintedLines(std::string text, std::function<TextCells()> find)
    : text_(std::move(text)), find_(std::move(find)) {
  find_begins();
}

void PrintedLines::find_begins() {
  for (std::size_t begin = 0; begin < text_.size();) {
    begins_.push_back(begin);
    begin = std::min(text_.find('\n', begin), text_.size()) + 1;
  }
}

const TextCells& PrintedLines::cells() const {
  if (!cells_) {
    cells_ = find_();
  }
  return *cells_;
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

text::StyledLine PrintedLines::styled(std::size_t line, const render::CellMarks& marks) const {
  const std::string_view plain_line = plain(line);
  text::StyledLine styled_line;
  const bool has_marks = cells_ || marks.chosen || marks.rows != render::CellMarks().rows;
  if (!has_marks) {
    text::append(styled_line, plain_line);
    return styled_line;
  }
  const std::size_t begin = begins_[line];
  const std::vector<torch::PrintedCell>& all = cells().all;
  std::size_t done = begin;
  for (auto cell = std::ranges::lower_bound(all, begin, {}, &torch::PrintedCell::offset);
       cell != all.end() && cell->offset < begin + plain_line.size(); ++cell) {
    text::append(styled_line, std::string_view(text_).substr(done, cell->offset - done));
    append_cell(styled_line, static_cast<std::size_t>(cell - all.begin()), marks);
    done = cell->offset + cell->size;
  }
  text::append(styled_line, plain_line.substr(done - begin));
  return styled_line;
}

void PrintedLines::append_cell(text::StyledLine& line, std::size_t k, const render::CellMarks& marks) const {
  const torch::PrintedCell& place = cells().all[k];
  const auto rank = static_cast<std::int64_t>(k);
  const render::GridCell cell = {rank / cells().in_row, rank % cells().in_row};
  if (marks.hides(cell.row)) {
    return text::append(line, text::right_aligned("?", static_cast<std::int64_t>(place.size)));
  }
  const bool is_changed = !marks.chosen && k < cells().changed.size() && cells().changed[k];
  text::append(line, std::string_view(text_).substr(place.offset, place.size),
               {.reverse = is_changed || marks.chooses(cell)});
}

render::CellPlace PrintedLines::place(const render::GridCell& cell) const {
  const auto k = static_cast<std::size_t>(cell.row * cells().in_row + cell.column);
  if (k >= cells().all.size()) {
    return {0, 0, 0};
  }
  const torch::PrintedCell& place = cells().all[k];
  const auto begin = std::ranges::upper_bound(begins_, place.offset) - 1;
  return {begin - begins_.begin(), text::display_columns(std::string_view(text_).substr(*begin, place.offset - *begin)),
          static_cast<std::int64_t>(place.size)};
}

}  // namespace attn::present
