#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/options.hpp"

namespace attn::cli {

/// Numbers and names from text that what_is_wrong() accepts.
std::int64_t whole_value(const std::string& text);
double number_value(const std::string& text);
std::map<std::string, std::string> names_value(const std::string& text);

/// The text as a word of a command line, in quotes if a shell would split or change it.
std::string shell_word(const std::string& text);

/// The kind of an option's value.
enum class ValueKind {
  flag,    ///< no value
  number,  ///< a whole number in a range
  seed,    ///< as torch.manual_seed takes it
  probability,
  tolerance,  ///< a finite number, at least 0
  depth,      ///< a whole number, or "full"
  choice,     ///< one of several words
  output,     ///< a file to write, or "-"
  save,       ///< a folder or file to write
  tensor,     ///< FILE, or FILE:NAME
  weights,    ///< a file or folder, or NAME=FILE separated by commas
  sentence,   ///< may look like an option
  names,      ///< THEIRS=STEP, separated by commas
  text,       ///< checked where it is used: NAME[I,J], names of steps
};

/// The words of a choice; they may depend on the options read so far.
using Choices = std::vector<std::string> (*)(const Options& so_far);

struct Value {
  ValueKind kind = ValueKind::flag;
  std::string_view placeholder = {};  ///< "N"; for a choice, the short help shows it instead of the words
  std::int64_t least = 0;             ///< for ValueKind::number
  std::int64_t most = 0;
  std::int64_t example = 0;
  Choices choices = nullptr;
  std::string_view why_few = {};  ///< why a choice lacks words that it has in other builds: "this program has no ..."
};

/// The commands that take an option, as bits.
enum Taker : unsigned {
  by_program = 1,  ///< the program itself, without a command
  by_chapter = 2,
  by_all = 4,
  by_list = 8,
  by_verify = 16,
  by_others = 32,
  by_tour = 64,
  by_layer = 128,
};

/// A size that only some chapters have, by its name.
struct OwnSize {
  std::string_view name;
};

/// What an option sets of a lesson. Files are read after the whole line; their values are their sources.
using Member =
    std::variant<std::monostate, OwnSize, bool Lesson::*, std::optional<std::int64_t> Lesson::*,
                 std::optional<double> Lesson::*, std::optional<std::string> Lesson::*,
                 std::optional<torch::Seed> Lesson::*, std::optional<Init> Lesson::*, std::optional<AttendTo> Lesson::*,
                 std::optional<GivenTensor> Lesson::*, std::optional<GivenWeights> Lesson::*>;

/// The option cannot be combined with any of the others.
struct Clash {
  std::vector<std::string_view> others;
  std::string_view why;
};

/// One option: the parser, help, completions, manifests, hints and checks all read this row.
struct Option {
  std::string_view name;                                   ///< "--output"
  std::string_view letter = {};                            ///< "-o"
  std::string_view others = {};                            ///< its names in other programs: "--text --words"
  unsigned takers = 0;                                     ///< 0: those of its group
  std::function<bool(const chapters::Takes&)> taken = {};  ///< the chapters that take it; empty: all
  std::string_view group = {};                             ///< its heading in the help
  bool is_common = false;                                  ///< shown in the short help
  Value value = {};
  std::string_view doc;                                               ///< one line
  Member member = {};                                                 ///< what it sets of the lesson
  void (*read)(Options& options, const std::string& text) = nullptr;  ///< sets what is no member of the lesson
  /// What a manifest tells of it, where that is no member: the settled lesson has the article's values.
  nlohmann::ordered_json (*told)(const Options& options, const Lesson& settled) = nullptr;
  bool adds = false;   ///< values of several add up; else the last one counts
  unsigned needs = 0;  ///< what the form of output must be able to do: bits of can
  std::vector<Clash> clashes = {};
  void (*check)(const Options& options) = nullptr;  ///< runs after all options are read; throws UsageError
};

/// Every option, in the order of the help.
const std::vector<Option>& all_options();

/// A chapter, or another command.
struct Subcommand {
  std::string name;     ///< "causal"
  std::string summary;  ///< one line
  std::string group;    ///< "Chapters" or "Commands"
  Taker taker;
  Command command = Command::message;
  std::vector<const chapters::Chapter*> entries = {};  ///< the chapter in each article, the default first
  std::string argument = {};                           ///< placeholder of its argument: "FILE"
  std::string argument_doc = {};
  std::vector<std::string> (*choices)() = nullptr;  ///< the valid words
  std::string remark = {};                          ///< a note on its options
  std::string also = {};                            ///< a note that only the help shows
  std::vector<std::string> examples = {};           ///< a command line; after two spaces, its effect
};

const std::vector<Subcommand>& subcommands();

/// The program itself: a command with an empty name.
const Subcommand& program();

bool takes(const Subcommand& command, const Option& option);
std::vector<const Option*> options_of(const Subcommand& command);
/// Finds an option by name or letter; null if the command does not take it.
const Option* find_option(const Subcommand& command, std::string_view name);
/// "attn-walkthrough causal"
std::string line_of(const Subcommand& command);

const chapters::Article& article_named(const std::string& name);
/// A chapter's entries, one per article, the default first; empty for another command's name.
std::vector<const chapters::Chapter*> entries_of(const std::string& name);

/// The options before any is read. The choices of a command's options depend on them.
Options nothing_read(const Subcommand& command);

/// The form of output: a program, a file of tensors, or a text.
const Form& form_of(const Options& options);

/// The forms that --format names: texts, and files of tensors.
std::vector<const Form*> formats();

/// Sets the lesson's member to a valid value; files are left to read_own(). Also runs the option's `read`.
void take(const Option& option, const std::string& text, Options& options);

/// What a manifest tells of the option.
nlohmann::ordered_json told(const Option& option, const Options& options, const Lesson& settled);

/// The text that the help shows after an option's name; empty for a flag.
std::string placeholder(const Value& value, const Options& so_far);

/// The error for a value: what is wrong; what is accepted; what to do. Empty if the value is valid.
std::string what_is_wrong(const Value& value, const std::string& text, const Options& so_far);

/// The chapters that a command line refers to: one, all of an article, or those that `verify` may try.
std::vector<const chapters::Chapter*> chapters_meant(const Options& options);

/// Throws UsageError for an option that conflicts with another, needs what the form of output cannot do, or does not
/// apply to the chapters.
void check_together(const Options& options);

}  // namespace attn::cli
