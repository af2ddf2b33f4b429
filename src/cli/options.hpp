#pragma once

#include "chapters/chapter.hpp"
#include "emit/emitters.hpp"
#include "files/write/save.hpp"
#include "lesson/printed.hpp"
#include "render/writers.hpp"
#include "verify/lessons/lessons.hpp"
#include "walk/lesson.hpp"
#include "walk/what_if.hpp"

namespace attn::cli {

/// An invalid command line: what is wrong; what is accepted; what to do.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

enum class Command {
  message,  ///< help or version
  walk,     ///< one chapter, or all of an article
  list,
  verify,
  completion,
  help,
};

enum class ReportFormat { text, json, html, github, junit };

/// The options of `verify`. An empty option does not narrow the search.
struct VerifyOptions : verify::Narrowing {
  std::vector<std::string> files;
  bool strict = false;          ///< tensors that are unknown are failures
  bool allow_mistakes = false;  ///< known mistakes on a page are not failures
  ReportFormat format = ReportFormat::text;
  bool only_wrong = false;     ///< of a port's tensors
  std::optional<double> rtol;  ///< for a port's numbers; this and the members below apply only to ports
  std::optional<double> atol;
  std::map<std::string, std::string> names;  ///< from a port's names to steps
  std::vector<std::string> ignored;          ///< patterns for a port's names
};

struct Option;

/// An option on the command line, and its value; a flag's is empty.
struct GivenOption {
  const Option* option;
  std::string value;
};

/// The options of a line, in its order.
struct Given : std::vector<GivenOption> {
  bool has(std::string_view name) const { return value_of(name) != nullptr; }
  /// The last value; null if the option is not given.
  const std::string* value_of(std::string_view name) const;
  /// Each option once, with its last value.
  std::vector<GivenOption> last() const;
};

/// Choices that an article or a processor makes where they are not given.
struct Typed {
  std::optional<Cpu> cpu;
  std::optional<Blas> blas;
  std::optional<DropoutKernel> dropout_kernel;
};

/// The settings of a run.
struct Options {
  Command command = Command::message;
  std::string name;  ///< the command's name: "causal"
  Given given;
  Typed typed;
  std::string message;             ///< for Command::message
  std::vector<std::string> notes;  ///< printed on standard error before the result

  std::vector<const chapters::Chapter*> chapters;  ///< for Command::walk, in order
  Lesson lesson;
  bool all_steps = false;
  std::vector<std::string> only;
  std::optional<std::string> save;
  bool prints = true;  ///< false: the tensors are saved, and no text was asked for
  bool force = false;  ///< --save and --output may replace files
  render::TextOptions text;
  const render::Writer* format = &render::default_writer();
  const render::TensorWriter* tensors = nullptr;  ///< writes a file of tensors instead of a text
  const emit::Emitter* emit = nullptr;            ///< writes a program instead of the steps
  bool explain = false;
  bool heatmap = false;
  bool slides = false;
  bool live = false;                                     ///< the page computes its lesson, for other settings too
  render::Colours colours = render::Colours::automatic;  ///< in heat maps and the presenter
  std::optional<std::string> cell;                       ///< show the derivation of this number instead of the steps
  bool draws = false;                                    ///< show the random draws instead of the steps
  const WhatIf* what_if = nullptr;                       ///< the rule to change, for a comparison
  std::optional<std::int64_t> depth;                     ///< of the derivation; 0: back to the given tensors
  bool step = false;                                     ///< run the presenter
  std::optional<std::int64_t> predict;                   ///< the number of cells to hide in each tensor
  bool pager = true;                                     ///< allow a pager on a terminal
  std::int64_t threads = 0;                              ///< 0: one per core
  std::optional<std::string> output;                     ///< write to this file instead of standard output

  bool json = false;               ///< for Command::list
  std::vector<std::string> words;  ///< arguments that are not options: files, a shell
  VerifyOptions verify;
};

/// Sets the form of output by the ending of --output's file, unless an option names one. Throws UsageError for an
/// ending of which nothing can be written.
void choose_form(Options& options);

/// What is wrong with the ending of --save's path; empty if it can be written.
std::string wrong_ending_to_save(const std::string& path);

/// Parses the arguments, which begin with the program's name. Throws UsageError.
Options parse(int argc, const char* const* argv);

/// The steps of the chapter that the options select, in order. Throws UsageError for an unknown name.
std::vector<Step> selected(const std::vector<Step>& steps, const chapters::Chapter& chapter, const Options& options);

/// Throws UsageError if --only names a step that is not among `steps`. `owner` names their chapter or article.
void check_only(const std::vector<Step>& steps, const std::string& owner, const Options& options);

/// Like selected(), but ignores names of missing steps.
std::vector<Step> selected_if_there(const std::vector<Step>& steps, const Options& options);

/// Throws UsageError if the output format shows one tensor, but none or several are selected.
void check_one_tensor(const std::vector<Step>& wanted, const chapters::Chapter& chapter, const Options& options);

/// Throws UsageError, with a similar name, if no step has the name in --cell.
void check_cell(const std::vector<Step>& steps, const chapters::Chapter& chapter, const Options& options);

/// The output of `list`: "chapters", which no words mean too, "articles", "rules", or "steps", also of one chapter.
std::string list(const std::vector<std::string>& words, bool json);

/// Runs what the options ask for. Returns the exit code.
int run(const Options& options);

/// The text of an error after "attn-walkthrough: error: ": what is wrong; what is accepted; how to go on.
std::string error_line(const std::exception& error);

}  // namespace attn::cli
