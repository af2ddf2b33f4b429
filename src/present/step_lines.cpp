#include "present/step_lines.hpp"

#include <algorithm>
#include <utility>

#include "lesson/printed.hpp"
#include "picture/heatmap.hpp"
#include "text/lines.hpp"

namespace attn::present {
namespace {

/// A heat map below its label.
class HeatMapLines final : public StepLines {
 public:
  HeatMapLines(std::string_view label, render::HeatMap map) : label_(text::styled_lines(label)), map_(std::move(map)) {}

  std::size_t count() const override { return label_.size() + static_cast<std::size_t>(map_.count()); }

  text::StyledLine line(std::size_t i, const std::optional<render::GridCell>& chosen) const override {
    return i < label_.size() ? label_[i] : map_.line(static_cast<std::int64_t>(i - label_.size()), chosen);
  }

  std::int64_t columns() const override {
    std::int64_t columns = map_.columns();
    for (const text::StyledLine& line : label_) {
      columns = std::max(columns, text::display_columns(line));
    }
    return columns;
  }

  render::CellPlace place(const render::GridCell& cell) const override {
    render::CellPlace place = map_.place(cell);
    place.line += static_cast<std::int64_t>(label_.size());
    return place;
  }

 private:
  std::vector<text::StyledLine> label_;
  render::HeatMap map_;
};

ShownCells cells_of(const Step& step, const torch::PrintOptions& print) {
  const bool has_cells = step.kind == Step::Kind::tensor && element_count(step.tensor->shape()) > 0;
  return has_cells ? ShownCells(step.tensor->shape(), print) : ShownCells();
}

std::optional<std::int64_t> rank_of(std::int64_t item, const torch::ShownItems& items) {
  if (item >= 0 && item < items.head_end) {
    return item;
  }
  const bool is_in_tail = item >= items.tail_begin && item < items.size;
  return is_in_tail ? std::optional(item - items.tail_begin + items.head_end) : std::nullopt;
}

}  // namespace

PrintedLines::PrintedLines(torch::PrintedTensor printed, std::int64_t cells_in_row, std::vector<bool> changed)
    : printed_(std::move(printed)), in_row_(cells_in_row), changed_(std::move(changed)) {
  for (std::size_t begin = 0; begin < printed_.text.size();) {
    begins_.push_back(begin);
    begin = std::min(printed_.text.find('\n', begin), printed_.text.size()) + 1;
  }
}

text::StyledLine PrintedLines::line(std::size_t i, const std::optional<render::GridCell>& chosen) const {
  const std::string_view all = printed_.text;
  const std::size_t end = std::min(all.find('\n', begins_.at(i)), all.size());
  const std::int64_t chosen_rank = chosen ? chosen->row * in_row_ + chosen->column : -1;
  text::StyledLine line;
  std::size_t done = begins_[i];
  for (auto cell = std::ranges::lower_bound(printed_.cells, done, {}, &torch::PrintedCell::offset);
       cell != printed_.cells.end() && cell->offset < end; ++cell) {
    const auto rank = cell - printed_.cells.begin();
    const bool is_marked = chosen ? rank == chosen_rank : !changed_.empty() && changed_[static_cast<std::size_t>(rank)];
    if (is_marked) {
      text::append(line, all.substr(done, cell->offset - done));
      text::append(line, all.substr(cell->offset, cell->size), {.reverse = true});
      done = cell->offset + cell->size;
    }
  }
  text::append(line, all.substr(done, end - done));
  return line;
}

std::int64_t PrintedLines::columns() const {
  std::int64_t columns = 0;
  for (std::size_t i = 0; i < count(); ++i) {
    columns = std::max(columns, text::display_columns(line(i, {})));
  }
  return columns;
}

render::CellPlace PrintedLines::place(const render::GridCell& cell) const {
  const torch::PrintedCell& place = printed_.cells.at(static_cast<std::size_t>(cell.row * in_row_ + cell.column));
  const auto begin = std::ranges::upper_bound(begins_, place.offset) - 1;
  const std::string_view before = std::string_view(printed_.text).substr(*begin, place.offset - *begin);
  return {begin - begins_.begin(), text::display_columns(before), static_cast<std::int64_t>(place.size)};
}

Face printed_face(const Step& step, const Step* before, const render::TextOptions& options) {
  const ShownCells shown = cells_of(step, options.print);
  torch::PrintedTensor printed = render::printed_step(step, options);
  std::vector<bool> changed;
  if (before != nullptr) {
    const torch::PrintedTensor printed_before = render::printed_step(*before, options);
    changed.resize(printed.cells.size());
    for (std::size_t i = 0; i < changed.size() && changed.size() == printed_before.cells.size(); ++i) {
      changed[i] =
          torch::cell_text(printed, printed.cells[i]) != torch::cell_text(printed_before, printed_before.cells[i]);
    }
  }
  const std::int64_t in_row = std::max<std::int64_t>(shown.columns(), 1);
  return {std::make_shared<PrintedLines>(std::move(printed), in_row, std::move(changed)), shown};
}

Face heatmap_face(const Step& step, const Presentation& presentation, const render::Terminal& terminal) {
  if (step.kind != Step::Kind::tensor) {
    return printed_face(step, nullptr, presentation.text);
  }
  const torch::PrintOptions& print = presentation.text.print;
  render::HeatMap map(*step.tensor, presentation.tokens, print, terminal);
  return {std::make_shared<HeatMapLines>(text::trimmed(step.label), std::move(map)),
          cells_of(step, render::HeatMap::with_edges(print))};
}

ShownCells::ShownCells(const Shape& shape, const torch::PrintOptions& print)
    : axes_(torch::shown_items(shape, print)), rows_(1), columns_(axes_.empty() ? 1 : axes_.back().count()) {
  for (std::size_t axis = 0; axis + 1 < axes_.size(); ++axis) {
    rows_ *= axes_[axis].count();
  }
}

Shape ShownCells::index(const render::GridCell& cell) const {
  Shape index(axes_.size());
  std::int64_t rank = cell.row * columns_ + cell.column;
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    index[axis] = axes_[axis].item(rank % axes_[axis].count());
    rank /= axes_[axis].count();
  }
  return index;
}

std::optional<render::GridCell> ShownCells::find(const Shape& index) const {
  if (empty() || index.size() != axes_.size()) {
    return std::nullopt;
  }
  std::int64_t rank = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const std::optional<std::int64_t> in_axis = rank_of(index[axis], axes_[axis]);
    if (!in_axis) {
      return std::nullopt;
    }
    rank = rank * axes_[axis].count() + *in_axis;
  }
  return render::GridCell{rank / columns_, rank % columns_};
}

void ScrolledLines::set(std::shared_ptr<const StepLines> step, Lines others) {
  step_ = std::move(step);
  others_ = std::move(others);
}

void ScrolledLines::keep_within(std::int64_t rows) {
  top_ = std::clamp<std::int64_t>(top_, 0, std::max<std::int64_t>(count() - rows, 0));
}

void ScrolledLines::to_begin() {
  top_ = 0;
  left_ = 0;
}

void ScrolledLines::to_see(const render::CellPlace& place, std::int64_t rows, std::int64_t columns) {
  const auto seen_from = [](std::int64_t begin, std::int64_t size, std::int64_t from, std::int64_t room) {
    if (begin < from) {
      return begin + size <= room ? 0 : begin;
    }
    return std::max(from, std::min(begin, begin + size - room));
  };
  top_ = seen_from(place.line, 1, top_, rows);
  left_ = seen_from(place.column, place.width, left_, columns);
}

bool ScrolledLines::scroll(Key key, std::int64_t rows, std::int64_t columns) {
  const std::int64_t screenful = std::max<std::int64_t>(rows - 1, 1);
  const std::int64_t sideways = std::max<std::int64_t>(columns / 4, 1);
  switch (key) {
    case keys::up: --top_; break;
    case keys::down: ++top_; break;
    case keys::page_up: top_ -= screenful; break;
    case keys::page_down: top_ += screenful; break;
    case keys::home: to_begin(); break;
    case keys::end: top_ = count(); break;
    case keys::left: left_ = std::max<std::int64_t>(left_ - sideways, 0); break;
    case keys::right: left_ = std::clamp<std::int64_t>(widest() - columns, 0, left_ + sideways); break;
    default: return false;
  }
  keep_within(rows);
  return true;
}

Lines ScrolledLines::seen(std::int64_t rows, std::int64_t columns,
                          const std::optional<render::GridCell>& chosen) const {
  Lines part(static_cast<std::size_t>(std::max<std::int64_t>(rows, 0)));
  for (std::int64_t row = 0; row < std::min(rows, count() - top_); ++row) {
    const std::int64_t i = top_ + row;
    const text::StyledLine line = i < step_count() ? step_->line(static_cast<std::size_t>(i), chosen)
                                                   : others_[static_cast<std::size_t>(i - step_count())];
    part[static_cast<std::size_t>(row)] = text::sliced(line, left_, columns);
  }
  return part;
}

std::int64_t ScrolledLines::widest() const {
  std::int64_t widest = step_ == nullptr ? 0 : step_->columns();
  for (const text::StyledLine& other : others_) {
    widest = std::max(widest, text::display_columns(other));
  }
  return widest;
}

std::string ScrolledLines::place(std::int64_t rows) const {
  if (count() <= rows) {
    return "";
  }
  return std::to_string(top_ + 1) + "-" + std::to_string(std::min(top_ + rows, count())) + " of " +
         std::to_string(count()) + " lines  ";
}

}  // namespace attn::present
