#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "chapter.hpp"
#include "render/text.hpp"
#include "walk/lesson.hpp"

namespace attn::cli {

/// What the command line asks for.
struct Options {
  const chapters::ChapterEntry* chapter = nullptr;  ///< null: only `message` is wanted
  std::string message;                              ///< help or version
  Lesson lesson;
  bool all_steps = false;
  std::vector<std::string> only;
  std::optional<std::string> save;
  render::TextOptions text;
};

/// The command line cannot be understood: what is wrong; what is accepted; how to go on.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Reads the arguments, the program's name first. Throws UsageError.
Options parse(int argc, const char* const* argv);

/// Chapter, article, all options and the tool's version: the head of a manifest. What the article decides is null.
nlohmann::ordered_json about(const Options& options);

/// The steps that are asked for, in order. Throws UsageError for an unknown name.
std::vector<Step> selected(const std::vector<Step>& steps, const Options& options);

}  // namespace attn::cli
