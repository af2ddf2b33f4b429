#include "present/page.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "present/cells.hpp"
#include "present/styled.hpp"
#include "render/derivation.hpp"
#include "render/explain.hpp"
#include "render/heatmap.hpp"
#include "render/lineage.hpp"

namespace attn::present {
namespace {

/// How far below its words a derivation goes at once; c on another cell goes on.
constexpr std::int64_t derivation_depth = 1;

std::string label_words(const Step& step) {
  std::string words = step.label;
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) {
    words.pop_back();
  }
  return words;
}

/// The cells of a step's text; none where it shows no tensor.
std::vector<PrintedCell> cells_of(const Step& step, const std::string& text, const render::TextOptions& options) {
  if (step.kind != Step::Kind::tensor) {
    return {};
  }
  const std::size_t begin = step.label.size() + (step.label.empty() ? 0 : 1);
  std::vector<PrintedCell> cells =
      printed_cells(std::string_view(text).substr(begin), step.tensor->shape(), options.print);
  for (PrintedCell& cell : cells) {
    cell.offset += begin;
  }
  return cells;
}

void add_wrapped(std::vector<std::string>& lines, const std::string& text, const std::string& indent,
                 std::int64_t width) {
  const std::int64_t room = std::max<std::int64_t>(width - static_cast<std::int64_t>(indent.size()), 1);
  for (const std::string& line : text.empty() ? std::vector<std::string>{} : wrapped(text, room)) {
    lines.push_back(indent + line);
  }
}

}  // namespace

std::string step_text(const Step& step, const render::TextOptions& options) {
  std::ostringstream out;
  Step alone = step;
  alone.end.clear();
  render::write_text(out, std::span(&alone, 1), options);
  return out.str();
}

Change compared(const Step& step, const Step* before, const render::TextOptions& options) {
  const std::string text = step_text(step, options);
  if (before == nullptr || before->kind != step.kind || before->name != step.name) {
    return {0, 0, text};
  }
  const std::string text_before = step_text(*before, options);
  const std::vector<PrintedCell> cells = cells_of(step, text, options);
  const std::vector<PrintedCell> cells_before = cells_of(*before, text_before, options);
  std::vector<std::pair<std::size_t, std::size_t>> changed;
  for (std::size_t i = 0; i < cells.size() && cells.size() == cells_before.size(); ++i) {
    const PrintedCell& one = cells[i];
    const PrintedCell& other = cells_before[i];
    if (text.compare(one.offset, one.size, text_before, other.offset, other.size) != 0) {
      changed.emplace_back(one.offset, one.size);
    }
  }
  return {cells.size(), changed.size(), marked(text, changed)};
}

std::vector<std::string> explanation_lines(const Step& step, const Presentation& presentation, std::int64_t width) {
  const render::StepExplanation said = render::explain(
      step, presentation.why ? presentation.why(step) : std::string(), presentation.tokens);
  std::vector<std::string> lines;
  if (said.shapes.empty()) {
    add_wrapped(lines, said.expression, "", width);
  }
  add_wrapped(lines, said.shapes, "", width);
  add_wrapped(lines, said.why, "", width);
  for (const std::string& notice : said.notices) {
    std::vector<std::string> item;
    add_wrapped(item, notice, "  ", width);
    item.at(0)[0] = '-';
    lines.insert(lines.end(), item.begin(), item.end());
  }
  return lines;
}

std::vector<std::string> heatmap_lines(const Step& step, const Presentation& presentation,
                                       const render::Terminal& terminal) {
  if (step.kind != Step::Kind::tensor) {
    return lines_of(step_text(step, presentation.text));
  }
  std::vector<std::string> lines = lines_of(label_words(step));
  const std::string map =
      render::heatmap_text(*step.tensor, presentation.tokens, presentation.text.print, terminal,
                           render::counts_tokens);
  for (std::string& line : lines_of(map)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> derivation_lines(std::span<const Step> steps, const Step& step, const std::string& typed,
                                          const Presentation& presentation) {
  const std::size_t bracket = typed.find('[');
  const bool has_name = bracket != std::string::npos && typed.find_first_not_of(' ') < bracket;
  const std::string inside = bracket == std::string::npos ? "[" + typed + "]" : typed;
  render::CellRequest request = render::parse_cell(has_name ? typed : step.name + inside);
  if (!has_name) {
    request.section = step.section;
  }
  return lines_of(
      render::derivation_text(steps, request, derivation_depth, presentation.tokens, presentation.text.print));
}

std::string example_cell(const Step& step) {
  std::string example;
  for (const std::int64_t size : step.tensor->shape()) {
    example += (example.empty() ? "" : ", ") + std::to_string(std::max<std::int64_t>(size - 1, 0));
  }
  return example;
}

std::vector<std::string> key_lines() {
  return {bold("Keys"),
          "Enter, space  next step",
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
          "Any key goes back to the step."};
}

}  // namespace attn::present
