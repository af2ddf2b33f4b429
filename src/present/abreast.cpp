#include "present/abreast.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "text/columns.hpp"

namespace attn::present {
namespace {

constexpr std::int64_t gap = 3;

/// A slice's measures in display columns.
struct Measured {
  Slice slice;
  std::int64_t indent;  ///< blank columns at the left of all its lines
  std::int64_t width;   ///< of its longest line, with the indent
};

/// The widths of the columns if `per_row` slices stand side by side; the first keeps its indent.
std::vector<std::int64_t> widths_of(const std::vector<std::vector<Measured>>& groups, std::size_t per_row) {
  std::vector<std::int64_t> widths(per_row);
  for (const std::vector<Measured>& group : groups) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::size_t column = i % per_row;
      widths[column] = std::max(widths[column], group[i].width - (column == 0 ? 0 : group[i].indent));
    }
  }
  return widths;
}

std::int64_t total(const std::vector<std::int64_t>& widths) {
  std::int64_t sum = -gap;
  for (const std::int64_t width : widths) {
    sum += width + gap;
  }
  return sum;
}

/// Measures the slices; empty if one of them is too wide to have another beside it.
std::vector<std::vector<Measured>> measured(const StepLines& lines, const SliceGroups& groups, std::int64_t columns) {
  std::vector<std::vector<Measured>> result;
  for (const std::vector<Slice>& group : groups) {
    result.emplace_back();
    for (const Slice& slice : group) {
      Measured one = {slice, columns, 0};
      for (std::size_t line = slice.begin; line < slice.end; ++line) {
        const std::string text = text::plain_text(lines.styled(line, {}));
        one.indent =
            std::min(one.indent, static_cast<std::int64_t>(std::min(text.find_first_not_of(' '), text.size())));
        one.width = std::max(one.width, text::display_columns(text));
        if (one.width > columns) {
          return {};
        }
      }
      result.back().push_back(one);
    }
  }
  return result;
}

class Abreast final : public StepLines {
 public:
  Abreast(std::shared_ptr<const StepLines> lines, const std::vector<std::vector<Measured>>& groups, std::size_t per_row,
          const std::vector<std::int64_t>& widths)
      : lines_(std::move(lines)), columns_(std::max(total(widths), std::int64_t{0})), places_(lines_->count()) {
    for (std::size_t line = 0; line < groups.front().front().slice.begin; ++line) {
      add_alone(line);
    }
    for (const std::vector<Measured>& group : groups) {
      for (std::size_t first = 0; first < group.size(); first += per_row) {
        if (&group != &groups.front() || first > 0) {
          rows_.emplace_back();
        }
        add_row({group.begin() + static_cast<std::ptrdiff_t>(first),
                 group.begin() + static_cast<std::ptrdiff_t>(std::min(first + per_row, group.size()))},
                widths);
      }
    }
    for (std::size_t line = groups.back().back().slice.end; line < lines_->count(); ++line) {
      add_alone(line);
    }
  }

  std::size_t count() const override { return rows_.size(); }

  text::StyledLine styled(std::size_t row, const render::CellMarks& marks) const override {
    text::StyledLine result;
    for (const Piece& piece : rows_.at(row)) {
      text::append(result, std::string(static_cast<std::size_t>(piece.column - text::display_columns(result)), ' '));
      const text::StyledLine line = lines_->styled(piece.line, marks);
      for (const text::Run& run : text::sliced(line, piece.indent, text::display_columns(line) - piece.indent)) {
        text::append(result, run.text, run.style);
      }
    }
    return result;
  }

  std::int64_t columns() const override { return columns_; }

  render::CellPlace place(const render::GridCell& cell) const override {
    render::CellPlace place = lines_->place(cell);
    const auto [row, shift] = places_.at(static_cast<std::size_t>(place.line));
    return {static_cast<std::int64_t>(row), place.column + shift, place.width};
  }

 private:
  /// A line without its indent, from this column on.
  struct Piece {
    std::size_t line;
    std::int64_t indent;
    std::int64_t column;
  };
  struct Place {
    std::size_t row;
    std::int64_t shift;
  };

  void add(std::size_t row, const Piece& piece) {
    rows_[row].push_back(piece);
    places_[piece.line] = {row, piece.column - piece.indent};
  }

  void add_alone(std::size_t line) {
    rows_.emplace_back();
    add(rows_.size() - 1, {line, 0, 0});
    columns_ = std::max(columns_, text::display_columns(lines_->styled(line, {})));
  }

  void add_row(const std::vector<Measured>& slices, const std::vector<std::int64_t>& widths) {
    const std::size_t top = rows_.size();
    std::int64_t column = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto& [slice, indent, width] = slices[i];
      rows_.resize(std::max(rows_.size(), top + slice.end - slice.begin));
      for (std::size_t line = slice.begin; line < slice.end; ++line) {
        add(top + line - slice.begin, {line, i == 0 ? 0 : indent, column});
      }
      column += widths[i] + gap;
    }
  }

  std::shared_ptr<const StepLines> lines_;
  std::int64_t columns_;
  std::vector<std::vector<Piece>> rows_;
  std::vector<Place> places_;  ///< of each line
};

}  // namespace

SliceGroups printed_slices(const PrintedLines& lines) {
  SliceGroups groups;
  std::size_t begin = 0;
  while (begin < lines.count() && lines.plain(begin).find("tensor([[[") == std::string_view::npos) {
    ++begin;
  }
  for (std::size_t blank = 2; begin < lines.count();) {
    std::size_t end = begin;
    while (end < lines.count() && !lines.plain(end).empty()) {
      ++end;
    }
    if (blank > 1) {
      groups.emplace_back();
    }
    groups.back().push_back({begin, end});
    for (begin = end, blank = 0; begin < lines.count() && lines.plain(begin).empty(); ++begin) {
      ++blank;
    }
  }
  return groups;
}

std::shared_ptr<const StepLines> abreast(std::shared_ptr<const StepLines> lines, const SliceGroups& groups,
                                         std::int64_t columns) {
  std::size_t most = 0;
  for (const std::vector<Slice>& group : groups) {
    most = std::max(most, group.size());
  }
  const auto slices = most < 2 ? std::vector<std::vector<Measured>>() : measured(*lines, groups, columns);
  for (std::size_t rows = 1; !slices.empty() && rows < most; ++rows) {
    const std::size_t per_row = (most + rows - 1) / rows;
    const std::vector<std::int64_t> widths = widths_of(slices, per_row);
    if (total(widths) <= columns) {
      return std::make_shared<Abreast>(std::move(lines), slices, per_row, widths);
    }
  }
  return lines;
}

}  // namespace attn::present
