#include "render/exercises.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "emit/notebook.hpp"
#include "lesson/cell_words.hpp"
#include "lesson/derivation.hpp"
#include "lesson/explain.hpp"
#include "lesson/hints.hpp"
#include "lesson/questions.hpp"
#include "render/commonmark.hpp"
#include "text/lines.hpp"

namespace attn::render {
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

}  // namespace attn::render
