#include "present/stage.hpp"

#include <algorithm>
#include <utility>

#include "present/page.hpp"
#include "text/columns.hpp"

namespace attn::present {

using View = Walks::View;

Stage::Stage(const Presentation& presentation, const Walks& walks, Screen& screen)
    : presentation_(presentation),
      walks_(walks),
      screen_(screen),
      explaining_(presentation.explains),
      heatmap_(presentation.draws_heatmaps) {}

// ---- Which step, and how it is seen ----------------------------------------------------------------

const Step* Stage::step_in_view() const {
  if (part_ != Part::steps) {
    return nullptr;
  }
  return walks_.view() == View::as_is ? &walks_.steps()[at_] : walks_.changed(at_);
}

void Stage::to(std::size_t at, Part part) {
  part_ = part;
  at_ = at;
  page_.to_begin();
  leave_cell();
  refresh();
}

void Stage::toggle_explaining() {
  explaining_ = !explaining_;
  refresh();
}

void Stage::toggle_heatmap() {
  heatmap_ = !heatmap_;
  refresh();
}

void Stage::refresh() {
  const std::optional<Shape> index = chosen();
  face_ = face();
  chosen_ = index ? face_.cells.find(*index) : std::nullopt;
  page_.set(face_.lines, below());
  lower_.set(nullptr, derivation_lines(derivation_, screen_.columns()));
  see_cell();
}

Face Stage::face() const {
  const render::Terminal terminal = screen_.terminal();
  const Step* const seen = step_in_view();
  if (part_ != Part::steps) {
    return {};
  }
  if (walks_.view() == View::difference || seen == nullptr) {
    return difference_face(walks_.steps()[at_], seen, presentation_, terminal);
  }
  return heatmap_
             ? heatmap_face(*seen, presentation_, terminal)
             : printed_face(*seen, walks_.view() == View::changed ? &walks_.steps()[at_] : nullptr, presentation_.text);
}

Lines Stage::below() const {
  const std::int64_t columns = prose_columns();
  switch (part_) {
    case Part::introduction: return introduction_lines(walks_.walk().steps(), presentation_, columns);
    case Part::ending: return ending_lines(walks_.walk().steps(), presentation_, columns);
    case Part::steps: break;
  }
  Lines lines;
  const auto add = [&lines](const Lines& more) {
    if (!more.empty()) {
      lines.emplace_back();
      lines.insert(lines.end(), more.begin(), more.end());
    }
  };
  if (walks_.view() != View::as_is) {
    add(consequence_lines(walks_, at_, presentation_.text, columns));
  }
  if (explaining_ && step_in_view() != nullptr) {
    add(explanation_lines(*step_in_view(), presentation_, columns));
  }
  return lines;
}

// ---- Cells -----------------------------------------------------------------------------------------

bool Stage::choose(const Shape& index) {
  const std::optional<render::GridCell> found = face_.cells.find(index);
  chosen_ = found ? found : chosen_;
  return found.has_value();
}

bool Stage::move(Key key) {
  if (!chosen_) {
    return false;
  }
  switch (key) {
    case keys::up: --chosen_->row; break;
    case keys::down: ++chosen_->row; break;
    case keys::left: --chosen_->column; break;
    case keys::right: ++chosen_->column; break;
    case keys::home: chosen_->column = 0; break;
    case keys::end: chosen_->column = face_.cells.columns() - 1; break;
    default: return false;
  }
  chosen_->row = std::clamp<std::int64_t>(chosen_->row, 0, face_.cells.rows() - 1);
  chosen_->column = std::clamp<std::int64_t>(chosen_->column, 0, face_.cells.columns() - 1);
  return true;
}

void Stage::show_derivation(std::string derivation) {
  derivation_ = std::move(derivation);
  lower_.set(nullptr, derivation_lines(derivation_, screen_.columns()));
  lower_.to_begin();
  see_cell();
}

void Stage::leave_cell() {
  chosen_.reset();
  derivation_.clear();
  lower_.set(nullptr, {});
}

void Stage::see_cell() {
  keep_within();
  if (chosen_) {
    page_.to_see(face_.lines->place(*chosen_), upper_rows(), screen_.columns());
  }
}

// ---- The screen ------------------------------------------------------------------------------------

void Stage::cover(Lines lines) { cover_.emplace().set(nullptr, std::move(lines)); }

/// Page keys scroll the lower part if it has more lines than are visible.
bool Stage::scroll(Key key) {
  const bool is_for_lower =
      lower_rows() > 0 && lower_.count() > lower_rows() && (key == keys::page_up || key == keys::page_down);
  ScrolledLines& scrolled = cover_ ? *cover_ : is_for_lower ? lower_ : page_;
  return scrolled.scroll(key, cover_ ? room() : is_for_lower ? lower_rows() : upper_rows(), screen_.columns());
}

bool Stage::page_on() {
  const bool is_more_below = derivation_.empty() && page_.row() + upper_rows() < page_.count();
  return is_more_below && page_.scroll(keys::page_down, upper_rows(), screen_.columns());
}

std::int64_t Stage::prose_columns() const { return std::clamp<std::int64_t>(screen_.columns(), 1, 78); }

std::int64_t Stage::room() const { return std::max<std::int64_t>(screen_.rows() - 2, 0); }

/// As many rows as there are lines, but two fifths of the room stay for the step, so the chosen cell is always visible.
std::int64_t Stage::lower_rows() const {
  if (cover_) {
    return 0;
  }
  const std::int64_t upper = std::min(page_.count(), std::max<std::int64_t>(room() * 2 / 5, 1));
  return std::clamp<std::int64_t>(lower_.count(), 0, std::max<std::int64_t>(room() - upper, 0));
}

void Stage::keep_within() {
  page_.keep_within(upper_rows());
  lower_.keep_within(lower_rows());
  if (cover_) {
    cover_->keep_within(room());
  }
}

void Stage::draw(const std::string& last, std::optional<std::int64_t> cursor) {
  keep_within();
  const std::int64_t columns = screen_.columns();
  Lines frame;
  const auto add = [&frame](const Lines& lines) { frame.insert(frame.end(), lines.begin(), lines.end()); };
  if (screen_.rows() > 1) {
    frame.push_back({{text::left_aligned(title(), columns), {.reverse = true}}});
  }
  add(cover_ ? cover_->seen(room(), columns) : page_.seen(upper_rows(), columns, chosen_));
  add(lower_.seen(lower_rows(), columns));
  frame.push_back({{last}});
  screen_.draw(frame, cursor);
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
std::string Stage::title() const {
  const Step& step = walks_.steps()[at_];
  const bool is_step = part_ == Part::steps;
  const std::string place = std::to_string(at_ + 1) + "/" + std::to_string(walks_.steps().size()) + " " + step.name;
  const std::string left = " " + (is_step                       ? place + view_words()
                                  : part_ == Part::introduction ? "introduction"
                                                                : "summary");
  const std::string section = is_step && !step.section.empty() ? step.section + "  " : "";
  const std::string right = section + "seed " + presentation_.seed + " ";
  const std::int64_t space = screen_.columns() - text::display_columns(left) - text::display_columns(right);
  return space < 2 ? left : left + std::string(static_cast<std::size_t>(space), ' ') + right;
}

Walks::Walks(const Presentation& presentation)
    : presentation_(presentation), walk_(presentation.walk()), steps_(presentation.select(walk_.steps())) {}

const std::vector<const WhatIf*>& Walks::what_ifs() {
  if (!what_ifs_) {
    what_ifs_ = presentation_.what_ifs();
  }
  return *what_ifs_;
}

void Walks::change(const WhatIf& rule) {
  Walkthrough changed = presentation_.change(walk_, rule);
  sentence_ = what_the_change_did(rule, walk_.steps(), changed.steps());
  changed_ = std::move(changed).steps();
  pairs_ = pairs_of(steps_, changed_);
  all_pairs_ = pairs_of(walk_.steps(), changed_);
  rule_ = &rule;
  view_ = View::changed;
}

void Walks::next_view() {
  switch (view_) {
    case View::as_is: view_ = View::changed; break;
    case View::changed: view_ = View::difference; break;
    case View::difference: view_ = View::as_is; break;
  }
}

const Step* Walks::changed(std::size_t at) const {
  return std::ranges::find(pairs_, &steps_.at(at), &StepPair::as_is)->changed;
}

std::vector<const Step*> Walks::only_changed(std::size_t at) const {
  std::vector<const Step*> found;
  const Step* const step = changed(at);
  for (auto pair = all_pairs_.begin(); step != nullptr && pair->changed != step; ++pair) {
    if (pair->as_is != nullptr) {
      found.clear();
    } else {
      found.push_back(pair->changed);
    }
  }
  return found;
}

}  // namespace attn::present
