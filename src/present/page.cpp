#include "present/page.hpp"

#include <algorithm>
#include <utility>

#include "lesson/derivation.hpp"
#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "lesson/likeness.hpp"
#include "lesson/printed.hpp"
#include "picture/heatmap.hpp"
#include "present/abreast.hpp"
#include "text/columns.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::present {
namespace {

/// Operands are derived this many levels deep; c on another cell goes deeper.
constexpr std::int64_t derivation_depth = 1;

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

Lines plain_lines(const std::vector<std::string>& texts) {
  Lines lines;
  for (const std::string& text : texts) {
    lines.push_back({{text}});
  }
  return lines;
}

void leave_notices_out(render::StepExplanation& said) {
  said.notices.clear();
  for (render::StepExplanation& before : said.through) {
    leave_notices_out(before);
  }
}

/// A heat map below its label.
class HeatMapLines final : public StepLines {
 public:
  HeatMapLines(std::string_view label, render::HeatMap map) : label_(text::styled_lines(label)), map_(std::move(map)) {}

  std::size_t count() const override { return label_.size() + static_cast<std::size_t>(map_.count()); }

  text::StyledLine styled(std::size_t line, const render::CellMarks& marks) const override {
    return line < label_.size() ? label_[line] : map_.line(static_cast<std::int64_t>(line - label_.size()), marks);
  }

  std::int64_t columns() const override {
    std::int64_t columns = map_.columns();
    for (const text::StyledLine& line : label_) {
      columns = std::max(columns, text::display_columns(line));
    }
    return columns;
  }

  SliceGroups slices() const {
    SliceGroups groups;
    for (const auto& group : map_.matrices()) {
      groups.emplace_back();
      for (const auto& [begin, end] : group) {
        groups.back().push_back(
            {label_.size() + static_cast<std::size_t>(begin), label_.size() + static_cast<std::size_t>(end)});
      }
    }
    return groups;
  }

  render::CellPlace place(const render::GridCell& cell) const override {
    render::CellPlace place = map_.place(cell);
    place.line += static_cast<std::int64_t>(label_.size());
    return place;
  }

 private:
  Lines label_;
  render::HeatMap map_;
};

std::shared_ptr<const StepLines> words_alone(const std::string& words, std::int64_t width) {
  std::string text;
  for (const std::string& line : text::wrapped(words, std::max<std::int64_t>(width, 1))) {
    text += line + "\n";
  }
  return std::make_shared<PrintedLines>(std::move(text));
}

/// A step as printed; its cells are located on demand.
std::shared_ptr<const PrintedLines> printed_lines(const Step& step, std::int64_t in_row,
                                                  const render::TextOptions& options) {
  return std::make_shared<PrintedLines>(render::step_text(step, options), [step, in_row, options] {
    return TextCells{render::printed_step(step, options).cells, {}, in_row};
  });
}

/// The options with which the step's slices fit side by side: with the line of grad_fn on its own, if it must be.
render::TextOptions fitting(const Step& step, render::TextOptions options, std::int64_t columns) {
  if (step.kind != Step::Kind::tensor || step.tensor->dim() < 3 || columns == 0) {
    return options;
  }
  const auto lines = std::make_shared<const PrintedLines>(render::step_text(step, options));
  const SliceGroups slices = printed_slices(*lines);
  if (abreast(lines, slices, columns) != lines) {
    return options;
  }
  std::int64_t longest = 0;
  for (std::size_t line = 0; line + 1 < lines->count(); ++line) {
    longest = std::max(longest, text::display_columns(lines->plain(line)));
  }
  options.print.linewidth = std::min(options.print.linewidth, longest);
  return options;
}

std::shared_ptr<const StepLines> abreast(std::shared_ptr<const PrintedLines> lines, std::int64_t columns) {
  const SliceGroups slices = printed_slices(*lines);
  return abreast(std::move(lines), slices, columns);
}

std::shared_ptr<const StepLines> abreast(std::shared_ptr<const HeatMapLines> lines, std::int64_t columns) {
  const SliceGroups slices = lines->slices();
  return abreast(std::move(lines), slices, columns);
}

ShownCells cells_of(const Step& step, const torch::PrintOptions& print) {
  const bool has_cells = step.kind == Step::Kind::tensor && element_count(step.tensor->shape()) > 0;
  return has_cells ? ShownCells(step.tensor->shape(), print) : ShownCells();
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

/// Rejects a name that resembles a tensor's and suggests that tensor.
void check_name(std::span<const Step> steps, const std::string& name, std::string typed) {
  const std::vector<std::string> names =
      names_of(steps, [](const Step& step) { return step.kind == Step::Kind::tensor; });
  const std::string near = text::nearest(name, names);
  if (near.empty() || std::find(names.begin(), names.end(), name) != names.end()) {
    return;
  }
  typed.replace(typed.rfind(name, typed.find('[')), name.size(), near);
  throw render::CellError("no step '" + name + "'; try " + typed);
}

}  // namespace

Face printed_face(const Step& step, const Step* before, const render::TextOptions& given, std::int64_t columns) {
  const render::TextOptions options = fitting(step, given, columns);
  Face face = {.lines = nullptr, .cells = cells_of(step, options.print)};
  const std::int64_t in_row = std::max<std::int64_t>(face.cells.columns(), 1);
  if (before == nullptr || before->kind != step.kind || before->name != step.name) {
    face.lines = abreast(printed_lines(step, in_row, options), columns);
    return face;
  }
  torch::PrintedTensor printed = render::printed_step(step, options);
  const torch::PrintedTensor printed_before = render::printed_step(*before, options);
  std::vector<torch::PrintedCell>& cells = printed.cells;
  TextCells marked = {{}, std::vector<bool>(cells.size()), in_row};
  for (std::size_t i = 0; i < cells.size() && cells.size() == printed_before.cells.size(); ++i) {
    if (torch::cell_text(printed, cells[i]) != torch::cell_text(printed_before, printed_before.cells[i])) {
      marked.changed[i] = true;
      ++face.changed;
    }
  }
  face.compared = cells.size();
  marked.all = std::move(cells);
  face.lines = abreast(std::make_shared<const PrintedLines>(std::move(printed.text), std::move(marked)), columns);
  return face;
}

Face heatmap_face(const Step& step, const Presentation& presentation, const render::Terminal& terminal) {
  if (step.kind != Step::Kind::tensor) {
    return {.lines = printed_lines(step, 1, presentation.text), .cells = {}};
  }
  const torch::PrintOptions& print = presentation.text.print;
  return {.lines = abreast(
              std::make_shared<const HeatMapLines>(text::trimmed(step.label),
                                                   render::HeatMap(*step.tensor, presentation.tokens, print, terminal)),
              terminal.width),
          .cells = cells_of(step, render::HeatMap::with_edges(print))};
}

Face projected_face(const Step& step, const Presentation& presentation, const render::Terminal& terminal,
                    std::int64_t rows, std::int64_t enlarged) {
  if (step.kind != Step::Kind::tensor) {
    return {.lines = printed_lines(step, 1, presentation.text), .cells = {}};
  }
  constexpr std::int64_t most = 6;
  const std::string formula = step.name + " = " + render::explain(step, {}, presentation.tokens).expression;
  const std::string above = text::joined(text::wrapped(formula, terminal.width), "\n") + "\n\n";
  const torch::PrintOptions& print = presentation.text.print;
  const auto lines = [&](std::int64_t by) {
    return abreast(std::make_shared<const HeatMapLines>(
                       above, render::HeatMap(*step.tensor, presentation.tokens, print, terminal, by)),
                   terminal.width);
  };
  std::int64_t by = 0;
  while (by < most && static_cast<std::int64_t>(lines(by + 1)->count()) <= rows) {
    ++by;
  }
  return {.lines = lines(std::clamp<std::int64_t>(by + enlarged, 0, 2 * most)),
          .cells = cells_of(step, render::HeatMap::with_edges(print))};
}

Face gone_face(const Step& as_is, std::int64_t width) {
  return {.lines = words_alone(no_difference(as_is, nullptr, {}), width), .cells = {}};
}

Face difference_face(const Step& as_is, const Step* changed, const Presentation& presentation,
                     const render::Terminal& terminal) {
  const std::string words = no_difference(as_is, changed, presentation.text);
  if (!words.empty()) {
    return {.lines = words_alone(words, terminal.width), .cells = {}};
  }
  const torch::PrintOptions& print = presentation.text.print;
  return {
      .lines = abreast(std::make_shared<const HeatMapLines>(
                           "", render::HeatMap(*as_is.tensor, *changed->tensor, presentation.tokens, print, terminal)),
                       terminal.width),
      .cells = cells_of(as_is, render::HeatMap::with_edges(print))};
}

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

Lines ending_lines(std::span<const Step> steps, const Presentation& presentation, std::int64_t width) {
  const render::Frame frame = render::frame_of(presentation.framing(steps), steps, presentation.tokens);
  return plain_lines(render::ending_lines(frame, width));
}

Lines consequence_lines(const Walks& walks, std::size_t at, const render::TextOptions& options, std::int64_t width) {
  Lines lines;
  const Step* const changed = walks.changed(at);
  if (changed != nullptr && walks.view() == Walks::View::changed) {
    add_wrapped(lines, std::string(render::likeness(walks.steps()[at], *changed, options)), width);
  }
  for (const Step* step : walks.only_changed(at)) {
    const std::string expression = step->tensor ? " = " + step->tensor->expression() : "";
    add_wrapped(lines, "only with the change: " + step->name + expression, width);
  }
  add_wrapped(lines, walks.sentence(), width);
  return lines;
}

Lines explanation_lines(const Step& step, const Presentation& presentation, bool with_notices, std::int64_t width) {
  Lines lines;
  render::StepExplanation said = render::explain(step, presentation.why, presentation.tokens);
  if (!with_notices) {
    leave_notices_out(said);
  }
  add_explanation(lines, said, width);
  return lines;
}

render::Cell typed_cell(std::span<const Step> steps, const Step& step, const std::string& typed,
                        std::span<const std::string> tokens) {
  const std::size_t bracket = typed.find('[');
  const bool has_name = bracket != std::string::npos && typed.find_first_not_of(' ') < bracket;
  const std::string inside = bracket == std::string::npos ? "[" + typed + "]" : typed;
  render::CellRequest request = render::parse_cell(has_name ? typed : step.name + inside);
  if (has_name) {
    check_name(steps, request.name, typed);
  } else {
    request.section = step.section;
  }
  return render::find_cell(steps, request, tokens);
}

std::string derivation_of(const render::Cell& cell, const Presentation& presentation) {
  return render::derivation_text(cell, derivation_depth, presentation.tokens, presentation.text.print);
}

Lines derivation_lines(const std::string& derivation, std::int64_t width) {
  Lines lines;
  for (const std::string& line : text::lines_of(derivation)) {
    const std::size_t most_indent = static_cast<std::size_t>(std::max<std::int64_t>(width / 4, 0));
    const std::string indent(std::min(std::min(line.find_first_not_of(' '), line.size()), most_indent), ' ');
    add_wrapped(lines, line.substr(indent.size()), width, indent, indent + "  ");
  }
  return lines;
}

std::string example_cell(const Step& step) {
  std::string example;
  for (const std::int64_t size : step.tensor->shape()) {
    example += (example.empty() ? "" : ", ") + std::to_string(std::max<std::int64_t>(size - 1, 0));
  }
  return example;
}

}  // namespace attn::present
