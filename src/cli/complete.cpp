#include "cli/complete.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include "article.hpp"
#include "chapter.hpp"
#include "cli/compute.hpp"
#include "cli/names.hpp"
#include "cli/program.hpp"
#include "inputs.hpp"
#include "text/lines.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::cli {
namespace {

using Line = std::span<const std::string>;

constexpr std::string_view two_dashes = "--";

/// The lines of the answer.
class Answer {
 public:
  explicit Answer(std::string_view begun) : begun_(begun) {}

  void word(const std::string& text, std::string_view about = "") { add("word", text, about); }
  void part(const std::string& text, std::string_view about = "") { add("part", text, about); }
  void files(const std::string& before) { lines_ += "files\t" + before + "\n"; }
  void folders(const std::string& before) { lines_ += "folders\t" + before + "\n"; }
  const std::string& lines() const { return lines_; }

 private:
  void add(const std::string& kind, const std::string& text, std::string_view about) {
    if (text.starts_with(begun_)) {
      lines_ += kind + "\t" + text + "\t" + text::one_line(about) + "\n";
    }
  }

  std::string_view begun_;
  std::string lines_;
};

/// A value that is being written: what of the word stands before it, and what there is of it.
struct Begun {
  std::string before;
  std::string value;

  /// Goes on after the last of these characters.
  void skip_past_last(char end) {
    const std::size_t at = value.rfind(end);
    if (at != std::string::npos) {
      before += value.substr(0, at + 1);
      value.erase(0, at + 1);
    }
  }
};

/// Where the cursor is.
struct Cursor {
  const KnownOption* option = nullptr;  ///< whose value it is in
  Begun begun;
  std::size_t start = 0;  ///< of the words before it, those that are whole
  bool after_dashes = false;
};

bool looks_like_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// The option that a word gives its value to, with the part before that value; null where it gives none.
const KnownOption* option_with_value(const std::string& word, const Syntax& syntax, std::string& before) {
  const bool is_long = word.starts_with(two_dashes);
  const std::size_t equals = word.find('=');
  const std::size_t name_size = is_long ? equals : 2;
  if (!looks_like_option(word) || name_size == std::string::npos || (!is_long && word.size() == 2)) {
    return nullptr;
  }
  before = word.substr(0, is_long || equals == 2 ? equals + 1 : 2);
  const KnownOption* option = syntax.find(word.substr(0, name_size));
  return option != nullptr && option->takes_value ? option : nullptr;
}

Cursor cursor_in(Line words, const Syntax& syntax) {
  Cursor cursor;
  for (std::size_t at = 0; at + 1 < words.size(); ++at) {
    cursor.start = at + 1;
    cursor.after_dashes = cursor.after_dashes || words[at] == two_dashes;
    const KnownOption* option = cursor.after_dashes || !looks_like_option(words[at]) ? nullptr : syntax.find(words[at]);
    if (option == nullptr || !option->takes_value) {
      continue;
    }
    if (at + 2 == words.size()) {
      cursor.option = option;
      cursor.start = at;
    }
    ++at;
  }
  const std::string& last = words.back();
  cursor.begun.value = last;
  std::string before;
  if (cursor.option == nullptr && !cursor.after_dashes) {
    cursor.option = option_with_value(last, syntax, before);
    if (cursor.option != nullptr) {
      cursor.begun = {before, last.substr(before.size())};
    }
  }
  return cursor;
}

/// The lesson that the line is about, as far as it tells.
struct SaidSoFar {
  const chapters::Chapter* chapter = nullptr;
  Lesson lesson;
};

SaidSoFar said_so_far(const Options& options) {
  SaidSoFar result = {nullptr, options.command == Command::verify ? options.verify.lesson : options.lesson};
  if (!options.chapters.empty()) {
    result.chapter = options.chapters.front();
    return result;
  }
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    const bool fits = options.verify.article == nullptr || options.verify.article == chapter.article;
    if (result.chapter == nullptr && fits && chapter.name == options.verify.chapter) {
      result.chapter = &chapter;
    }
  }
  return result;
}

/// What may be a value, as its placeholder says: "FILE", "NAME[,NAME...]", "blog|primer".
class Values {
 public:
  Values(const SaidSoFar& line, Answer& answer) : line_(line), answer_(answer) {}

  void add(const std::string& placeholder, const Begun& begun) {
    const std::vector<std::string> forms = forms_of(placeholder);
    const bool is_assigned = begun.value.find('=') != std::string::npos;
    const auto assigns = [](const std::string& form) { return form.find('=') != std::string::npos; };
    const bool is_folder = std::find(forms.begin(), forms.end(), "DIR") != forms.end();
    for (const std::string& form : forms) {
      const bool is_other = is_assigned && !assigns(form) && std::any_of(forms.begin(), forms.end(), assigns);
      if (!is_other && !(is_folder && form == "FILE")) {
        add_form(form, begun);
      }
    }
  }

 private:
  static std::vector<std::string> forms_of(const std::string& placeholder) {
    std::vector<std::string> forms;
    std::size_t start = 0;
    while (start < placeholder.size()) {
      const std::size_t bar = std::min(placeholder.find('|', start), placeholder.size());
      forms.push_back(placeholder.substr(start, bar - start));
      start = bar + 1;
    }
    return forms;
  }

  void add_form(const std::string& form, Begun begun) {
    const std::size_t more = form.find("[,");
    const std::string one = form.substr(0, more);
    if (more != std::string::npos) {
      begun.skip_past_last(',');
    }
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) {
      add_kind(one, begun);
    } else if (begun.value.find('=') != std::string::npos) {
      begun.skip_past_last('=');
      add_kind(one.substr(equals + 1), begun);
    } else if (one.substr(0, equals) == "NAME") {
      add_parameters(begun);
    }
  }

  void add_kind(const std::string& kind, const Begun& begun) {
    if (kind.starts_with("FILE")) {
      answer_.files(begun.before);
    } else if (kind == "DIR") {
      answer_.folders(begun.before);
    } else if (kind == "NAME[I,J]") {
      add_cells(begun);
    } else if (kind == "NAME" || kind == "STEP") {
      for (const std::string& name : names_of(steps(), [](const Step&) { return true; })) {
        answer_.word(begun.before + name);
      }
    } else if (kind == "CHAPTER") {
      add_chapters(begun);
    } else if (kind == "TOKEN") {
      add_tokens(begun);
    } else if (std::none_of(kind.begin(), kind.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
      answer_.word(begun.before + kind, about(kind));
    }
  }

  /// What a name stands for: an article, or a rule that can be changed.
  static std::string about(const std::string& name) {
    if (const auto article = article_names().find(name); article != article_names().end()) {
      return std::string(article->second->title);
    }
    const auto what_if = std::ranges::find(all_what_ifs(), name, &WhatIf::name);
    return what_if == all_what_ifs().end() ? "" : sentence_of(*what_if);
  }

  void add_chapters(const Begun& begun) {
    std::string last;
    for (const chapters::Chapter& chapter : chapters::all_chapters()) {
      if (chapter.name != last) {
        last = chapter.name;
        answer_.word(begun.before + last, chapters::chapter_summary(last));
      }
    }
  }

  void add_tokens(const Begun& begun) {
    if (line_.chapter == nullptr) {
      return;
    }
    for (const std::string& token : chapters::token_words(*line_.chapter->article, line_.lesson)) {
      answer_.word(begun.before + token);
    }
  }

  void add_parameters(const Begun& begun) {
    const auto is_parameter = [](const Step& step) {
      return step.kind == Step::Kind::tensor && step.tensor->operation().is_parameter();
    };
    for (const std::string& name : names_of(steps(), is_parameter)) {
      answer_.part(begun.before + name + "=");
    }
  }

  /// Names up to the bracket, then one index after the other.
  void add_cells(const Begun& begun) {
    const std::size_t bracket = begun.value.find('[');
    if (bracket == std::string::npos) {
      for (const std::string& name :
           names_of(steps(), [](const Step& step) { return step.kind == Step::Kind::tensor; })) {
        answer_.part(begun.before + name + "[");
      }
      return;
    }
    const std::string name = begun.value.substr(0, bracket);
    for (const Step& step : steps()) {
      if (step.kind == Step::Kind::tensor && step.name == name) {
        add_indices(begun, step.tensor->shape());
        return;
      }
    }
  }

  void add_indices(Begun begun, const Shape& shape) {
    begun.skip_past_last('[');
    const auto axis = static_cast<std::size_t>(std::count(begun.value.begin(), begun.value.end(), ','));
    if (axis >= shape.size()) {
      return;
    }
    begun.skip_past_last(',');
    constexpr std::int64_t most = 100;
    for (std::int64_t index = 0; index < std::min(shape[axis], most); ++index) {
      const std::string text = begun.before + std::to_string(index);
      if (axis + 1 < shape.size()) {
        answer_.part(text + ",");
      } else {
        answer_.word(text + "]");
      }
    }
  }

  /// All steps of the lesson that the line asks for; where that is none, of the chapter's own.
  const std::vector<Step>& steps() {
    if (!steps_) {
      steps_ = line_.chapter == nullptr ? std::vector<Step>() : steps_of(*line_.chapter, line_.lesson);
    }
    return *steps_;
  }

  static std::vector<Step> steps_of(const chapters::Chapter& chapter, const Lesson& lesson) {
    for (const Lesson& tried : {lesson, Lesson()}) {
      try {
        return computed(chapter, tried, Options()).steps();
      } catch (const std::exception&) {  // no lesson of this chapter
      }
    }
    return {};
  }

  const SaidSoFar& line_;
  Answer& answer_;
  std::optional<std::vector<Step>> steps_;
};

void add_options(const Syntax& syntax, Answer& answer) {
  for (const KnownOption& option : syntax.options) {
    answer.word(option.name, option.help);
    if (!option.letter.empty()) {
      answer.word(option.letter, option.help);
    }
  }
}

void add_commands(const Program& program, Answer& answer) {
  for (const CommandName& command : program.commands()) {
    answer.word(command.name, command.summary);
  }
}

/// The lesson of a line that may make no sense yet; then that of its command alone. `words` begin with that.
SaidSoFar said_so_far(Program& program, Line words) {
  const SaidSoFar line = said_so_far(program.parse_beginning(words));
  return line.chapter == nullptr ? said_so_far(Program().parse_beginning(words.first(1))) : line;
}

/// What may stand after a command; `words` begin with it.
void complete_command(Line words, Answer& answer) {
  Program program;
  const Syntax syntax = program.syntax_of(words[0], true);
  const std::string& last = words.back();
  const Cursor cursor = cursor_in(words.subspan(1), syntax);
  const bool may_be_option = last.starts_with('-') || (last.empty() && !syntax.takes_files);
  if (cursor.option == nullptr && may_be_option && !cursor.after_dashes) {
    add_options(syntax, answer);
    return;
  }
  const SaidSoFar line = said_so_far(program, words.first(cursor.start + 1));
  // The words of an option may follow from what stands before it.
  Values(line, answer).add(cursor.option != nullptr ? cursor.option->placeholder() : syntax.argument, cursor.begun);
}

/// What may stand before a command, the command among it.
void complete_program(const Program& program, const std::string& last, Answer& answer) {
  if (last.starts_with('-')) {
    add_options(program.syntax(), answer);
  } else {
    add_commands(program, answer);
  }
}

}  // namespace

std::string completions(std::span<const std::string> words) {
  const std::vector<std::string> none = {""};
  const Line line = words.empty() ? Line(none) : words;
  const Program program;
  Answer answer(line.back());
  const auto command =
      std::find_if(line.begin(), line.end(), [](const std::string& word) { return !looks_like_option(word); });
  const auto at = static_cast<std::size_t>(command - line.begin());
  if (at + 1 >= line.size()) {
    complete_program(program, line.back(), answer);
  } else if (program.has_command(*command)) {
    complete_command(line.subspan(at), answer);
  }
  return answer.lines();
}

}  // namespace attn::cli
