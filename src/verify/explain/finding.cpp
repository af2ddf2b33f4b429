#include "verify/explain/finding.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "lesson/printed.hpp"
#include "text/ascii.hpp"
#include "text/lines.hpp"

namespace attn::verify {

namespace {

/// A tensor's text without what pages lose.
std::string plain_layout(std::string_view text) {
  std::string result;
  for (const std::string& line : text::lines_of(text)) {
    if (const std::size_t end = line.find_last_not_of(" \t\r") + 1; end > 0) {
      result.append(result.empty() ? "" : "\n").append(line, 0, end);
    }
  }
  constexpr std::string_view old_name = "SqueezeBackward3";
  if (const std::size_t found = result.rfind(old_name); found != std::string::npos) {
    result[found + old_name.size() - 1] = '4';
  }
  return result;
}

std::string without_space(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

}  // namespace

bool holds(Verdict verdict) {
  using enum Verdict;
  return verdict == same || verdict == same_numbers || verdict == last_digit || verdict == follows;
}

std::int64_t Report::count(Printed::Kind kind, std::optional<Verdict> verdict, std::optional<By> by) const {
  return std::ranges::count_if(findings, [&](const Finding& one) {
    return one.printed->kind == kind && verdict.value_or(one.verdict) == one.verdict && by.value_or(one.by) == one.by;
  });
}

Finding finding_of(const Printed& printed, const Explanation* explanation, const Step* step) {
  Finding finding;
  finding.printed = &printed;
  finding.explanation = explanation;
  finding.step = step;
  return finding;
}

void set_wrong(Finding& finding, std::vector<Wrong> wrong) {
  const Printed& printed = *finding.printed;
  const auto sample = std::ranges::find_if(printed.cells, [](const Cell& cell) { return std::isfinite(cell.value); });
  finding.last_digit_cells = std::ranges::count_if(wrong, &Wrong::is_close);
  finding.differing_cells += std::ssize(wrong) - finding.last_digit_cells;
  for (const Wrong& one : wrong) {
    if (one.is_close == (finding.differing_cells == 0) && finding.differences.size() < most_listed) {
      const Cell& cell = printed.cells[at(one.cell)];
      const Cell& style = std::isfinite(cell.value) || sample == printed.cells.end() ? cell : *sample;
      finding.differences.push_back(
          {index_at(one.cell, printed.shape), std::string(cell.text), in_format_of(style, one.right), one.right});
    }
  }
  finding.marks = std::move(wrong);
}

void settle(Finding& finding, std::vector<Wrong> wrong, Verdict right, By by) {
  set_wrong(finding, std::move(wrong));
  finding.verdict = finding.differing_cells > 0    ? Verdict::differs
                    : finding.last_digit_cells > 0 ? Verdict::last_digit
                                                   : right;
  finding.by = holds(finding.verdict) ? by : By::none;
}

void set_mistake(Finding& finding, const Mistaken& mistaken, bool is_first) {
  finding.verdict = is_first ? Verdict::mistake : Verdict::inherited;
  finding.by = By::none;
  finding.is_rooted = false;
  finding.mistaken = mistaken;
}

std::string layout_difference(const Printed& printed, const Tensor& tensor) {
  const std::string page = plain_layout(printed.text);
  const std::string right = plain_layout(render::tensor_text(tensor, {}));
  if (page == right) {
    return "";
  }
  const std::size_t begin = std::min(right.rfind("grad_fn=<"), right.size());
  const std::string grad_fn = right.substr(begin, right.find('>', begin) + 1 - begin);
  return printed.missing_parenthesis                                   ? "the closing parenthesis is missing"
         : !grad_fn.empty() && page.find(grad_fn) == std::string::npos ? grad_fn + " is missing"
         : without_space(page) == without_space(right)                 ? "spacing"
                                                                       : "written otherwise";
}

std::string plain_label(std::string_view label) {
  std::string result;
  for (const char c : label) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      result += text::lower(c);
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  result.erase(result.find_last_not_of(": ") + 1);
  return result;
}

char projection_of(std::string_view words) {
  const std::string plain = plain_label(words);
  std::string found;
  for (const std::string_view name : {"quer", "key", "value"}) {
    const bool is_letter = plain == name.substr(0, 1) || plain == "w" + std::string(1, name[0]);
    if ((is_letter || plain.find(name) != std::string::npos) && found.find(name[0]) == std::string::npos) {
      found += name[0];
    }
  }
  return found.size() == 1 ? found[0] : '\0';
}

std::string called(std::span<const Printed> printed, std::size_t i) {
  const Place& place = printed[i].place;
  const std::string line = "line " + std::to_string(place.line);
  const auto is_beside = [&](std::size_t other) {
    return other < printed.size() && printed[other].place.cell == place.cell && !is_size(printed[other]);
  };
  const std::string cell = "cell " + std::to_string(place.number);
  return place.cell == 0 ? line : is_beside(i - 1) || is_beside(i + 1) ? cell + " " + line : cell;
}

std::string in_format_of(const Cell& cell, double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  if (cell.text == "True" || cell.text == "False") {
    return value != 0 ? "True" : "False";
  }
  const bool is_whole = value == std::floor(value);
  if (!std::isfinite(cell.value)) {
    return written_like(0, is_whole ? 0 : 1e-4, false, value) + (is_whole ? "." : "");
  }
  const bool is_scientific = cell.text.find_first_of("eE") != std::string_view::npos;
  const std::string text = written_like(cell.value, cell.unit, is_scientific, value);
  const bool lacks_point = cell.text.find('.') != std::string_view::npos && text.find('.') == std::string::npos;
  return lacks_point && !is_scientific ? text + "." : text;
}

}  // namespace attn::verify
