#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "cli/compute.hpp"
#include "inputs.hpp"
#include "lesson/cell.hpp"
#include "lesson/side_by_side.hpp"
#include "require.hpp"
#include "targets.hpp"

namespace attn::fuzz {
namespace {

bool is_small(std::optional<std::int64_t> size) { return size.value_or(1) <= 8; }

/// Whether it takes a fuzzer no time.
bool is_small(const Lesson& lesson) {
  return is_small(lesson.tokens) && is_small(lesson.d_in) && is_small(lesson.batch) && is_small(lesson.d_out_kq) &&
         is_small(lesson.d_out_v) && is_small(lesson.num_heads) && lesson.sentence.value_or("").size() <= 40;
}

std::string side_by_side(const cli::Options& options) {
  const chapters::Chapter& chapter = *options.chapters.front();
  const Walkthrough as_is = cli::computed(chapter, options.lesson, options);
  const Walkthrough otherwise = changed(as_is, *options.what_if);
  std::ostringstream out;
  render::write_side_by_side(
      out, cli::shown(chapter, as_is, options).steps, cli::shown(chapter, otherwise, options).steps,
      what_the_change_did(*options.what_if, as_is.steps(), otherwise.steps()), options.text, 100);
  return out.str();
}

std::string written(const cli::Options& options) {
  std::vector<render::ShownChapter> shown;
  for (const chapters::Chapter* chapter : options.chapters) {
    shown.push_back(cli::shown(*chapter, cli::computed(*chapter, options.lesson, options), options));
  }
  std::ostringstream out;
  options.format->write(out, cli::document(std::move(shown), options));
  return out.str();
}

void check(const cli::Options& options) {
  const std::string text = options.what_if != nullptr ? side_by_side(options) : written(options);
  require_clean(text, "what is written");
  require(options.format->name != "json" || nlohmann::json::accept(text), "JSON is JSON");
}

}  // namespace

void lesson(std::string_view bytes) {
  const auto options = parsed(bytes);
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
