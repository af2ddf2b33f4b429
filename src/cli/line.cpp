#include "cli/line.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <CLI/CLI.hpp>

#include "cli/option_rows.hpp"
#include "cli/options.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::cli {
namespace {

using Words = std::vector<std::string>;

constexpr auto dashes = "--";

/// "--seed" for "--seed=5".
std::string name_in(const std::string& argument) { return argument.substr(0, argument.find('=')); }

std::string help_of(const Subcommand* command) {
  return "see " + line_of(command != nullptr ? *command : program()) + " --help";
}

bool is_flag(const Option& option) { return option.value.kind == ValueKind::flag; }

/// The commands that take the option.
Words takers_of(const Option& option) {
  Words names;
  for (const Subcommand& command : subcommands()) {
    if (find_option(command, option.name) != nullptr) {
      names.push_back(command.name);
    }
  }
  return names;
}

/// The option that a word may mean: by its name, by its name in other programs, or by one that is near. Those of the
/// command come first. Null if there is none.
const Option* meant(const Subcommand& command, const std::string& typed) {
  const auto is_also = [&typed](const Option& option) {
    return option.name == typed || option.letter == typed ||
           (" " + std::string(option.others) + " ").find(" " + typed + " ") != std::string::npos;
  };
  const auto is_here = [&](const Option& option) { return takes(command, option) && is_also(option); };
  const auto& all = all_options();
  auto found = std::ranges::find_if(all, is_here);
  found = found == all.end() ? std::ranges::find_if(all, is_also) : found;
  if (found == all.end()) {
    const std::string near = text::nearest(typed, names_in(options_of(command), &Option::name));
    found =
        std::ranges::find(all, near.empty() ? text::nearest(typed, names_in(all, &Option::name)) : near, &Option::name);
  }
  return found == all.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_option(const Subcommand* chosen, const std::string& argument) {
  const std::string name = name_in(argument);
  const Subcommand& command = chosen != nullptr ? *chosen : program();
  const Option* const option = meant(command, name);
  if (option == nullptr) {
    throw UsageError("unknown option " + name + "; " +
                     (command.argument == "FILE" ? "for a file of this name, type ./" + argument + "; " : "") +
                     help_of(chosen));
  }
  const std::string wrong = option->name == name || option->letter == name ? "" : "unknown option " + name + "; ";
  const Words commands = takers_of(*option);
  if (takes(command, *option)) {
    throw UsageError(wrong.empty() ? name + " must follow " + command.name + ", before any --; try " +
                                         line_of(command) + " " + name
                                   : wrong + "did you mean " + std::string(option->name) + "? " + help_of(chosen));
  }
  if (chosen == nullptr) {
    const bool is_usual = std::ranges::find(commands, "causal") != commands.end();
    throw UsageError(wrong + "no chapter before " + std::string(option->name) + "; options follow the chapter; try " +
                     "attn-walkthrough " + (is_usual ? "causal" : commands.at(0)) + " " + std::string(option->name));
  }
  throw UsageError(wrong + std::string(option->name) + " does not apply to " + command.name + "; it applies to " +
                   (commands.empty() ? "the program alone" : text::joined(commands)) + "; " + help_of(chosen));
}

[[noreturn]] void refuse_word(const Subcommand* chosen, const std::string& word) {
  if (chosen == nullptr) {
    throw unknown("unknown chapter or command '" + word + "'", word, names_in(subcommands(), &Subcommand::name),
                  "attn-walkthrough --help");
  }
  throw unknown("unexpected argument '" + word + "' after " + chosen->name + ", which takes options alone", word,
                names_in(options_of(*chosen), &Option::name), line_of(*chosen) + " --help");
}

/// Throws UsageError for a long option with one dash, which CLI11 would read as several short ones.
void check_dashes(std::span<const std::string> arguments) {
  const auto end = std::ranges::find(arguments, dashes);
  for (const std::string& argument : std::span(arguments.begin(), end)) {
    const std::string name = "-" + name_in(argument);
    if (argument.starts_with('-') && !argument.starts_with(dashes) &&
        std::ranges::find(all_options(), name, &Option::name) != all_options().end()) {
      throw UsageError("unknown option " + name_in(argument) + "; did you mean " + name + "?");
    }
  }
}

/// CLI11 reads the line; each option's row tells what its values are.
class Reader {
 public:
  Reader(std::span<const std::string> arguments, Options& options) : arguments_(arguments), options_(options) {
    app_.require_subcommand(0, 1);
    add_options(app_, program());
    for (const Subcommand& command : subcommands()) {
      CLI::App* const app = app_.add_subcommand(command.name);
      app->preparse_callback([this, &command, app](std::size_t) {
        chosen_ = &command;
        chosen_app_ = app;
        begin(command, options_);
        add_options(*app, command);
      });
    }
  }

  const Subcommand* read() {
    check_dashes(arguments_);
    Words words(arguments_.rbegin(), arguments_.rend());
    for (std::string& word : words) {  // "-o=x" is "-ox" to CLI11
      const bool has_equals = word.size() > 2 && word[0] == '-' && word[1] != '-' && word[2] == '=';
      has_equals ? void(word.erase(2, 1)) : void();
    }
    try {
      app_.parse(std::move(words));
    } catch (const CLI::ArgumentMismatch& error) {
      refuse_mismatch(error.what());
    }
    keep_given(app_);
    if (chosen_app_ != nullptr) {
      keep_given(*chosen_app_);
      options_.words = chosen_->argument.empty() ? Words() : chosen_app_->get_option("WORDS")->results();
    }
    check_rest(app_, true);
    chosen_app_ != nullptr ? check_rest(*chosen_app_, false) : void();
    return chosen_;
  }

 private:
  void add_options(CLI::App& app, const Subcommand& command) {
    app.allow_extras();
    app.set_help_flag();
    for (const Option* option : options_of(command)) {
      const std::string names =
          std::string(option->name) + (option->letter.empty() ? "" : "," + std::string(option->letter));
      CLI::Option* const added =
          is_flag(*option)
              ? app.add_flag_callback(names, [this, option] { take(*option, "", options_); })
                    ->disable_flag_override()
                    ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
              : app.add_option(names, [this, option](const Words& texts) { return read_values(*option, texts); })
                    ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      rows_[added] = option;
    }
    if (!command.argument.empty()) {
      constexpr int any_number = 1 << 28;  // so many are never there: what follows -- is still a word
      app.add_option("WORDS")->expected(any_number, any_number)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }

  /// All values must be valid; the last one counts, unless they add up.
  bool read_values(const Option& option, const Words& texts) {
    for (const std::string& text : texts) {
      const std::string attached = std::string(option.name) + "=" + text;
      const bool is_attached = std::ranges::find(arguments_, attached) != arguments_.end();
      if (!is_attached && find_option(*chosen_, name_in(text)) != nullptr) {
        throw UsageError(std::string(option.name) + " needs a value, but " + text + " is an option; use " +
                         std::string(option.name) + " " + placeholder(option.value, options_) + ", or " + attached +
                         " if that is meant; " + help_of(chosen_));
      }
      if (const std::string wrong = what_is_wrong(option.value, text, options_); !wrong.empty()) {
        throw UsageError(std::string(option.name) + ": " + wrong);
      }
    }
    take(option, option.adds ? text::joined(texts, ",") : texts.back(), options_);
    return true;
  }

  /// CLI11's message begins with the option's name.
  [[noreturn]] void refuse_mismatch(const std::string& words) const {
    const std::size_t begin = std::min(words.find_first_not_of('-'), words.size());  // flags are told without dashes
    const std::string name = dashes + words.substr(begin, words.find_first_of(": ") - begin);
    const Subcommand& command = chosen_ != nullptr ? *chosen_ : program();
    const Option* const option = find_option(command, name);
    if (option == nullptr || is_flag(*option)) {
      throw UsageError(name + " takes no value; use " + name + " alone; " + help_of(chosen_));
    }
    throw UsageError(name + " needs a value; use " + name + " " + placeholder(option->value, options_) + "; " +
                     help_of(chosen_));
  }

  void keep_given(const CLI::App& app) {
    std::map<const CLI::Option*, std::size_t> read;
    for (const CLI::Option* option : app.parse_order()) {
      if (const auto row = rows_.find(option); row != rows_.end()) {
        options_.given.push_back({row->second, is_flag(*row->second) ? "" : option->results()[read[option]++]});
      }
    }
  }

  void check_rest(const CLI::App& app, bool is_first) const {
    for (const std::string& rest : app.remaining()) {
      if (rest != dashes) {
        rest.size() > 1 && rest.starts_with('-')
            ? refuse_option(chosen_, rest)
            : refuse_word(is_first && rest == arguments_[0] ? nullptr : chosen_, rest);
      }
    }
  }

  std::span<const std::string> arguments_;
  Options& options_;
  CLI::App app_;
  const Subcommand* chosen_ = nullptr;
  CLI::App* chosen_app_ = nullptr;
  std::map<const CLI::Option*, const Option*> rows_;
};

}  // namespace

UsageError unknown(const std::string& what, const std::string& word, std::span<const std::string> known,
                   const std::string& see) {
  constexpr std::size_t few = 8;
  const std::string near = text::nearest(word, known);
  const std::string accepted =
      known.size() <= few ? "choose from " + text::joined({known.begin(), known.end()}) + "; " : "";
  return UsageError(what + "; " + (near.empty() ? accepted : "did you mean " + near + "? ") + "see " + see);
}

const std::string* Given::value_of(std::string_view name) const {
  const auto found =
      std::find_if(rbegin(), rend(), [name](const GivenOption& one) { return one.option->name == name; });
  return found == rend() ? nullptr : &found->value;
}

std::vector<GivenOption> Given::last() const {
  std::vector<GivenOption> options;
  std::ranges::copy_if(*this, std::back_inserter(options),
                       [this](const GivenOption& one) { return value_of(one.option->name) == &one.value; });
  return options;
}

void begin(const Subcommand& command, Options& options) {
  options.command = command.command;
  options.name = command.name;
  if (command.taker == by_all) {
    for (const chapters::Chapter& chapter : chapters::all_articles().front().get().chapters) {
      options.chapters.push_back(&chapter);
    }
  } else if (command.taker == by_tour) {
    for (const Subcommand& chapter : subcommands()) {
      options.chapters.insert(options.chapters.end(), chapter.entries.begin(),
                              chapter.entries.begin() + (chapter.entries.empty() ? 0 : 1));
    }
  } else if (command.taker == by_layer) {
    options.chapters = nothing_read(command).chapters;
  } else if (!command.entries.empty()) {
    options.chapters = {command.entries.front()};
  }
}

const Subcommand* read_line(std::span<const std::string> arguments, Options& options) {
  return Reader(arguments, options).read();
}

}  // namespace attn::cli
