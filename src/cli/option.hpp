#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <variant>

#include "cli/options.hpp"

namespace attn::cli {

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
  file,       ///< read after the whole line
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

inline constexpr unsigned by_articles = by_chapter | by_all;
inline constexpr unsigned by_one = by_chapter | by_layer;
inline constexpr unsigned by_walks = by_articles | by_layer;
inline constexpr unsigned by_lessons = by_chapter | by_verify;
inline constexpr unsigned by_draws = by_articles | by_verify;

/// A size that only some chapters have, by its name.
struct OwnSize {
  std::string_view name;
};

/// What an option sets of a lesson. Files are read after the whole line.
using Member = std::variant<std::monostate, OwnSize, bool Lesson::*, std::optional<std::int64_t> Lesson::*,
                            std::optional<std::string> Lesson::*, std::optional<GivenTensor> Lesson::*>;

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
  bool adds = false;   ///< values of several add up; else the last one counts
  unsigned needs = 0;  ///< what the form of output must be able to do: bits of can
  std::vector<Clash> clashes = {};
  void (*check)(const Options& options) = nullptr;  ///< runs after all options are read; throws UsageError
};

/// The headings of those options that a page which computes its lesson offers.
namespace group {
inline constexpr auto inputs = "Inputs";
inline constexpr auto weights = "Weights";
inline constexpr auto dropout = "Dropout";
}  // namespace group

/// Adds rows under a heading, taken by `takers`, unless a row says otherwise.
void add(std::vector<Option>& table, std::string_view heading, unsigned takers, std::vector<Option> rows);
void add_actions(std::vector<Option>& table);   ///< what is done with a lesson
void add_settings(std::vector<Option>& table);  ///< what is computed, and how tensors are printed

/// Every option, in the order of the help.
const std::vector<Option>& all_options();

inline constexpr std::int64_t most_size = 2147483647;  // BLAS counts with 32 bits
inline constexpr std::int64_t most_threads = 64;       // OpenBLAS has memory for about twice as many

constexpr Value number(std::int64_t least, std::int64_t most, std::int64_t example) {
  return {.kind = ValueKind::number, .placeholder = "N", .least = least, .most = most, .example = example};
}

constexpr Value size(std::int64_t example) { return number(1, most_size, example); }

/// `word` replaces the list of choices where that is too long.
constexpr Value choice(Choices choices, std::string_view word = {}) {
  return {.kind = ValueKind::choice, .placeholder = word, .choices = choices};
}

/// A value of another kind: some_value("FILE", ValueKind::output).
constexpr Value some_value(std::string_view placeholder, ValueKind kind = ValueKind::text) {
  return {.kind = kind, .placeholder = placeholder};
}

/// The names of all elements, which may be pointers: names_in(guides(), &Guide::name).
template <class Range, class Name>
std::vector<std::string> names_in(const Range& range, Name name) {
  std::vector<std::string> names;
  for (const auto& one : range) {
    names.emplace_back(std::invoke(name, one));
  }
  return names;
}

/// The names in a table.
template <class Value>
std::vector<std::string> words_of(const std::map<std::string, Value>& table) {
  return names_in(table, &std::pair<const std::string, Value>::first);
}

/// The first element with this name; there must be one.
template <class Range>
const auto& named(const Range& range, const std::string& name) {
  return *std::ranges::find_if(range, [&name](const auto& one) { return one.name == name; });
}

/// Numbers and names from text that what_is_wrong() accepts.
std::int64_t whole_value(const std::string& text);
double number_value(const std::string& text);
std::map<std::string, std::string> names_value(const std::string& text);

/// The text as a word of a command line, in quotes if a shell would split or change it.
std::string shell_word(const std::string& text);

/// The text that the help shows after an option's name; empty for a flag.
std::string placeholder(const Value& value, const Options& so_far);

/// The error for a value: what is wrong; what is accepted; what to do. Empty if the value is valid.
std::string what_is_wrong(const Value& value, const std::string& text, const Options& so_far);

/// Sets the lesson's member to a valid value; files are left to read_own(). Also runs the option's `read`.
void take(const Option& option, const std::string& text, Options& options);

/// A chapter, or another command.
struct Subcommand {
  std::string name;     ///< "causal"
  std::string summary;  ///< one line
  Taker taker;
  Command command = Command::message;
  std::vector<const chapters::Chapter*> entries = {};  ///< the chapter in each article, the default first
  std::string argument = {};                           ///< placeholder of its argument: "FILE"
  std::string argument_doc = {};
  std::vector<std::string> words = {};     ///< the valid words
  std::string remark = {};                 ///< a note on its options
  std::vector<std::string> examples = {};  ///< a command line; after two spaces, its effect
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

/// Reads the arguments, without the program's name, into the options. Returns the command; null without one. Throws
/// UsageError for an unknown command or option, an unexpected argument, and a value that is not valid.
const Subcommand* read_line(std::span<const std::string> arguments, Options& options);

/// "unknown chapter 'caussal'; did you mean causal? see attn-walkthrough list": what is wrong, a known word that is
/// near, if one is, and where all are.
UsageError unknown(const std::string& what, const std::string& word, std::span<const std::string> known,
                   const std::string& see);

/// The form of output: a program, a file of tensors, or a text.
const Form& form_of(const Options& options);

/// The forms that --format names: texts, and files of tensors.
std::vector<const Form*> formats();

/// A form of verify's reports.
struct ReportForm {
  std::string_view name;
  std::string_view ending;
  ReportFormat format;
};

inline constexpr ReportForm report_forms[] = {{"text", ".txt", ReportFormat::text},
                                              {"json", ".json", ReportFormat::json},
                                              {"html", ".html", ReportFormat::html},
                                              {"github", "", ReportFormat::github},
                                              {"junit", ".xml", ReportFormat::junit}};

/// The chapters that a command line refers to: one, all of an article, or those that `verify` may try.
std::vector<const chapters::Chapter*> chapters_meant(const Options& options);

/// Throws UsageError for an option that conflicts with another, needs what the form of output cannot do, or does not
/// apply to the chapters.
void check_together(const Options& options);

/// Checks of one option's row. All throw UsageError.
void check_terminal(const Options& options);   ///< refuses to write a page or tensors over a terminal
void check_exercises(const Options& options);  ///< refuses --predict in a file that is no handout
void check_live(const Options& options);       ///< refuses --live where the program for browsers is missing
void check_bias(const Options& options);       ///< refuses --qkv-bias if the weights are not nn.Linear's
void check_layer(const Options& options);      ///< refuses options of a layer without those that they need
void check_chapter(const Options& options);    ///< refuses a --chapter that none of the articles to try has

/// Returns a function that builds a manifest's head: chapter, article, all options, the tool's version. Options that
/// are left to the article are null. Chapter and options must outlive the function.
std::function<nlohmann::ordered_json()> about(const chapters::Chapter& chapter, const Options& options);

/// Returns true for the options that a page which computes its lesson offers: those of lessons except files, and those
/// few others that change its numbers or their digits in a browser.
bool is_setting(const Option& option);

/// JSON for the page's script: the chapters, their settings, and the lesson that the page shows: its chapter, and the
/// settings that were given, as they were typed.
std::string live_settings(const std::string& chapter, const std::vector<GivenOption>& given);

}  // namespace attn::cli
