#include "present/page.hpp"

#include <algorithm>
#include <utility>

#include "render/derivation.hpp"
#include "render/explain.hpp"
#include "render/heatmap.hpp"
#include "render/printed.hpp"
#include "text/columns.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::present {
namespace {

/// How far below its words a derivation goes at once; c on another cell goes on.
constexpr std::int64_t derivation_depth = 1;

void add_wrapped(Lines& lines, const std::string& text, std::int64_t width, const std::string& first = "",
                 const std::string& next = "") {
  if (text.empty()) {
    return;
  }
  const std::int64_t room = std::max<std::int64_t>(width - static_cast<std::int64_t>(next.size()), 1);
  std::string indent = first;
  for (const std::string& line : text::wrapped(text, room)) {
    lines.push_back({{indent + line}});
    indent = next;
  }
}

/// What is not shown, but made on the way, is called by its name.
void add_explanation(Lines& lines, const render::StepExplanation& said, std::int64_t width) {
  for (const render::StepExplanation& before : said.through) {
    add_wrapped(lines, before.name + " = " + before.expression, width);
    add_explanation(lines, before, width);
  }
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
}

/// A heat map under its label.
class HeatMapLines final : public LongLines {
 public:
  HeatMapLines(std::string_view label, render::HeatMap map) : label_(text::styled_lines(label)), map_(std::move(map)) {}

  std::size_t count() const override { return label_.size() + static_cast<std::size_t>(map_.count()); }

  text::StyledLine styled(std::size_t line) const override {
    return line < label_.size() ? label_[line] : map_.line(static_cast<std::int64_t>(line - label_.size()));
  }

  std::int64_t columns() const override {
    std::int64_t columns = map_.columns();
    for (const text::StyledLine& line : label_) {
      columns = std::max(columns, text::display_columns(line));
    }
    return columns;
  }

 private:
  Lines label_;
  render::HeatMap map_;
};

/// Refuses a name that is nearly a tensor's with what was probably meant.
void check_name(std::span<const Step> steps, const std::string& name, std::string typed) {
  std::vector<std::string> names;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::tensor) {
      names.push_back(step.name);
    }
  }
  const std::string near = text::nearest(name, names);
  if (near.empty() || std::find(names.begin(), names.end(), name) != names.end()) {
    return;
  }
  typed.replace(typed.rfind(name, typed.find('[')), name.size(), near);
  throw render::CellError("no step '" + name + "'; try " + typed);
}

}  // namespace

Change compared(const Step& step, const Step* before, const render::TextOptions& options) {
  if (before == nullptr || before->kind != step.kind || before->name != step.name) {
    return {0, 0, std::make_shared<PrintedLines>(render::step_text(step, options))};
  }
  torch::PrintedTensor printed = render::printed_step(step, options);
  const torch::PrintedTensor printed_before = render::printed_step(*before, options);
  const std::vector<torch::PrintedCell>& cells = printed.cells;
  PrintedLines::Parts changed;
  for (std::size_t i = 0; i < cells.size() && cells.size() == printed_before.cells.size(); ++i) {
    if (torch::cell_text(printed, cells[i]) != torch::cell_text(printed_before, printed_before.cells[i])) {
      changed.emplace_back(cells[i].offset, cells[i].size);
    }
  }
  const std::size_t count = changed.size();
  return {cells.size(), count, std::make_shared<PrintedLines>(std::move(printed.text), std::move(changed))};
}

Lines explanation_lines(const Step& step, const Presentation& presentation, std::int64_t width) {
  Lines lines;
  add_explanation(lines, render::explain(step, presentation.why, presentation.tokens), width);
  return lines;
}

std::shared_ptr<const LongLines> heatmap_lines(const Step& step, const Presentation& presentation,
                                               const render::Terminal& terminal) {
  if (step.kind != Step::Kind::tensor) {
    return std::make_shared<PrintedLines>(render::step_text(step, presentation.text));
  }
  return std::make_shared<HeatMapLines>(
      text::trimmed(step.label), render::HeatMap(*step.tensor, presentation.tokens, presentation.text.print, terminal));
}

std::string derivation_of(std::span<const Step> steps, const Step& step, const std::string& typed,
                          const Presentation& presentation) {
  const std::size_t bracket = typed.find('[');
  const bool has_name = bracket != std::string::npos && typed.find_first_not_of(' ') < bracket;
  const std::string inside = bracket == std::string::npos ? "[" + typed + "]" : typed;
  render::CellRequest request = render::parse_cell(has_name ? typed : step.name + inside);
  if (has_name) {
    check_name(steps, request.name, typed);
  } else {
    request.section = step.section;
  }
  return render::derivation_text(steps, request, derivation_depth, presentation.tokens, presentation.text.print);
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

Lines key_lines() {
  Lines lines = {{{"Keys", {.bold = true}}}};
  for (const char* line : {"Enter, space  next step",
                           "b             step before",
                           "g             go to a step, by number or name",
                           "/             search; n searches on",
                           "e             explain: shapes, why, what to notice",
                           "h             heat map",
                           "c             how a cell came about",
                           "s             another seed; changed cells are marked",
                           "arrows        scroll; PageUp, PageDown, Home, End too",
                           "?             these keys",
                           "q             quit",
                           "",
                           "Any key goes back to the step."}) {
    lines.push_back({{line}});
  }
  return lines;
}

}  // namespace attn::present
