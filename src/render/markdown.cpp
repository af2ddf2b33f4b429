/// Text as parts of a CommonMark document.

#include <algorithm>
#include <cctype>
#include <ostream>
#include <sstream>

#include "emit/emitters.hpp"
#include "lesson/cell.hpp"
#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "lesson/questions.hpp"
#include "lesson/told.hpp"
#include "picture/heatmap.hpp"
#include "render/writers.hpp"
#include "text/lines.hpp"

namespace attn::render {
namespace {

bool is_alphanumeric(std::string_view text, std::size_t i) {
  return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
}

/// Escapes the characters that could be markup, so that the text reads as itself. Underscores within a word need no
/// escape.
std::string escaped_markdown(std::string_view text) {
  constexpr std::string_view always = "\\`*[]<>&|~#";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_outer_underscore =
        text[i] == '_' && !(i > 0 && is_alphanumeric(text, i - 1) && is_alphanumeric(text, i + 1));
    const bool begins_list = i == 0 && (text[i] == '-' || text[i] == '+' || text[i] == '=');
    if (always.find(text[i]) != std::string_view::npos || is_outer_underscore || begins_list) {
      result += '\\';
    }
    result += text[i];
  }
  const std::size_t digits = std::min(result.find_first_not_of("0123456789"), result.size());
  const bool begins_numbered_list =
      digits > 0 && digits < result.size() && (result[digits] == '.' || result[digits] == ')');
  return begins_numbered_list ? result.substr(0, digits) + '\\' + result.substr(digits) : result;
}

std::size_t longest_backtick_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string code_span(const std::string& text) {
  const std::string ticks(longest_backtick_run(text) + 1, '`');
  const std::string space = text.starts_with('`') || text.ends_with('`') ? " " : "";
  return ticks + space + text + space + ticks;
}

std::string fenced(const std::string& text) {
  const std::string fence(std::max<std::size_t>(3, longest_backtick_run(text) + 1), '`');
  return fence + "text\n" + text + "\n" + fence;
}

void write_items(std::ostream& out, std::span<const std::string> items) {
  for (const std::string& item : items) {
    out << "- " << escaped_markdown(item) << '\n';
  }
}

/// Begins a section, "one_query" as "One query", unless it is the `current` one.
void write_section(std::ostream& out, const std::string& section, std::string& current) {
  if (section == current) {
    return;
  }
  current = section;
  std::string title = section;
  std::ranges::replace(title, '_', ' ');
  if (!title.empty()) {
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  }
  out << "\n## " << escaped_markdown(title) << '\n';
}

/// Writes the value as it is printed, or the tensor's heat map.
void write_shown(std::ostream& out, const Step& step, const ShownChapter& chapter, const Document& document) {
  if (step.kind != Step::Kind::tensor) {
    out << fenced(value_text(step, document.text)) << '\n';
  } else if (!document.heatmap) {  // it has no backticks, and may be large
    out << "```text\n";
    write_value([&out](std::string_view text) { out << text; }, step, document.text);
    out << "\n```\n";
  } else {
    std::ostringstream map;
    const Terminal paper = {.width = document.text.print.linewidth, .unicode = true};
    write_heatmap(map, {*step.tensor, chapter.tokens, document.text.print, paper});
    const std::string lines = map.str();
    out << fenced(lines.substr(0, lines.size() - 1)) << '\n';
  }
}

void write_pipe_table(std::ostream& out, const std::vector<std::vector<std::string>>& table) {
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const std::string& cell : table[row]) {
      out << "| " << escaped_markdown(cell) << ' ';
    }
    out << "|\n";
    for (std::size_t column = 0; row == 0 && column < table[0].size(); ++column) {
      out << (column == 0 ? "| :-- " : "| --: ") << (column + 1 == table[0].size() ? "|\n" : "");
    }
  }
}

void write_reasons(std::ostream& out, const StepExplanation& explanation) {
  if (!explanation.why.empty()) {
    out << '\n' << escaped_markdown(explanation.why) << '\n';
  }
  for (const Reason& reason : explanation.reasons) {
    out << '\n' << escaped_markdown(reason.text) << '\n' << (reason.table.empty() ? "" : "\n");
    write_pipe_table(out, reason.table);
  }
  if (!explanation.shapes.empty()) {
    out << '\n' << code_span(explanation.shapes) << '\n';
  }
}

void write_notices(std::ostream& out, const StepExplanation& explanation) {
  out << (explanation.notices.empty() ? "" : "\n");
  write_items(out, explanation.notices);
}

void write_step(std::ostream& out, const Step& step, const ShownChapter& chapter, const Document& document) {
  const StepExplanation explanation = explain(step, chapter.why, chapter.tokens);
  out << '\n'
      << (step.section.empty() ? "## " : "### ") << code_span(step.name)
      << (step.kind == Step::Kind::size ? ", its shape" : "") << '\n';
  for (const StepExplanation& before : explanation.through) {
    out << '\n' << code_span(before.name + " = " + before.expression) << '\n';
    write_reasons(out, before);
    write_notices(out, before);
  }
  write_reasons(out, explanation);
  out << '\n';
  write_shown(out, step, chapter, document);
  write_notices(out, explanation);
}

void write_handout_opening(std::ostream& out, const Frame& frame, std::int64_t width) {
  out << '\n' << escaped_markdown(frame.question) << '\n';
  out << '\n' << escaped_markdown(frame.idea) << '\n';
  out << '\n' << goals_heading << ":\n\n";
  write_items(out, frame.goals);
  if (!frame.formula.text.empty()) {
    out << '\n' << code_span(frame.formula.text) << '\n';
  }
  out << (frame.formula.terms.empty() ? "" : "\n");
  write_items(out, frame.formula.terms);
  if (!frame.map.empty()) {
    out << '\n' << fenced(text::joined(map_lines(frame.map, width), "\n")) << '\n';
  }
}

void write_handout_ending(std::ostream& out, const Frame& frame) {
  out << "\n## Summary\n\n";
  write_items(out, frame.seen);
  if (!frame.next.empty()) {
    out << "\nNext steps:\n\n" << fenced(text::joined(frame.next, "\n")) << '\n';
  }
}

void write_steps(std::ostream& out, const ShownChapter& chapter, const Document& document) {
  std::string section;
  for (const Step& step : chapter.steps) {
    write_section(out, step.section, section);
    write_step(out, step, chapter, document);
  }
}

/// Writes the step with the rule changed, its numbers marked where they differ.
void write_changed(std::ostream& out, const Step& as_is, const Step& changed, const ShownChapter& chapter,
                   const TextOptions& text) {
  const StepExplanation explanation = explain(changed, {}, chapter.tokens);  // the unchanged step has the reasons
  out << "\nChanged:\n";
  if (!explanation.shapes.empty()) {
    out << '\n' << code_span(explanation.shapes) << '\n';
  }
  out << '\n' << fenced(marked_text(as_is, changed, text).substr(label_text(changed).size())) << '\n';
  write_notices(out, explanation);
}

/// Writes each step that differs, as it is and changed, and names the others.
void write_comparison(std::ostream& out, const ShownChapter& chapter, const ShownWhatIf& what_if,
                      const Document& document) {
  out << "\nWhat if " << code_span(what_if.name) << ": " << escaped_markdown(what_if.rule) << ". "
      << escaped_markdown(what_if.did) << "\n\nA `*` precedes each number that differs.\n";
  std::string section;
  for (const Compared& one : compared_steps(chapter.steps, what_if.steps, document.text)) {
    write_section(out, one.section, section);
    const auto& [as_is, changed] = one.pair;
    if (!one.likeness.empty()) {
      std::vector<std::string> names;
      std::ranges::transform(one.names, std::back_inserter(names), code_span);
      out << '\n' << text::joined(names) << ": " << one.likeness << ".\n";
    } else if (as_is == nullptr) {
      write_step(out, *changed, chapter, document);
      out << "\nOnly with the change.\n";
    } else {
      write_step(out, *as_is, chapter, document);
      if (changed == nullptr) {
        out << "\nChanged: no " << code_span(as_is->name) << " here.\n";
      } else {
        write_changed(out, *as_is, *changed, chapter, document.text);
      }
    }
  }
}

void write_derivation(std::ostream& out, const ShownChapter& chapter, const Document& document) {
  std::string text =
      derivation_text(chapter.all_steps, *document.cell, document.depth, chapter.tokens, document.text.print);
  text.pop_back();
  out << "\n## " << code_span(text.substr(0, text.find(" = "))) << "\n\n" << fenced(text) << '\n';
}

// ---- Exercises -------------------------------------------------------------------------------------

/// A question: its number, its cell, and the first hint if the operands are not shown.
std::string question_text(const std::string& number, const Cell& cell, bool tells_operands, const ShownChapter& chapter,
                          const Document& document) {
  const std::string places = CellWords(*cell.step, chapter.tokens).places(*cell.step->tensor, cell.index);
  std::string text = "**" + number + ".** " + code_span(cell.step->name + index_text(cell.index) + " = ") +
                     " \\_\\_\\_\\_\\_\\_\\_\\_" + (places.empty() ? "" : " (" + escaped_markdown(places) + ")");
  if (tells_operands) {
    const auto all = hints(cell, chapter.tokens, document.text.print);
    text += all.empty() ? "" : "\n\n" + fenced(text::joined(all[0], "\n"));
  }
  return text;
}

/// A chapter's exercises in paragraphs; an empty one is the space for an answer.
std::vector<std::string> exercises(const ShownChapter& chapter, const Document& document) {
  Questions questions(document.text, document.asked->cells, document.asked->seed);
  std::vector<std::string> parts = {
      "# " + escaped_markdown(chapter.title) + ": exercises",
      "Compute the number behind each question mark, with as many digits as its neighbours have. The answers are at "
      "the end."};
  std::vector<std::string> answers;
  for (const Step& step : chapter.steps) {
    const auto question = step.in_article ? questions.of(step) : std::nullopt;
    const torch::PrintedTensor printed = question ? question->printed : printed_step(step, document.text);
    const StepExplanation said = explain(step, chapter.why, chapter.tokens);
    parts.push_back("## " + code_span(full_name(step)) + (step.kind == Step::Kind::size ? ", its shape" : "") +
                    (said.why.empty() ? "" : "\n\n" + escaped_markdown(said.why)) +
                    (said.shapes.empty() ? "" : "\n\n" + code_span(said.shapes)));
    parts.push_back(fenced(question ? question->text : printed.text));
    for (const torch::PrintedCell& asked : question ? question->asked : std::vector<torch::PrintedCell>()) {
      const Cell cell = {&step, index_at(asked.position, step.tensor->shape())};
      const std::string number = std::to_string(answers.size() + 1);
      parts.push_back(question_text(number, cell, question->tells_operands, chapter, document));
      parts.emplace_back();
      std::string derivation = derivation_text(cell, 1, chapter.tokens, document.text.print);
      derivation.pop_back();
      const std::string answer = step.name + index_text(cell.index) + " = " + torch::cell_text(printed, asked);
      answers.push_back("**" + number + ".** " + code_span(answer) + "\n\n" + fenced(derivation));
    }
    questions.note_shown(step, printed);
  }
  parts.push_back("## Answers");
  if (answers.empty()) {
    parts.push_back("There is nothing to compute: these steps have no computed numbers.");
  }
  parts.insert(parts.end(), answers.begin(), answers.end());
  return parts;
}

}  // namespace

void write_markdown(std::ostream& out, const Document& document) {
  std::string between;
  for (const ShownChapter& chapter : document.chapters) {
    if (document.asked) {
      for (const std::string& part : exercises(chapter, document)) {
        out << (part.empty() ? "" : between + part + "\n");
        between = "\n";
      }
      continue;
    }
    out << between << "# " << escaped_markdown(chapter.title) << '\n';
    if (document.cell) {
      write_derivation(out, chapter, document);
    } else if (const ShownWhatIf* const what_if = asked_what_if(chapter)) {
      write_comparison(out, chapter, *what_if, document);
    } else if (chapter.framing) {
      const Frame frame = frame_of(chapter.framing(chapter.all_steps), chapter.all_steps, chapter.tokens);
      write_handout_opening(out, frame, document.text.print.linewidth);
      write_steps(out, chapter, document);
      write_handout_ending(out, frame);
    } else {
      write_steps(out, chapter, document);
    }
    between = "\n";
  }
}

void write_exercises_notebook(std::ostream& out, const Document& document) {
  emit::Notebook notebook;
  for (const ShownChapter& chapter : document.chapters) {
    for (const std::string& part : exercises(chapter, document)) {
      if (part.empty()) {
        notebook.add_blank();
      } else {
        notebook.add_text(part);
      }
    }
  }
  notebook.write(out);
}

}  // namespace attn::render
