#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "chapter.hpp"
#include "cli/usage_error.hpp"
#include "emit/emitters.hpp"
#include "lesson/printed.hpp"
#include "render/writers.hpp"
#include "verify/lessons/lessons.hpp"
#include "walk/lesson.hpp"
#include "walk/what_if.hpp"

namespace attn::cli {

enum class Command {
  message,  ///< help or version
  walk,     ///< one chapter, or all of an article
  list,
  verify,
  man,
  completion,
  help,
  complete,
};

enum class ReportFormat { text, json, html, github, junit };

/// The options of `verify`. Empty ones do not narrow the search.
struct VerifyOptions : verify::Narrowing {
  std::vector<std::string> files;
  bool strict = false;          ///< unknown tensors are failures
  bool allow_mistakes = false;  ///< known mistakes on a page are none
  ReportFormat format = ReportFormat::text;
  std::optional<double> rtol;  ///< of a port's numbers; these and the names are for dumps alone
  std::optional<double> atol;
  std::map<std::string, std::string> names;  ///< a port's, and the steps' for them
  std::vector<std::string> ignored;          ///< patterns of a port's names
};

/// Values that are resolved only when the whole command line is read.
struct Typed {
  std::optional<Cpu> cpu;
  std::optional<Blas> blas;
  std::optional<DropoutKernel> dropout_kernel;
  std::optional<std::int64_t> d_out;
  std::optional<std::string> inputs;
  std::optional<std::string> second_inputs;
  std::optional<std::string> weights;
};

/// The settings of a run.
struct Options {
  Command command = Command::message;
  std::string name;  ///< the command's: "causal"
  Typed typed;
  std::string message;             ///< for Command::message
  std::vector<std::string> notes;  ///< what stderr says before the result

  std::vector<const chapters::Chapter*> chapters;  ///< for Command::walk, in order
  Lesson lesson;
  bool all_steps = false;
  std::vector<std::string> only;
  std::optional<std::string> save;
  bool force = false;  ///< --save and --output replace what is there
  render::TextOptions text;
  bool own_linewidth = false;  ///< --linewidth is given: heat maps are as wide, whatever the terminal
  const render::Writer* format = &render::default_writer();
  const emit::Emitter* emit = nullptr;  ///< a program instead of the steps
  bool explain = false;
  bool heatmap = false;
  render::Colours colours = render::Colours::automatic;  ///< of heat maps and the presenter
  std::optional<std::string> cell;                       ///< the derivation of this number instead of the steps
  bool draws = false;                                    ///< what is drawn instead of the steps
  const WhatIf* what_if = nullptr;                       ///< a line written otherwise, side by side
  std::optional<std::int64_t> depth;                     ///< of the derivation; 0: down to what is given
  bool step = false;                                     ///< the presenter
  std::optional<double> seconds;                         ///< after which the presenter goes on by itself
  std::optional<std::int64_t> predict;                   ///< so many cells of each tensor are asked for
  bool pager = true;                                     ///< where standard output is a terminal
  std::int64_t threads = 0;                              ///< that compute at once; 0: as many as there are cores
  std::optional<std::string> output;                     ///< a file instead of standard output

  bool json = false;               ///< for Command::list
  std::vector<std::string> words;  ///< what stands beside options: files, a shell, a line to complete
  VerifyOptions verify;
};

/// Reads the arguments, the program's name first. Throws UsageError.
Options parse(int argc, const char* const* argv);

/// Makes the head of a manifest: chapter, article, all options and the tool's version. What the article decides is
/// null. Chapter and options must outlive it.
std::function<nlohmann::ordered_json()> about(const chapters::Chapter& chapter, const Options& options);

/// The steps of the chapter that are asked for, in order. Throws UsageError for an unknown name.
std::vector<Step> selected(const std::vector<Step>& steps, const chapters::Chapter& chapter, const Options& options);

/// Throws UsageError if --only names a step that is not among these. `owner` names their chapter or article.
void check_only(const std::vector<Step>& steps, const std::string& owner, const Options& options);

/// The same for steps of which some may be gone: missing names are ignored.
std::vector<Step> selected_if_there(const std::vector<Step>& steps, const Options& options);

/// Throws UsageError, with the tensors that may be asked for, where the form of output shows one, and none or several
/// are asked for.
void check_one_tensor(const std::vector<Step>& wanted, const std::vector<Step>& steps, const chapters::Chapter& chapter,
                      const Options& options);

/// Throws UsageError, with the step that may be meant, where no step has the name of --cell.
void check_cell(const std::vector<Step>& steps, const chapters::Chapter& chapter, const Options& options);

/// What `list` lists: chapters and articles (empty), "steps" or "rules"; as text or JSON.
std::string list(const std::string& what, bool json);

}  // namespace attn::cli
