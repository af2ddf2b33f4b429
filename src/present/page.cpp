#include "present/page.hpp"

#include <algorithm>

#include "lesson/compared.hpp"
#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "text/lines.hpp"

namespace attn::present {
namespace {

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

}  // namespace

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

Lines explanation_lines(const Step& step, const Presentation& presentation, std::int64_t width) {
  Lines lines;
  add_explanation(lines, render::explain(step, presentation.why, presentation.tokens), width);
  return lines;
}

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

Lines key_lines() {
  const std::vector<std::string> keys = {"Enter, space  the lines below, then the next step",
                                         "b             step before",
                                         "g             go to a step, by number or name",
                                         "e             explain: shapes, why, what to notice",
                                         "h             heat map",
                                         "c             derive a cell: type it",
                                         "Tab           choose a cell with the arrows; Home, End: its row",
                                         "w             what if: one rule changed, the difference, the original",
                                         "W             what if: another rule",
                                         "arrows        scroll; PageUp, PageDown, Home, End too",
                                         "Escape        leave the cell",
                                         "?             these keys",
                                         "q             quit",
                                         "",
                                         "q quits; any other key goes back to the step."};
  return plain_lines(keys);
}

Lines rule_lines(std::span<const WhatIf* const> rules) {
  Lines lines = {{{"What if", {.bold = true}}}};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    lines.push_back({{std::to_string(i + 1) + " " + std::string(rules[i]->name)}});
  }
  lines.emplace_back();
  lines.push_back({{"A number chooses that rule. q quits; any other key goes back."}});
  return lines;
}

}  // namespace attn::present
