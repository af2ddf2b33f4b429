#include "present/stage.hpp"

#include <algorithm>
#include <utility>

#include "lesson/cell_words.hpp"
#include "lesson/derived.hpp"
#include "present/meeting.hpp"
#include "text/columns.hpp"

namespace attn::present {

using View = Walks::View;

namespace {

constexpr std::int64_t most_prose_columns = 78;

}  // namespace

Stage::Stage(const Presentation& presentation, const Walks& walks, Screen& screen)
    : presentation_(presentation),
      walks_(walks),
      screen_(screen),
      explaining_(presentation.explains),
      heatmap_(presentation.draws_heatmaps) {}

const Step* Stage::step_in_view() const {
  if (part_ != Part::steps) {
    return nullptr;
  }
  return walks_.view() == View::as_is ? &step() : walks_.changed(at_);
}

// ---- Which step ----------------------------------------------------------------------------------

void Stage::to(Part frame) {
  to(frame == Part::introduction ? 0 : walks_.steps().size() - 1);
  part_ = frame;
}

void Stage::to(std::size_t at) {
  part_ = Part::steps;
  at_ = at;
  page_.to_begin();
  end_derivation();
  board_->clear();
  refresh();
}

void Stage::take_walks(std::size_t at) {
  const bool is_same = at == at_;
  at_ = at;
  end_derivation();
  if (!is_same) {
    board_->clear();
  }
  refresh();
}

// ---- How it is seen ------------------------------------------------------------------------------

void Stage::refresh() {
  face_.reset();
  stale_ = true;
}

void Stage::toggle_explaining() {
  explaining_ = !explaining_;
  stale_ = true;
}

void Stage::toggle_heatmap() {
  heatmap_ = !heatmap_;
  refresh();
}

void Stage::toggle_projector() {
  projects_ = !projects_;
  enlarged_ = 0;
  page_.to_begin();
  refresh();
}

void Stage::enlarge(std::int64_t by) {
  constexpr std::int64_t most = 12;
  enlarged_ = std::clamp(enlarged_ + by, -most, most);
  refresh();
}

std::string Stage::change_words() {
  const Step* const before = walks_.before(at_);
  if (before == nullptr || walks_.view() != View::as_is || part_ != Part::steps) {
    return "";
  }
  compose();
  const Face face = heatmap_ || projects_ ? printed_face(step(), before, presentation_.text, 0) : *face_;
  return face.compared == 0 ? ""
                            : "seed " + walks_.seed().text() + ": " + std::to_string(face.changed) + " of " +
                                  std::to_string(face.compared) + " cells changed";
}

Face Stage::face() const {
  const render::Terminal terminal = screen_.terminal();
  const Step* const seen = step_in_view();
  if (walks_.view() == View::difference) {
    return difference_face(step(), seen, presentation_, terminal);
  }
  if (seen == nullptr) {
    return gone_face(step(), terminal.width);
  }
  if (projects_) {
    const std::int64_t derived = cell_ ? std::min(lower_.count() + 1, room() * 3 / 5) : 0;
    return projected_face(*seen, presentation_, terminal, room() - derived, enlarged_);
  }
  if (heatmap_) {
    return heatmap_face(*seen, presentation_, terminal);
  }
  return printed_face(*seen, walks_.view() == View::changed ? &step() : walks_.before(at_), presentation_.text,
                      screen_.columns());
}

void Stage::compose() {
  if (std::exchange(stale_, false)) {
    if (part_ == Part::steps) {
      compose_page();
    } else {
      compose_frame();
    }
    compose_lower();
  }
  page_.keep_within(upper_rows());
  lower_.keep_within(lower_rows() - 1);
  if (cover_) {
    cover_->keep_within(room());
  }
}

/// Returns the whole page, however long.
void Stage::compose_page() {
  if (!face_) {
    face_ = face();
  }
  board_->set(face_->lines, face_->cells);
  Lines lines;
  const auto add = [&lines](const Lines& more) {
    if (!more.empty()) {
      lines.emplace_back();
      lines.insert(lines.end(), more.begin(), more.end());
    }
  };
  const std::int64_t columns = std::min(screen_.columns(), most_prose_columns);
  if (walks_.view() != View::as_is && !board_->hides() && !projects_) {
    add(consequence_lines(walks_, at_, presentation_.text, columns));
  }
  if (explaining_ && step_in_view() != nullptr && !projects_) {
    add(explanation_lines(*step_in_view(), presentation_, !board_->hides(), columns));
  }
  page_.set(board_, std::move(lines));
}

void Stage::compose_frame() {
  const std::int64_t width = std::min<std::int64_t>(screen_.terminal().width, most_prose_columns);
  board_->set(nullptr, {});
  page_.set(nullptr, part_ == Part::introduction ? introduction_lines(walks_.walk().steps(), presentation_, width)
                                                 : ending_lines(walks_.walk().steps(), presentation_, width));
}

void Stage::compose_lower() {
  Lines lines;
  if (cell_) {
    const std::int64_t columns = screen_.columns();
    lines = meeting_lines(*cell_, presentation_.tokens, presentation_.text.print, columns);
    const std::size_t shown_above = head().starts_with(first_line()) ? derivation_.find('\n') + 1 : 0;
    const Lines derivation = derivation_lines(derivation_.substr(shown_above) + "(Escape closes this)\n", columns);
    lines.insert(lines.end(), derivation.begin(), derivation.end());
  }
  lower_.set(nullptr, std::move(lines));
}

void Stage::to_text(std::string_view wanted) {
  compose();
  page_.to_text(wanted, upper_rows());
}

void Stage::see_cell() {
  compose();
  if (board_->chosen()) {
    page_.to_see(board_->chosen_place(), upper_rows(), screen_.columns());
  }
}

void Stage::see_row() {
  compose();
  if (board_->has_cells()) {
    render::CellPlace place = board_->revealed_place();
    place.column = 0;
    page_.to_see(place, upper_rows(), screen_.columns());
  }
}

void Stage::derive(const render::Cell& cell) {
  derivation_ = derivation_of(cell, presentation_);
  cell_ = cell;
  lower_.to_begin();
  compose_lower();
  if (projects_) {
    refresh();  // the picture makes room
  }
}

void Stage::end_derivation() {
  cell_.reset();
  derivation_.clear();
  board_->leave();
  stale_ = true;
  if (projects_) {
    face_.reset();
  }
}

void Stage::cover(Lines lines) {
  cover_.emplace();
  cover_->set(nullptr, std::move(lines));
}

void Stage::uncover() { cover_.reset(); }

/// Page keys scroll the lower part if it has more lines than are visible.
bool Stage::scroll(Key::Kind kind) {
  compose();
  const bool is_for_lower = !cover_ && lower_.count() > lower_rows() - 1 && lower_rows() > 1 &&
                            (kind == Key::Kind::page_up || kind == Key::Kind::page_down);
  if (is_for_lower) {
    return lower_.scroll(kind, lower_rows() - 1, screen_.columns());
  }
  return cover_ ? cover_->scroll(kind, room(), screen_.columns()) : page_.scroll(kind, upper_rows(), screen_.columns());
}

bool Stage::page_on() {
  compose();
  const bool is_more_below = !cover_ && !cell_ && !board_->hides() && page_.row() + upper_rows() < page_.count();
  return is_more_below && page_.scroll(Key::Kind::page_down, upper_rows(), screen_.columns());
}

// ---- The frame -----------------------------------------------------------------------------------

std::int64_t Stage::room() const { return std::max<std::int64_t>(screen_.rows() - 2, 0); }

/// As many rows as there are lines, but two fifths of the room stay for the step, so the chosen cell is always visible.
std::int64_t Stage::lower_rows() const {
  if (!cell_ || cover_) {
    return 0;
  }
  const std::int64_t upper = std::min(page_.count(), std::max<std::int64_t>(room() * 2 / 5, 1));
  return std::clamp<std::int64_t>(lower_.count() + 1, 0, std::max<std::int64_t>(room() - upper, 0));
}

void Stage::draw(std::string last, std::optional<std::int64_t> cursor) {
  compose();
  const std::int64_t columns = screen_.columns();
  Lines frame = cover_ ? cover_->seen(room(), columns) : page_.seen(upper_rows(), columns);
  if (lower_rows() > 0) {
    frame.push_back({{text::left_aligned(fitted(head()), columns), {.bold = true, .reverse = true}}});
    const Lines lower = lower_.seen(lower_rows() - 1, columns);
    frame.insert(frame.end(), lower.begin(), lower.end());
  }
  if (screen_.rows() > 1) {
    frame.insert(frame.begin(), title());
  }
  frame.push_back({{std::move(last)}});
  screen_.draw(frame, cursor);
}

std::string Stage::place() {
  compose();
  return cover_ ? cover_->place(room()) : page_.place(upper_rows());
}

std::string Stage::fitted(const std::string& text) const {
  const render::Terminal terminal = screen_.terminal();
  return render::cut_to(render::printable(text, terminal), screen_.columns(), terminal);
}

/// The longest text that fits: the derivation's first line, the cell with the names of its row and column, or its place
/// with these names; each with the number without the change.
std::string Stage::head() const {
  const Tensor& tensor = *cell_->step->tensor;
  const render::CellWords words(*cell_->step, presentation_.tokens);
  const std::string number = " = " + number_of(tensor);
  const std::string places = words.places(tensor, cell_->index);
  const std::string named = words.run(tensor, cell_->index, {}) + number;
  const std::string also = as_is_words();
  for (const std::string& head :
       {first_line() + also, words.cell(tensor, cell_->index) + number + (places.empty() ? "" : "   " + places) + also,
        named + also}) {
    if (text::display_columns(head) <= screen_.columns()) {
      return head;
    }
  }
  return named.substr(words.name(tensor).size());
}

std::string Stage::first_line() const { return derivation_.substr(0, derivation_.find('\n')); }

/// "   original 0.1234" if the cell belongs to the step on the stage and a rule is changed.
std::string Stage::as_is_words() const {
  const bool is_here = board_->chosen().has_value() && walks_.view() != View::as_is;
  const bool has_same_cells = is_here && step().tensor && step().tensor->shape() == cell_->step->tensor->shape();
  return has_same_cells ? "   original " + number_of(*step().tensor) : "";
}

std::string Stage::number_of(const Tensor& tensor) const {
  const double value = tensor.value(cell_->index);
  return tensor.dtype() == DType::boolean ? value != 0 ? "True" : "False"
                                          : render::arithmetic_text(value, presentation_.text.print.precision);
}

std::string Stage::view_words() const {
  if (walks_.rule() == nullptr) {
    return "";
  }
  const std::string rule(walks_.rule()->name);
  switch (walks_.view()) {
    case View::as_is: return "  original";
    case View::changed: return "  what if " + rule;
    case View::difference: return "  difference: " + rule;
  }
  return "";
}

/// "2/9 attn_scores            all_tokens  seed 123"; the right part only if it fits.
text::StyledLine Stage::title() const {
  const bool is_step = part_ == Part::steps;
  const std::string place = std::to_string(at_ + 1) + "/" + std::to_string(walks_.steps().size()) + " " + step().name;
  const std::string left = " " + (is_step                       ? place + view_words()
                                  : part_ == Part::introduction ? "introduction"
                                                                : "summary");
  if (projects_ && is_step) {
    return {{text::left_aligned(fitted(" " + step().name + view_words()), screen_.columns()), {.reverse = true}}};
  }
  const std::string section = is_step && !step().section.empty() ? step().section + "  " : "";
  const std::string right = section + "seed " + walks_.seed().text() + " ";
  const std::int64_t space = screen_.columns() - text::display_columns(left) - text::display_columns(right);
  const std::string line = space < 2 ? left : left + std::string(static_cast<std::size_t>(space), ' ') + right;
  return {{text::left_aligned(fitted(line), screen_.columns()), {.reverse = true}}};
}

}  // namespace attn::present
