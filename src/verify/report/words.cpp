#include "verify/report/words.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>

#include "verify/explain/kernel_words.hpp"
#include "verify/report/report.hpp"

namespace attn::verify {
namespace {

/// The noun for one item of the index's last axis.
std::string part_noun(const Shape& at, const Shape& shape) {
  const std::size_t from_end = shape.size() - std::min(shape.size(), at.size());
  const bool every_row = std::find(at.begin(), at.end(), -1) != at.end();
  if (from_end == 0) {
    return every_row ? "column" : "cell";
  }
  return from_end == 1 ? "row" : "slice";
}

std::string last_item(const Change& change) { return std::to_string(change.at.back() + change.count - 1); }

}  // namespace

bool is_size(const Finding& finding) { return is_size(*finding.printed); }

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::same: return "same";
    case Verdict::same_numbers: return "same numbers";
    case Verdict::last_digit: return "last digit";
    case Verdict::follows: return "follows";
    case Verdict::mistake: return "mistake";
    case Verdict::inherited: return "inherited";
    case Verdict::differs: return "differs";
    case Verdict::unknown: break;
  }
  return "unknown";
}

std::string place_words(const Place& place) {
  const std::string line = "line " + std::to_string(place.line);
  return place.cell == 0 ? line : "cell " + std::to_string(place.number) + ", " + line;
}

std::string step_words(const Finding& finding) {
  if (!finding.step) {
    return "";
  }
  const std::string section = finding.step->section.empty() ? "" : "/" + finding.step->section;
  return finding.chapter() + section + " " + finding.step->name;
}

std::string lesson_words(const Finding& finding) {
  if (!finding.explanation) {
    return "";
  }
  std::string words = finding.explanation->seed.text() == "123" ? "" : "seed " + finding.explanation->seed.text();
  words += words.empty() || finding.explanation->settings.empty() ? "" : ", ";
  return words + finding.explanation->settings;
}

std::string lesson_words(const Explanation& explanation, bool with_blas) {
  return explanation.article + ", seed " + explanation.seed.text() + ", " +
         (explanation.settings.empty() ? "" : explanation.settings + ", ") + cpu_words(explanation) + ", " +
         (with_blas ? blas_words(explanation) + ", " : "") + dropout_words(explanation);
}

std::string token_name(const Finding& finding, std::int64_t i, std::int64_t size) {
  const bool has_tokens = finding.explanation && static_cast<std::int64_t>(finding.explanation->tokens.size()) == size;
  return has_tokens && i >= 0 && i < size ? finding.explanation->tokens[static_cast<std::size_t>(i)] : "";
}

std::string index_words(const Shape& index, const Shape& shape, const Finding& finding) {
  std::string words = "[";
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    words += axis == 0 ? "" : ", ";
    words += index[axis] < 0 ? ":" : std::to_string(index[axis]);
    const std::string token = axis < shape.size() ? token_name(finding, index[axis], shape[axis]) : "";
    words += token.empty() ? "" : " (" + token + ")";
  }
  return words + "]";
}

const Shape& shape_of_indexes(const Finding& finding) {
  const bool in_step = finding.step && (!is_regular(*finding.printed) || finding.change.kind == Change::Kind::lost);
  return in_step ? finding.step->tensor->shape() : finding.printed->shape;
}

std::string change_words(const Finding& finding) {
  const Change& change = finding.change;
  if (change.kind == Change::Kind::none || !finding.step) {
    return "";
  }
  const Shape& step = finding.step->tensor->shape();
  if (change.kind == Change::Kind::reshaped) {
    return "the numbers stand in the step's order, in another shape than its " + shape_text(step);
  }
  const std::string noun = part_noun(change.at, step);
  const bool lost = change.kind == Change::Kind::lost;
  const std::string several = change.count > 1 ? noun + "s " : noun + " ";
  const std::string up_to = change.count > 1 ? " to " + last_item(change) : "";
  return several + index_words(change.at, lost ? step : finding.printed->shape, finding) + up_to +
         (change.count > 1 ? " are " : " is ") + (lost ? "lost" : "added") + "; the step is " + shape_text(step);
}

bool fails(const Finding& finding, const Demands& demands) {
  switch (finding.verdict) {
    case Verdict::differs: return true;
    case Verdict::mistake:
    case Verdict::inherited: return !demands.allows_mistakes;
    case Verdict::unknown: return demands.strict;
    case Verdict::same:
    case Verdict::same_numbers:
    case Verdict::last_digit:
    case Verdict::follows: break;
  }
  return finding.is_in_part && demands.strict;
}

int exit_code(const Report& report, const Demands& demands) {
  return std::ranges::any_of(report.findings, [&](const Finding& one) { return fails(one, demands); }) ? 1 : 0;
}

std::string exact_digits(double value) {
  char buffer[32];
  return {std::begin(buffer), std::to_chars(std::begin(buffer), std::end(buffer), value).ptr};
}

}  // namespace attn::verify
