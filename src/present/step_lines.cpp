#include "present/step_lines.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "lesson/compared.hpp"
#include "lesson/printed.hpp"
#include "picture/heatmap.hpp"
#include "text/columns.hpp"
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

Face words_alone(const std::string& words, std::int64_t width) {
  const std::string text = text::joined(text::wrapped(words, std::max<std::int64_t>(width, 1)), "\n");
  return {std::make_shared<PrintedLines>(torch::PrintedTensor{text, {}}, 1), {}};
}

/// Explains why there is no map of differences; empty if there is one.
std::string no_difference(const Step& as_is, const Step* changed, const render::TextOptions& options) {
  if (changed == nullptr) {
    return "no " + as_is.name + " here: the change removes it";
  }
  const std::string_view alike = render::likeness(as_is, *changed, options);
  if (alike == "same as before" || as_is.kind != Step::Kind::tensor) {
    return alike.empty() ? "it differs, but has no cells" : std::string(alike);
  }
  if (as_is.tensor->shape() != changed->tensor->shape()) {
    return "the shapes differ: " + shape_text(as_is.tensor->shape()) + " originally, " +
           shape_text(changed->tensor->shape()) + " changed";
  }
  return as_is.tensor->dtype() == changed->tensor->dtype() ? "" : "the types differ";
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

Face difference_face(const Step& as_is, const Step* changed, const Presentation& presentation,
                     const render::Terminal& terminal) {
  const std::string words = no_difference(as_is, changed, presentation.text);
  if (!words.empty()) {
    return words_alone(words, terminal.width);
  }
  const torch::PrintOptions& print = presentation.text.print;
  render::HeatMap map(*as_is.tensor, *changed->tensor, presentation.tokens, print, terminal);
  return {std::make_shared<HeatMapLines>("", std::move(map)), cells_of(as_is, render::HeatMap::with_edges(print))};
}

namespace {

std::optional<std::int64_t> rank_of(std::int64_t item, const torch::ShownItems& items) {
  if (item >= 0 && item < items.head_end) {
    return item;
  }
  const bool is_in_tail = item >= items.tail_begin && item < items.size;
  return is_in_tail ? std::optional(item - items.tail_begin + items.head_end) : std::nullopt;
}

}  // namespace

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

}  // namespace attn::present
