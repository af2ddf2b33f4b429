#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "chapters/chapter.hpp"
#include "chapters/inputs.hpp"
#include "cli/compute.hpp"
#include "cli/options.hpp"
#include "lesson/cell.hpp"
#include "lesson/told.hpp"
#include "present/presenter.hpp"
#include "render/json.hpp"
#include "targets.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"
#include "torch/torch.hpp"
#include "walk/lesson.hpp"

namespace attn::fuzz {

void require(bool holds, std::string_view what) {
  if (!holds) {
    std::cerr << "this does not hold: " << what << std::endl;
    std::abort();
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const text::Character character = text::first_character(text);
    if (!character.valid) {
      return false;
    }
    text.remove_prefix(character.size);
  }
  return true;
}

void require_clean(std::string_view text, std::string_view what, std::string_view allowed) {
  while (!text.empty()) {
    const text::Character character = text::first_character(text);
    const bool clean = character.valid && !text::is_direction_mark(character.code) &&
                       (!text::is_control(character.code) || allowed.find(text.front()) != std::string_view::npos);
    require(clean, std::string(what) + " is clean text");
    text.remove_prefix(character.size);
  }
}

void require_error_line(const std::exception& error) {
  const std::string line = cli::error_line(error);
  require_clean(line, "an error");
  require(line.find('\n') == std::string::npos, "an error is one line");
  require(line.find("; ") != std::string::npos, "an error says how to go on: " + line);
}

namespace {

const chapters::Article& blog() { return chapters::all_articles().front(); }

}  // namespace

const std::vector<std::string>& tokens() {
  static const std::vector<std::string> words = chapters::token_words(blog(), {});
  return words;
}

std::vector<Step> steps_of(std::string_view chapter) {
  const auto found = std::ranges::find(blog().chapters, chapter, &chapters::Chapter::name);
  Lesson lesson;
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return chapters::walk(*found, lesson, torch).steps();
}

namespace {

render::ShownChapter shown(const std::string& chapter) {
  const std::vector<Step> steps = steps_of(chapter);
  return {.name = chapter,
          .title = chapter,
          .about = [] { return nlohmann::ordered_json::object(); },
          .steps = steps,
          .all_steps = steps,
          .tokens = tokens(),
          .why = {},
          .framing = {},
          .article = {},
          .what_ifs = {}};
}

/// One with several parts, and one with several heads.
const std::vector<render::ShownChapter>& lessons() {
  static const std::vector<render::ShownChapter> lessons = {shown("trainable"), shown("multihead")};
  return lessons;
}

}  // namespace

void cell(std::string_view bytes) {
  bytes = bytes.substr(0, bytes.find('\0'));  // as an argument ends
  const auto depth = static_cast<std::int64_t>(bytes.size() % 4);
  for (const render::ShownChapter& lesson : lessons()) {
    try {
      const render::CellRequest request = render::parse_cell(std::string(bytes));
      const std::string text = render::derivation_text(lesson.all_steps, request, depth, lesson.tokens, {});
      require(text.starts_with(request.name), "a derivation begins with its number");
      require_clean(text, "a derivation");
      require_clean(render::derivation_json(lesson, request, depth).dump(), "a derivation's JSON");
    } catch (const render::CellError& error) {
      require_error_line(error);
    }
  }
}

void predict(std::string_view bytes) {
  static const std::vector<Step> steps = steps_of("causal");
  for (const bool interactive : {false, true}) {
    present::Prediction prediction;
    prediction.cells = 2;
    prediction.tokens = tokens();
    prediction.interactive = interactive;
    std::istringstream in{std::string(bytes)};
    std::ostringstream out;
    try {
      const present::Score score = present::predict(in, out, steps, prediction);
      require(score.asked() <= 2 * steps.size(), "no more is marked than is asked");
      require_clean(out.view(), "questions and answers");
    } catch (const std::runtime_error& error) {
      require_error_line(error);
    }
  }
}

namespace {

/// What the command line asks for that has an argument a line; nothing where it is refused.
std::optional<cli::Options> parsed(std::string_view lines) {
  std::vector<std::string> arguments = text::lines_of(lines);
  arguments.insert(arguments.begin(), "attn-walkthrough");
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  try {
    return cli::parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const cli::UsageError& error) {
    require_error_line(error);
  } catch (const LessonError& error) {
    require_error_line(error);
  }
  return {};
}

void check_line(const cli::Options& asked) {
  require(asked.command != cli::Command::message || !asked.message.empty(), "help says something");
  require(asked.command != cli::Command::walk || !asked.chapters.empty(), "a walk has a chapter");
  require(asked.command != cli::Command::verify || !asked.verify.files.empty(), "verify has a page");
  require_clean(asked.message, "help");
  for (const std::string& note : asked.notes) {
    require_clean(note, "a note");
  }
}

bool is_small(std::optional<std::int64_t> size) { return size.value_or(1) <= 8; }

/// Whether it takes a fuzzer no time.
bool is_small(const Lesson& lesson) {
  return is_small(lesson.tokens) && is_small(lesson.d_in) && is_small(lesson.batch) && is_small(lesson.d_out_kq) &&
         is_small(lesson.d_out_v) && is_small(lesson.num_heads) && lesson.sentence.value_or("").size() <= 40;
}

std::string written(const cli::Options& options) {
  std::vector<render::ShownChapter> shown;
  for (const chapters::Chapter* chapter : options.chapters) {
    const Walkthrough as_is = cli::computed(*chapter, options.lesson, options);
    shown.push_back(cli::shown(*chapter, as_is, options));
    shown.back().what_ifs = cli::shown_what_ifs(as_is, options);
  }
  std::ostringstream out;
  options.format->write(out, cli::document(std::move(shown), options));
  return out.str();
}

void check(const cli::Options& options) {
  const std::string text = written(options);
  require_clean(text, "what is written");
  require(options.format->name != "json" || nlohmann::json::accept(text), "JSON is JSON");
}

}  // namespace

void lesson(std::string_view bytes) {
  const auto options = parsed(bytes);
  if (options) {
    check_line(*options);
  }
  if (!options || options->command != cli::Command::walk || !is_small(options->lesson)) {
    return;
  }
  try {
    check(*options);
  } catch (const cli::UsageError& error) {
    require_error_line(error);
  } catch (const LessonError& error) {
    require_error_line(error);
  } catch (const render::CellError& error) {
    require_error_line(error);
  }
}

}  // namespace attn::fuzz
