#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

namespace attn::cli {

/// The kind of an option's value.
enum class ValueKind {
  flag,    ///< nothing
  number,  ///< a whole number of a range
  seed,    ///< as torch.manual_seed takes it
  probability,
  tolerance,  ///< a finite number from 0 on
  seconds,
  depth,    ///< a whole number, or "full"
  choice,   ///< one of several words
  output,   ///< a file to write, or "-"
  save,     ///< a folder or file to write
  tensor,   ///< FILE, or FILE:NAME
  weights,  ///< a file or folder, or NAME=FILE with commas between
  sentence,
  token,     ///< one of the inputs' words, or an index
  steps,     ///< steps' names with commas between
  cell,      ///< NAME[I,J]
  chapter,   ///< a chapter's name
  names,     ///< THEIRS=STEP with commas between
  patterns,  ///< names with commas between, in which * stands for any letters; those of an option given again are added
};

/// The words of a choice, which may follow from what was given before.
using Choices = std::vector<std::string> (*)(const Options& so_far);

struct Value {
  ValueKind kind = ValueKind::flag;
  std::string_view placeholder = {};  ///< "N"; of a choice its words stand there, and this where they have no room
  std::int64_t least = 0;             ///< of a number
  std::int64_t most = 0;
  std::int64_t example = 0;
  Choices choices = nullptr;
};

/// The commands that take an option: a sum of these.
enum Taker : unsigned {
  by_program = 1,  ///< before a command, or alone
  by_chapter = 2,
  by_all = 4,
  by_list = 8,
  by_verify = 16,
  by_others = 32,
  by_tour = 64,
};

/// The options of a command line: each option's values in order; a flag's are empty. The command's own name is there
/// too.
using Given = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The option cannot be combined with any of the others.
struct Clash {
  std::vector<std::string_view> others;  ///< "--step", "--format json"; "--format" is every form but the usual one
  std::string_view why;
  std::string_view instead = "leave one of them out";
  std::string_view value = {};  ///< only where the option itself has this value
};

/// The option needs one of the others.
struct Need {
  std::vector<std::string_view> others;
  std::string_view why;
  std::string_view instead;
};

/// One option: the parser, help, manual, completions, hints and checks all read this row.
struct Option {
  std::string_view name;         ///< "--output"
  std::string_view letter = {};  ///< "-o"
  std::string_view others = {};  ///< what people call it elsewhere: "--text --words"
  unsigned takers = 0;
  std::function<bool(const chapters::Takes&)> taken = {};  ///< of chapters those alone that take this; none: all
  std::string_view group;                                  ///< the heading that it stands under
  bool is_common = false;                                  ///< the short help has it
  Value value = {};
  std::string_view doc;        ///< one line
  std::string_view more = {};  ///< what the manual says besides
  std::function<void(Options& options, const std::string& text)> read = {};
  std::vector<Clash> clashes = {};
  Need need = {};
  void (*check)(const Options& options, const Given& given) = nullptr;  ///< throws UsageError, when all is read
};

/// Every option, in the order of the help.
const std::vector<Option>& all_options();

/// A chapter, or another command.
struct Subcommand {
  std::string name;     ///< "causal"
  std::string summary;  ///< one line
  std::string group;    ///< "Chapters" or "Commands"; empty: no help names it
  Taker taker;
  Command command = Command::message;
  std::vector<const chapters::Chapter*> entries = {};  ///< a chapter as each article has it, the usual one first
  std::string argument = {};                           ///< what it takes besides options: "FILE"
  std::string argument_doc = {};
  std::vector<std::string> (*choices)() = nullptr;  ///< the words that it may be
  std::string remark = {};                          ///< what is said of its options together
  std::string also = {};                            ///< what the manual tells elsewhere
  std::vector<std::string> examples = {};           ///< a line to type; after two spaces what it does
};

const std::vector<Subcommand>& subcommands();

/// The program itself, as a command without a name.
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

/// The text before a "=": "--sead=5" is about --sead.
std::string option_part(const std::string& argument);

/// The options before any is read: what the choices of a command's options follow from.
Options nothing_read(const Subcommand& command);

/// The placeholder in the help after an option's name; empty for a flag.
std::string placeholder(const Value& value, const Options& so_far);

/// The error for a value: what is wrong; what is accepted; what to do. Empty if the value is valid.
std::string what_is_wrong(const Value& value, const std::string& text, const Options& so_far);

/// The chapters that a line is about: one, all of an article, or those that `verify` may try.
std::vector<const chapters::Chapter*> chapters_meant(const Options& options);

/// Throws UsageError, with the reason and what to do instead, for an option that conflicts with another, lacks one that
/// it needs, or does not apply to the chapters.
void check_together(const Subcommand& command, const Options& options, const Given& given);

}  // namespace attn::cli
