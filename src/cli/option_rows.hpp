#pragma once

/// Checks that need the whole command line. All throw UsageError unless noted.
/// The tables of options, and helpers to write their rows.

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "cli/option.hpp"

namespace attn::cli {

/// Refuses to write a page over a terminal.
void check_terminal(const Options& options);

/// Refuses --predict in a file that is no handout.
void check_exercises(const Options& options);
void check_live(const Options& options);

/// Refuses --d-out together with both --d-out-kq and --d-out-v.
void check_sizes(const Options& options);

/// Refuses --qkv-bias if the weights are not nn.Linear's.
void check_bias(const Options& options);

/// Refuses --layer or --config of verify without the options that it needs.
void check_layer(const Options& options);

/// Refuses --tokenizer without words.
void check_tokenizer(const Options& options);

/// Refuses a --chapter that none of the articles to try has.
void check_chapter(const Options& options);

/// For `verify` of pages, after they are explained: refuses an option that none of the chapters on them takes, if there
/// are any.
void check_used(const Options& options, const std::vector<const chapters::Chapter*>& chapters);

/// For `verify`, after files are read: refuses a query that is no token of any chapter to try. Throws LessonError.
void check_query(const Options& options);

std::vector<Option> general_options();
std::vector<Option> shown_options();
std::vector<Option> classroom_options();
std::vector<Option> output_options();
std::vector<Option> setting_options();  ///< what a manifest tells, in its order
std::vector<Option> thread_options();
std::vector<Option> layer_options();
std::vector<Option> page_options();
std::vector<Option> port_options();

inline constexpr unsigned by_articles = by_chapter | by_all;
inline constexpr unsigned by_one = by_chapter | by_layer;
inline constexpr unsigned by_walks = by_articles | by_layer;
inline constexpr unsigned by_lessons = by_chapter | by_verify;
inline constexpr unsigned by_draws = by_articles | by_verify;
inline constexpr unsigned by_kernels = by_walks | by_verify;
inline constexpr unsigned by_all_commands = by_walks | by_list | by_verify | by_others | by_tour;

/// The headings of the help.
namespace group {
inline constexpr auto general = "Options";
inline constexpr auto shown = "Steps";
inline constexpr auto classroom = "Explanation and teaching";
inline constexpr auto output = "Output";
inline constexpr auto printing = "Printing, as torch.set_printoptions";
inline constexpr auto layer = "A layer of a checkpoint";
inline constexpr auto inputs = "Inputs";
inline constexpr auto weights = "Weights";
inline constexpr auto dropout = "Dropout";
inline constexpr auto kernels = "Kernels";
inline constexpr auto page = "Lessons to try";
inline constexpr auto port = "A port's tensors, with --chapter";
}  // namespace group

inline constexpr std::int64_t most_size = 2147483647;  // BLAS counts with 32 bits

inline constexpr std::int64_t most_threads = 64;  // OpenBLAS has memory for about twice as many

constexpr Value number(std::int64_t least, std::int64_t most, std::int64_t example) {
  return {.kind = ValueKind::number, .placeholder = "N", .least = least, .most = most, .example = example};
}

constexpr Value size(std::int64_t example) { return number(1, most_size, example); }

/// `word` replaces the list of choices where that is too long.
constexpr Value choice(Choices choices, std::string_view word = {}) {
  return {.kind = ValueKind::choice, .placeholder = word, .choices = choices};
}

/// The names in a table.
template <class Value>
std::vector<std::string> words_of(const std::map<std::string, Value>& table) {
  std::vector<std::string> words;
  std::ranges::transform(table, std::back_inserter(words), [](const auto& one) { return one.first; });
  return words;
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

/// The first element with this name; there must be one.
template <class Range>
const auto& named(const Range& range, const std::string& name) {
  return *std::ranges::find_if(range, [&name](const auto& one) { return one.name == name; });
}

}  // namespace attn::cli
