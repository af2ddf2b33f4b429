#include "verify/explain/finding.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "lesson/printed.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"

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

void set_mistake(Finding& finding, const Cause& mistaken, bool is_first) {
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

namespace {

using Choice = Steps::Choice;

/// The words before each printed thing, or else the expression that prints it; plain.
std::vector<std::string> labels_of(std::span<const Printed> printed, const PageProgram& program) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const bool is_written = printed[i].label.empty() && program.at(i) != nullptr;
    labels.push_back(plain_label(is_written ? std::string_view(program.at(i)->words) : printed[i].label));
  }
  return labels;
}

/// Adds a note for each of the article's slips that explains the finding.
void add_slips(Finding& finding) {
  const Printed& printed = *finding.printed;
  for (const chapters::Slip& slip :
       finding.step != nullptr ? finding.explanation->slips : std::vector<chapters::Slip>{}) {
    const bool is_labelled = plain_label(printed.label).find(plain_label(slip.label)) != std::string::npos;
    const bool is_unknown = finding.verdict == Verdict::unknown;
    const bool is_other_shape = printed.shape != finding.step->tensor->shape();
    const bool is_there = slip.where == chapters::Slip::Where::other_shape           ? is_unknown && is_other_shape
                          : slip.where == chapters::Slip::Where::missing_parenthesis ? printed.missing_parenthesis
                          : slip.where == chapters::Slip::Where::no_grad_fn
                              ? printed.grad_fn.empty() && !finding.step->tensor->grad_fn().empty()
                              : !is_unknown;
    if (is_there && is_labelled && slip.chapter == finding.chapter() && slip.step == finding.step->name) {
      finding.verdict = slip.where == chapters::Slip::Where::other_shape ? Verdict::differs : finding.verdict;
      finding.notes.emplace_back(slip.text);
    }
  }
}

/// Lists the axes of a printed size that are not the right ones.
void set_wrong_axes(Finding& finding, const Shape& right) {
  const Shape& page = finding.printed->shape;
  const auto number = [](const Shape& shape, std::size_t axis) {
    return axis < shape.size() ? std::to_string(shape[axis]) : "";
  };
  finding.verdict = Verdict::differs;
  finding.by = By::none;
  for (std::size_t axis = 0; axis < std::max(page.size(), right.size()); ++axis) {
    if (number(page, axis) != number(right, axis) && finding.differing_cells++ < std::int64_t{most_listed}) {
      finding.differences.push_back({{static_cast<std::int64_t>(axis)},
                                     number(page, axis),
                                     number(right, axis),
                                     axis < right.size() ? static_cast<double>(right[axis]) : 0});
    }
  }
}

/// A page and its possible origins.
class Matcher {
 public:
  Matcher(std::span<const Printed> printed, std::span<const Explanation> explanations, const PageProgram& program,
          std::span<const Source> known)
      : printed_(printed),
        program_(program),
        labels_(labels_of(printed, program)),
        steps_(printed, labels_, explanations),
        source_(program) {
    std::ranges::for_each(known, [&](const Source& source) { relations_.add(source); });
  }

  Report run(std::span<const Explanation> explanations) {
    report_.notes = program_.ran().notes;
    report_.findings.reserve(printed_.size());
    for (std::size_t i = 0; i < printed_.size(); ++i) {
      report_.findings.push_back(is_size(printed_[i]) ? size(i) : tensor(i));
      if (!is_size(printed_[i])) {
        add_slips(report_.findings.back());
        pass(i, report_.findings.back());
      }
    }
    for (std::size_t i = 0; i < printed_.size(); ++i) {  // a row may stand before its whole tensor
      if (Finding& finding = report_.findings[i]; finding.verdict == Verdict::unknown && is_whole(i)) {
        said_ = source_.says(i, true);
        finding = computed(i, Said::Kind::right).value_or(finding);
      }
    }
    list_lessons();
    add_faults();
    find_mistakes(report_, explanations);
    return std::move(report_);
  }

 private:
  // ---- Sources ------------------------------------------------------------------------------------

  /// Asks the sources in turn, the strongest first.
  Finding tensor(std::size_t i) {
    said_ = source_.says(i);
    near_.reset();
    std::optional<Finding> found;
    const auto ask = [&](const auto& source) { found = found ? std::move(found) : source(); };
    ask([&] { return steps_.holds(i) ? std::optional(of_step(i, *steps_.chosen(i))) : std::nullopt; });
    ask([&] { return computed(i, Said::Kind::right); });
    ask([&] {
      near_ = nearest_step(i);
      return near_ && near_->verdict == Verdict::last_digit ? near_ : std::nullopt;
    });
    ask([&] { return computed(i, Said::Kind::near); });
    ask([&] { return stale(i); });
    ask([&] { return follows(i); });
    ask([&] { return near_; });
    !found || found->step == nullptr ? steps_.choose(i, {}) : void();
    return found ? *std::move(found) : unknown(i);
  }

  std::optional<Finding> computed(std::size_t i, Said::Kind kind) {
    return said_.kind == kind ? std::optional(following(i, By::program, source_.words(i), said_.sources, said_.wrong))
                              : std::nullopt;
  }

  /// The output of another run of the program, which is right so far.
  std::optional<Finding> stale(std::size_t i) {
    if (said_.kind != Said::Kind::other || !program_.is_certain(i) || !is_program_right_) {
      return std::nullopt;
    }
    Finding finding = unknown(i);
    const Place& place = printed_[i].place;
    finding.notes.push_back((place.cell > 0 ? "In [" + std::to_string(place.number) + "]" : "this output") +
                            " shows other numbers than its program: run it again?");
    return finding;
  }

  /// What it follows from; but what nearly is a step is judged by that, if it follows from steps alone.
  std::optional<Finding> follows(std::size_t i) {
    const auto relation = is_whole(i) ? relations_.find(*steps_.shown(i)) : std::nullopt;
    const auto is_step = [&](std::size_t place) { return report_.findings[place].by == By::lesson; };
    if (!relation || (near_ && !relation->sources.empty() && std::ranges::all_of(relation->sources, is_step))) {
      return std::nullopt;
    }
    Finding finding = following(i, By::relation, relation->words, relation->sources);
    finding.is_rooted = relation->is_rooted;
    return finding;
  }

  /// An unexplained tensor, with the step of its label or place.
  Finding unknown(std::size_t i) const {
    const Choice labelled = steps_.labelled(i);
    const Choice nearest = labelled ? labelled : steps_.placed(i);
    return nearest ? finding_of(printed_[i], steps_[*nearest].explanation, steps_[*nearest].step)
                   : finding_of(printed_[i]);
  }

  bool is_whole(std::size_t i) const { return !has_gap(printed_[i]) && steps_.shown(i); }

  /// A tensor that follows from others or, with wrong cells, would.
  Finding following(std::size_t i, By by, const std::string& words, const std::vector<std::size_t>& sources,
                    const std::vector<Wrong>& wrong = {}) {
    Finding finding = finding_of(printed_[i]);
    finding.relation = words;
    finding.sources = sources;
    settle(finding, wrong, Verdict::follows, by);
    const auto is_known = [&](std::size_t place) { return report_.findings[place].is_known(); };
    finding.is_rooted = by == By::program && wrong.empty() &&
                        (said_.is_exact || (!sources.empty() && std::ranges::all_of(sources, is_known)));
    return finding;
  }

  // ---- Steps --------------------------------------------------------------------------------------

  /// A tensor of a step's shape: same, same numbers, last digits, or different.
  Finding of_step(std::size_t i, std::size_t step) const {
    Finding finding = finding_of(printed_[i], steps_[step].explanation, steps_[step].step);
    const Tensor& tensor = *finding.step->tensor;
    Bounds bounds;
    settle(finding, agree(*steps_.shown(i), tensor, bounds).wrong, Verdict::same, By::lesson);
    if (finding.verdict == Verdict::same) {
      finding.layout = layout_difference(printed_[i], tensor);
      finding.verdict = finding.layout.empty() ? Verdict::same : Verdict::same_numbers;
    }
    return finding;
  }

  bool is_inputs(std::size_t step) const {
    const Step& one = *steps_[step].step;
    return one.tensor->kind() == Kind::given && one.name.find("input") != std::string::npos;
  }

  /// Returns true if a tensor that nearly has a step's numbers should have them. Inputs are the page's own, unless the
  /// page computes something of the article's from them that holds.
  bool is_the_articles(std::size_t i, std::size_t step) const {
    bool is_used = !is_inputs(step);
    for (std::size_t other = 0; !is_used && other < printed_.size(); ++other) {
      is_used = other != i && steps_.holds(other) && !is_inputs(*steps_.chosen(other)) &&
                steps_[*steps_.chosen(other)].explanation->article == steps_[step].explanation->article;
    }
    return is_used;
  }

  /// The step that the tensor should be, by its numbers, its label or its place, with what is wrong: not all cells,
  /// unless a shown lesson has the step at this place.
  std::optional<Finding> nearest_step(std::size_t i) {
    const Choice chosen = steps_.chosen(i);
    const Choice labelled = steps_.labelled(i);
    const Choice placed = steps_.placed(i);
    const Choice step = chosen ? chosen : labelled ? labelled : placed;
    const auto shown = step && is_the_articles(i, *step) ? steps_.shown(i) : std::nullopt;
    if (!shown || !may_show(*shown, steps_[*step].step->tensor->shape())) {
      return std::nullopt;
    }
    Finding finding = of_step(i, *step);
    const bool is_near = !finding.marks.empty() && finding.marks.size() <= few_of(*shown) &&
                         (finding.marks.size() < shown->size() || (step == placed && steps_.is_shown(*step)));
    if (!chosen && !is_near) {
      return std::nullopt;
    }
    steps_.choose(i, step);
    return finding;
  }

  // ---- Sizes --------------------------------------------------------------------------------------

  /// The size of a tensor: as the program prints it, of a step beside it, or of a tensor that is printed near it.
  Finding size(std::size_t i) {
    const Printed& printed = printed_[i];
    const ProgramPrint* const print = program_.at(i);
    Finding finding = finding_of(printed);
    if (print != nullptr && print->size && (print->size == printed.shape || is_program_right_)) {
      finding.relation = print->words + ", as the listing computes it";
      settle(finding, {}, Verdict::follows, By::program);
      print->size == printed.shape ? void() : set_wrong_axes(finding, *print->size);
    } else if (const Choice step = labelled_or_sized(i)) {
      steps_.choose(i, step);
      finding = finding_of(printed, steps_[*step].explanation, steps_[*step].step);
      settle(finding, {}, Verdict::same, By::lesson);
      finding.step->tensor->shape() == printed.shape ? void() : set_wrong_axes(finding, finding.step->tensor->shape());
    } else if (const Choice tensor = tensor_of_size(i)) {
      finding.relation = called(printed_, *tensor) + ".shape";
      finding.sources = {*tensor};
      settle(finding, {}, Verdict::follows, By::relation);
    }
    return finding;
  }

  /// The step with its label, if what is printed just before belongs to that lesson, or with its size.
  Choice labelled_or_sized(std::size_t i) const {
    constexpr int of_tensor = 6;
    const Choice labelled = steps_.labelled(i);
    const Choice before = i > 0 ? steps_.chosen(i - 1) : std::nullopt;
    if (labelled && before && steps_[*before].explanation == steps_[*labelled].explanation) {
      return labelled;
    }
    return steps_.beside(i, [&](std::size_t step) -> std::optional<int> {
      const KnownStep& known = steps_[step];
      const int cost = (known.is_size ? 0 : of_tensor) + 2 * label_distance(labels_[i], known);
      return known.step->tensor->shape() == printed_[i].shape ? std::optional(cost) : std::nullopt;
    });
  }

  /// The nearest printed tensor with this size: above, or below in the same cell's output.
  Choice tensor_of_size(std::size_t i) const {
    constexpr std::size_t most_apart = 20;
    for (std::size_t apart = 1; apart <= most_apart; ++apart) {
      for (const std::size_t other : {i - apart, i + apart}) {
        const bool is_there = other < printed_.size() && !is_size(printed_[other]) && !has_gap(printed_[other]) &&
                              (other < i || printed_[other].place.cell == printed_[i].place.cell);
        if (is_there && printed_[other].shape == printed_[i].shape) {
          return other;
        }
      }
    }
    return std::nullopt;
  }

  // ---- What later tensors may follow from ---------------------------------------------------------

  void pass(std::size_t i, const Finding& finding) {
    is_program_right_ = is_program_right_ || finding.by == By::program;
    source_.pass(i, said_);
    if (is_whole(i)) {
      relations_.add({*steps_.shown(i), called(printed_, i), i, finding.is_known()});
    }
  }

  // ---- The report ---------------------------------------------------------------------------------

  /// Tensors that a fault of the program makes wrong have its mistake, the first of them, or inherit it.
  void add_faults() {
    report_.faults = program_.faults();
    for (const Fault& fault : report_.faults) {
      bool is_first = true;
      for (std::size_t i = 0; i < printed_.size() && !fault.is_note && fault.tensor; ++i) {
        Finding& finding = report_.findings[i];
        const bool is_open = holds(finding.verdict) || (finding.verdict == Verdict::unknown && finding.notes.empty());
        if (is_open && source_.depends_on(i, *fault.tensor)) {
          set_mistake(finding, {fault.name, fault.sentence, fault.instead}, std::exchange(is_first, false));
        }
      }
    }
  }

  /// Lists the findings' lessons, most frequent first.
  void list_lessons() {
    std::vector<std::pair<std::int64_t, const Explanation*>> lessons;
    for (const Finding& finding : report_.findings) {
      if (finding.explanation != nullptr && finding.verdict != Verdict::unknown) {
        const auto same = std::ranges::find_if(
            lessons, [&](const auto& one) { return is_same_lesson(*one.second, *finding.explanation); });
        same == lessons.end() ? void(lessons.emplace_back(1, finding.explanation)) : void(++same->first);
      }
    }
    std::ranges::stable_sort(lessons, std::greater(), [](const auto& one) { return one.first; });
    for (const auto& [count, explanation] : lessons) {
      report_.lessons.push_back(explanation);
      if (explanation->dropout_kernel != "default") {
        report_.notes.push_back("these are the numbers of PyTorch's " + dropout_words(*explanation));
      }
    }
  }

  std::span<const Printed> printed_;
  const PageProgram& program_;
  std::vector<std::string> labels_;
  Steps steps_;
  ProgramSource source_;
  Relations relations_;
  Report report_;
  Said said_;                      ///< of the tensor looked at
  std::optional<Finding> near_;    ///< the step that it nearly is
  bool is_program_right_ = false;  ///< the program computes some tensor above
};

}  // namespace

Report match(std::span<const Printed> printed, std::span<const Explanation> explanations, const PageProgram& program,
             std::span<const Source> known) {
  return printed.empty() ? Report{} : Matcher(printed, explanations, program, known).run(explanations);
}

}  // namespace attn::verify
