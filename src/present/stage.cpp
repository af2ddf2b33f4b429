#include "present/stage.hpp"

#include <algorithm>

#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "text/lines.hpp"

namespace attn::present {
namespace {

// ---- Texts -----------------------------------------------------------------------------------------

void add_wrapped(Lines& lines, const std::string& text, std::int64_t width, const std::string& first = "",
                 const std::string& next = "") {
  if (text.empty()) {
    return;
  }
  for (const std::string& line : text::wrapped(text, width, first, next)) {
    lines.push_back({{line}});
  }
}

/// The computed tensors that are not shown follow, each by its name.
void add_explanation(Lines& lines, const render::StepExplanation& said, std::int64_t width) {
  if (said.shapes.empty()) {
    add_wrapped(lines, said.expression, width);
  }
  add_wrapped(lines, said.shapes, width);
  add_wrapped(lines, said.why, width);
  for (const render::Reason& reason : said.reasons) {
    add_wrapped(lines, reason.text, width);
    for (const std::string& line : render::table_lines(reason)) {
      lines.push_back({{"  " + line}});
    }
  }
  for (const std::string& notice : said.notices) {
    add_wrapped(lines, notice, width, "- ", "  ");
  }
  for (const render::StepExplanation& before : said.through) {
    lines.emplace_back();
    add_wrapped(lines, "on the way: " + before.name + " = " + before.expression, width);
    add_explanation(lines, before, width);
  }
}

Lines plain_lines(std::span<const std::string> texts) {
  Lines lines;
  for (const std::string& text : texts) {
    lines.push_back({{text}});
  }
  return lines;
}

/// Question, formula and map.
Lines introduction_lines(std::span<const Step> steps, const Presentation& presentation, std::int64_t width) {
  const render::Framing framing = presentation.framing(steps);
  const render::Frame frame = {.question = framing.question,  // without numbers, of which there may be many
                               .idea = framing.idea,
                               .goals = framing.goals,
                               .formula = render::formula_of(steps),
                               .map = render::step_map(steps),
                               .seen = {},
                               .next = {}};
  return plain_lines(render::opening_lines(frame, width));
}

/// Summary and next steps.
Lines ending_lines(std::span<const Step> steps, const Presentation& presentation, std::int64_t width) {
  const render::Frame frame = render::frame_of(presentation.framing(steps), steps, presentation.tokens);
  return plain_lines(render::ending_lines(frame, width));
}

/// The effect of the changed rule on the step at `at` and on all steps.
Lines consequence_lines(const Walks& walks, std::size_t at, const render::TextOptions& options, std::int64_t width) {
  Lines lines;
  const Step& as_is = walks.steps()[at];
  const Step* const changed = walks.changed(at);
  add_wrapped(lines,
              changed == nullptr ? "no " + as_is.name + " here: the change removes it"
                                 : std::string(render::likeness(as_is, *changed, options)),
              width);
  for (const Step* step : walks.only_changed(at)) {
    const std::string expression = step->tensor ? " = " + step->tensor->expression() : "";
    add_wrapped(lines, "only with the change: " + step->name + expression, width);
  }
  add_wrapped(lines, walks.sentence(), width);
  return lines;
}

Lines explanation_lines(const Step& step, const Presentation& presentation, std::int64_t width) {
  Lines lines;
  add_explanation(lines, render::explain(step, presentation.why, presentation.tokens), width);
  return lines;
}

/// A derivation's lines, none longer than `width`, the first ones as a heading.
Lines derivation_lines(const std::string& derivation, std::int64_t width) {
  Lines lines;
  std::size_t heading = 0;
  for (const std::string& line : text::lines_of(derivation)) {
    const std::size_t most_indent = static_cast<std::size_t>(std::max<std::int64_t>(width / 4, 0));
    const std::string indent(std::min(std::min(line.find_first_not_of(' '), line.size()), most_indent), ' ');
    add_wrapped(lines, line.substr(indent.size()), width, indent, indent + "  ");
    heading = heading == 0 ? lines.size() : heading;
  }
  for (std::size_t i = 0; i < heading; ++i) {
    lines[i].front().style = {.bold = true, .reverse = true};
  }
  return lines;
}

}  // namespace

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
  return walks_.shows_changed() ? walks_.changed(at_) : &walks_.steps()[at_];
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
  const Step* const seen = step_in_view();
  if (seen == nullptr) {
    return {};
  }
  return heatmap_ ? heatmap_face(*seen, presentation_, screen_.terminal())
                  : printed_face(*seen, walks_.shows_changed() ? &walks_.steps()[at_] : nullptr, presentation_.text);
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
  if (walks_.shows_changed()) {
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

/// "2/9 attn_scores            all_tokens  seed 123"; the right part only if it fits.
std::string Stage::title() const {
  const Step& step = walks_.steps()[at_];
  const bool is_step = part_ == Part::steps;
  const std::string place = std::to_string(at_ + 1) + "/" + std::to_string(walks_.steps().size()) + " " + step.name;
  const std::string view = walks_.rule() == nullptr ? ""
                           : walks_.shows_changed() ? "  what if " + std::string(walks_.rule()->name)
                                                    : "  original";
  const std::string left = " " + (is_step ? place + view : part_ == Part::introduction ? "introduction" : "summary");
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
  shows_changed_ = true;
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
