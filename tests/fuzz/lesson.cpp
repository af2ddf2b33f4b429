#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "cli/compute.hpp"
#include "cli/what_ifs.hpp"
#include "inputs.hpp"
#include "lesson/cell.hpp"
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
