#include "cli/complete.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "article.hpp"
#include "chapter.hpp"
#include "cli/completion.hpp"
#include "cli/compute.hpp"
#include "cli/parse.hpp"
#include "cli/usage_error.hpp"
#include "inputs.hpp"
#include "text/lines.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::cli {
namespace {

/// Collects the lines of the answer.
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

/// An incomplete value: the part of the word before it, and the value so far.
struct Begun {
  std::string before;
  std::string value;

  /// Moves everything up to the last `end` from `value` to `before`.
  void skip_past_last(char end) {
    const std::size_t at = value.rfind(end);
    if (at != std::string::npos) {
      before += value.substr(0, at + 1);
      value.erase(0, at + 1);
    }
  }
};

/// The chapter and lesson that the line describes so far.
struct SaidSoFar {
  const chapters::Chapter* chapter = nullptr;
  Lesson lesson;
};

SaidSoFar said_so_far(const Options& options) {
  if (options.command == Command::verify) {
    const auto meant = options.verify.chapter ? chapters_meant(options) : std::vector<const chapters::Chapter*>();
    return {meant.empty() ? nullptr : meant.front(), options.verify.lesson};
  }
  return {options.chapters.empty() ? nullptr : options.chapters.front(), options.lesson};
}

/// Completes values.
class Values {
 public:
  Values(const Options& so_far, Answer& answer) : so_far_(so_far), line_(said_so_far(so_far)), answer_(answer) {}

  void add(const Value& value, Begun begun) {
    const auto is_tensor = [](const Step& step) { return step.kind == Step::Kind::tensor; };
    switch (value.kind) {
      case ValueKind::output:
      case ValueKind::tensor: return answer_.files(begun.before);
      case ValueKind::save: return answer_.folders(begun.before);
      case ValueKind::weights: return add_weights(begun);
      case ValueKind::token: return add_tokens(begun);
      case ValueKind::chapter: return add_chapters(begun);
      case ValueKind::cell: return add_cells(begun, names_of(steps(), is_tensor));
      case ValueKind::choice:
        for (const std::string& word : value.choices(so_far_)) {
          answer_.word(begun.before + word, about(word));
        }
        return;
      case ValueKind::names:
        begun.skip_past_last(',');
        if (begun.value.find('=') == std::string::npos) {
          return;
        }
        begun.skip_past_last('=');
        return add_steps(begun);
      case ValueKind::steps: begun.skip_past_last(','); return add_steps(begun);
      case ValueKind::depth: return answer_.word(begun.before + "full");
      case ValueKind::flag:
      case ValueKind::number:
      case ValueKind::seed:
      case ValueKind::probability:
      case ValueKind::tolerance:
      case ValueKind::seconds:
      case ValueKind::patterns:
      case ValueKind::sentence: return;
    }
  }

 private:
  /// The description of an article or a rule.
  static std::string about(const std::string& name) {
    for (const chapters::Article& article : chapters::all_articles()) {
      if (article.name == name) {
        return std::string(article.title);
      }
    }
    const auto what_if = std::ranges::find(all_what_ifs(), name, &WhatIf::name);
    return what_if == all_what_ifs().end() ? "" : sentence_of(*what_if);
  }

  void add_steps(const Begun& begun) {
    for (const std::string& name : names_of(steps(), [](const Step&) { return true; })) {
      answer_.word(begun.before + name);
    }
  }

  /// Completes a file, or NAME=FILE.
  void add_weights(Begun begun) {
    const bool is_assigned = begun.value.find('=') != std::string::npos;
    begun.skip_past_last(',');
    if (begun.value.find('=') != std::string::npos) {
      begun.skip_past_last('=');
      return answer_.files(begun.before);
    }
    if (!is_assigned) {
      answer_.files(begun.before);
    }
    const auto is_parameter = [](const Step& step) {
      return step.kind == Step::Kind::tensor && step.tensor->operation().is_parameter();
    };
    for (const std::string& name : names_of(steps(), is_parameter)) {
      answer_.part(begun.before + name + "=");
    }
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

  /// Completes names up to the bracket, then each index.
  void add_cells(const Begun& begun, const std::vector<std::string>& names) {
    const std::size_t bracket = begun.value.find('[');
    if (bracket == std::string::npos) {
      for (const std::string& name : names) {
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

  /// All steps of the lesson on the line; if that lesson is invalid, of the chapter's default lesson.
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
      } catch (const std::exception&) {  // the lesson does not fit this chapter
      }
    }
    return {};
  }

  const Options& so_far_;
  const SaidSoFar line_;
  Answer& answer_;
  std::optional<std::vector<Step>> steps_;
};

void add_options(const Subcommand& command, Answer& answer) {
  for (const Option* option : options_of(command)) {
    answer.word(std::string(option->name), option->doc);
    if (!option->letter.empty()) {
      answer.word(std::string(option->letter), option->doc);
    }
  }
}

/// Completes a word that is not an option.
void add_words(const CommandLine& line, Answer& answer) {
  if (line.command == nullptr) {
    for (const Subcommand& command : line.early_words.empty() ? subcommands() : std::vector<Subcommand>()) {
      if (!command.group.empty()) {
        answer.word(command.name, command.summary);
      }
    }
  } else if (line.command->argument == "FILE") {
    answer.files("");
  } else if (line.command->choices != nullptr) {
    for (const std::string& word : line.words.empty() ? line.command->choices() : std::vector<std::string>()) {
      answer.word(word);
    }
  } else if (line.command->argument.empty() && line.cursor.begun.empty() && !line.is_after_dashes) {
    add_options(*line.command, answer);
  }
}

}  // namespace

std::string completions(std::span<const std::string> words) try {
  const std::vector<std::string> none = {""};
  const std::span<const std::string> arguments = words.empty() ? std::span<const std::string>(none) : words;
  const CommandLine line = read_line_to_cursor(arguments);
  const std::string& last = arguments.back();
  Answer answer(last);
  switch (line.cursor.place) {
    case Cursor::Place::nowhere: break;
    case Cursor::Place::name: add_options(line.told_of(), answer); break;
    case Cursor::Place::word: add_words(line, answer); break;
    case Cursor::Place::value: {
      const std::string& begun = line.cursor.begun;
      const Options so_far = understood(line);
      Values(so_far, answer).add(line.cursor.option->value, {last.substr(0, last.size() - begun.size()), begun});
      break;
    }
  }
  return answer.lines();
} catch (const UsageError&) {  // an invalid line has no completions
  return "";
}

}  // namespace attn::cli
