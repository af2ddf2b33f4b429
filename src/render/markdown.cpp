#include "render/markdown.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "emit/notebook.hpp"
#include "lesson/cell.hpp"
#include "lesson/compared.hpp"
#include "lesson/derivation.hpp"
#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "lesson/questions.hpp"
#include "picture/heatmap.hpp"
#include "text/lines.hpp"

namespace attn::render {

namespace {

void write_fenced(std::ostream& out, const std::string& text) {
  const std::string fence = fence_around(longest_backtick_run(text));
  out << fence << "text\n" << text << '\n' << fence << '\n';
}

/// "one_query" as a heading: "One query".
std::string section_title(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  if (!name.empty()) {
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  return escaped_markdown(name);
}

/// In a heat map only the names of tokens may contain backticks.
void write_fenced_heatmap(std::ostream& out, const Tensor& tensor, const ShownChapter& chapter,
                          const torch::PrintOptions& print) {
  std::size_t longest_run = 0;
  for (const std::string& token : chapter.tokens) {
    longest_run = std::max(longest_run, longest_backtick_run(token));
  }
  const std::string fence = fence_around(longest_run);
  const Terminal paper = {.width = print.linewidth, .unicode = true};
  out << fence << "text\n";
  write_heatmap(out, {tensor, chapter.tokens, print, paper});
  out << fence << '\n';
}

void write_shown(std::ostream& out, const Step& step, const ShownChapter& chapter, const Document& document) {
  if (step.kind == Step::Kind::tensor && document.heatmap) {
    write_fenced_heatmap(out, *step.tensor, chapter, document.text.print);
  } else if (step.kind == Step::Kind::tensor) {
    const std::string fence = fence_around(0);
    out << fence << "text\n";
    write_value([&out](std::string_view text) { out << text; }, step, document.text);
    out << '\n' << fence << '\n';
  } else {
    write_fenced(out, value_text(step, document.text));
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
  if (!explanation.notices.empty()) {
    out << '\n';
  }
  for (const std::string& notice : explanation.notices) {
    out << "- " << escaped_markdown(notice) << '\n';
  }
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
  for (const std::string& goal : frame.goals) {
    out << "- " << escaped_markdown(goal) << '\n';
  }
  if (!frame.formula.text.empty()) {
    out << '\n' << code_span(frame.formula.text) << '\n';
  }
  for (std::size_t i = 0; i < frame.formula.terms.size(); ++i) {
    out << (i == 0 ? "\n" : "") << "- " << escaped_markdown(frame.formula.terms[i]) << '\n';
  }
  if (!frame.map.empty()) {
    out << '\n';
    write_fenced(out, text::joined(map_lines(frame.map, width), "\n"));
  }
}

void write_handout_ending(std::ostream& out, const Frame& frame) {
  out << "\n## Summary\n\n";
  for (const std::string& sentence : frame.seen) {
    out << "- " << escaped_markdown(sentence) << '\n';
  }
  if (!frame.next.empty()) {
    out << "\nNext steps:\n\n";
    write_fenced(out, text::joined(frame.next, "\n"));
  }
}

void write_steps(std::ostream& out, const ShownChapter& chapter, const Document& document) {
  std::string section;
  for (const Step& step : chapter.steps) {
    if (step.section != section) {
      section = step.section;
      out << "\n## " << section_title(section) << '\n';
    }
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
  out << '\n';
  write_fenced(out, marked_text(as_is, changed, text).substr(label_text(changed).size()));
  write_notices(out, explanation);
}

/// Writes each step that differs, as it is and changed, and names the others.
void write_comparison(std::ostream& out, const ShownChapter& chapter, const ShownWhatIf& what_if,
                      const Document& document) {
  out << "\nWhat if " << code_span(what_if.name) << ": " << escaped_markdown(what_if.rule) << ". "
      << escaped_markdown(what_if.did) << "\n\nA `*` precedes each number that differs.\n";
  std::string section;
  for (const Compared& one : compared_steps(chapter.steps, what_if.steps, document.text)) {
    if (one.section != section) {
      section = one.section;
      out << "\n## " << section_title(section) << '\n';
    }
    const auto& [as_is, changed] = one.pair;
    if (!one.likeness.empty()) {
      out << '\n';
      for (std::size_t i = 0; i < one.names.size(); ++i) {
        out << (i == 0 ? "" : ", ") << code_span(one.names[i]);
      }
      out << ": " << one.likeness << ".\n";
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
  out << "\n## " << code_span(text.substr(0, text.find(" = "))) << "\n\n";
  write_fenced(out, text);
}

}  // namespace

void write_markdown(std::ostream& out, const Document& document) {
  if (document.asked) {
    write_exercises_markdown(out, document);
    return;
  }
  const char* between = "";
  for (const ShownChapter& chapter : document.chapters) {
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

namespace {

/// The exercises' destination. The formats differ only in the space for answers.
class Sheet {
 public:
  Sheet() = default;
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;
  virtual ~Sheet() = default;
  virtual void add_text(const std::string& markdown) = 0;
  virtual void add_blank() = 0;  ///< space for an answer
};

class MarkdownSheet : public Sheet {
 public:
  explicit MarkdownSheet(std::ostream& out) : out_(out) {}
  void add_text(const std::string& markdown) override {
    out_ << between_ << markdown << '\n';
    between_ = "\n";
  }
  void add_blank() override {}

 private:
  std::ostream& out_;
  const char* between_ = "";
};

class NotebookSheet : public Sheet {
 public:
  void add_text(const std::string& markdown) override { notebook_.add_text(markdown); }
  void add_blank() override { notebook_.add_blank(); }
  void write(std::ostream& out) const { notebook_.write(out); }

 private:
  emit::Notebook notebook_;
};

std::string fenced(const std::string& text) {
  const std::string fence = fence_around(longest_backtick_run(text));
  return fence + "text\n" + text + "\n" + fence;
}

class Exercises {
 public:
  Exercises(Sheet& sheet, const Document& document, const ShownChapter& chapter)
      : sheet_(sheet),
        document_(document),
        chapter_(chapter),
        questions_(document.text, document.asked->cells, document.asked->seed) {}

  void write() {
    sheet_.add_text("# " + escaped_markdown(chapter_.title) + ": exercises");
    sheet_.add_text(
        "Compute the number behind each question mark, with as many digits as its neighbours have. The answers "
        "are at the end.");
    for (const Step& step : chapter_.steps) {
      add(step);
    }
    sheet_.add_text("## Answers");
    if (answers_.empty()) {
      sheet_.add_text("There is nothing to compute: these steps have no computed numbers.");
    }
    for (const std::string& answer : answers_) {
      sheet_.add_text(answer);
    }
  }

 private:
  void add(const Step& step) {
    const auto question = step.in_article ? questions_.of(step) : std::nullopt;
    const StepExplanation said = explain(step, chapter_.why, chapter_.tokens);
    std::string text = "## " + code_span(full_name(step)) + (step.kind == Step::Kind::size ? ", its shape" : "");
    for (const std::string& part : {escaped_markdown(said.why), said.shapes.empty() ? "" : code_span(said.shapes)}) {
      text += part.empty() ? "" : "\n\n" + part;
    }
    sheet_.add_text(text);
    if (!question) {
      const torch::PrintedTensor printed = printed_step(step, document_.text);
      sheet_.add_text(fenced(printed.text));
      questions_.note_shown(step, printed);
      return;
    }
    sheet_.add_text(fenced(question->text));
    for (const torch::PrintedCell& cell : question->asked) {
      ask(step, *question, cell);
    }
    questions_.note_shown(step, question->printed);
  }

  void ask(const Step& step, const Question& question, const torch::PrintedCell& printed) {
    const Cell cell = {&step, index_at(printed.position, step.tensor->shape())};
    const std::string number = std::to_string(answers_.size() + 1);
    const std::string name = cell_name(step.name, cell.index);
    const std::string places = CellWords(step, chapter_.tokens).places(*step.tensor, cell.index);
    std::string text = "**" + number + ".** " + code_span(name + " = ") + " \\_\\_\\_\\_\\_\\_\\_\\_" +
                       (places.empty() ? "" : " (" + escaped_markdown(places) + ")");
    if (question.tells_operands) {
      const auto all = hints(cell, chapter_.tokens, document_.text.print);
      text += all.empty() ? "" : "\n\n" + fenced(text::joined(all[0], "\n"));
    }
    sheet_.add_text(text);
    sheet_.add_blank();
    std::string derivation = derivation_text(cell, 1, chapter_.tokens, document_.text.print);
    derivation.pop_back();
    answers_.push_back("**" + number + ".** " + code_span(name + " = " + torch::cell_text(question.printed, printed)) +
                       "\n\n" + fenced(derivation));
  }

  Sheet& sheet_;
  const Document& document_;
  const ShownChapter& chapter_;
  Questions questions_;
  std::vector<std::string> answers_;
};

void write_exercises(Sheet& sheet, const Document& document) {
  for (const ShownChapter& chapter : document.chapters) {
    Exercises(sheet, document, chapter).write();
  }
}

}  // namespace

void write_exercises_markdown(std::ostream& out, const Document& document) {
  MarkdownSheet sheet(out);
  write_exercises(sheet, document);
}

void write_exercises_notebook(std::ostream& out, const Document& document) {
  NotebookSheet sheet;
  write_exercises(sheet, document);
  sheet.write(out);
}

namespace {

bool is_alphanumeric(std::string_view text, std::size_t i) {
  return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
}

}  // namespace

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

std::string fence_around(std::size_t longest_run) {
  return std::string(std::max<std::size_t>(3, longest_run + 1), '`');
}

}  // namespace attn::render
