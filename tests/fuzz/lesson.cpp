#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "chapters/inputs.hpp"
#include "cli/compute.hpp"
#include "lesson/cell.hpp"
#include "require.hpp"
#include "targets.hpp"
#include "text/lines.hpp"
#include "walk/lesson.hpp"

namespace attn::fuzz {
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
