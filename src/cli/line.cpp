#include <iterator>

#include <CLI/CLI.hpp>

#include "chapters/layer/layer.hpp"
#include "cli/option.hpp"
#include "text/lines.hpp"

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

/// All values must be valid; the last one counts, unless they add up.
bool read_values(const Option& option, const Words& texts, std::span<const std::string> arguments, Options& options) {
  const std::string name(option.name);
  for (const std::string& text : texts) {
    const bool is_attached = std::ranges::find(arguments, name + "=" + text) != arguments.end();
    if (!is_attached && find_option(named(subcommands(), options.name), name_in(text)) != nullptr) {
      throw UsageError(name + " needs a value, but " + text + " is an option; use " + name + " " +
                       placeholder(option.value, options) + ", or " + name + "=" + text + " if that is meant; see " +
                       line_of(named(subcommands(), options.name)) + " --help");
    }
    if (const std::string wrong = what_is_wrong(option.value, text, options); !wrong.empty()) {
      throw UsageError(name + ": " + wrong);
    }
  }
  take(option, option.adds ? text::joined(texts, ",") : texts.back(), options);
  return true;
}

/// CLI11's message begins with the option's name.
[[noreturn]] void refuse_mismatch(const Subcommand* chosen, const std::string& message, const Options& options) {
  const std::size_t begin = std::min(message.find_first_not_of('-'), message.size());  // flags have no dashes there
  const std::string name = dashes + message.substr(begin, message.find_first_of(": ") - begin);
  const Option* const option = find_option(chosen != nullptr ? *chosen : program(), name);
  const bool takes_value = option != nullptr && !is_flag(*option);
  throw UsageError(name +
                   (takes_value ? " needs a value; use " + name + " " + placeholder(option->value, options)
                                : " takes no value; use " + name + " alone") +
                   "; " + help_of(chosen));
}

/// Options may stand before the command if they are the program's too.
void check_before(std::span<const std::string> words, const Subcommand* chosen) {
  for (const std::string& word : words) {
    if (word != dashes && find_option(program(), name_in(word)) == nullptr) {
      word.size() > 1 && word[0] == '-' ? refuse_option(chosen, word) : refuse_word(nullptr, word);
    }
  }
}

}  // namespace

const Subcommand* read_line(std::span<const std::string> arguments, Options& options) {
  const auto is_command = [](const std::string& word) {
    return std::ranges::find(subcommands(), word, &Subcommand::name) != subcommands().end();
  };
  const auto at = std::ranges::find_if(arguments, is_command);
  const Subcommand* const chosen = at == arguments.end() ? nullptr : &named(subcommands(), *at);
  options = nothing_read(chosen != nullptr ? *chosen : program());
  check_dashes(arguments);
  check_before({arguments.begin(), at}, chosen);

  CLI::App app;
  app.allow_extras();
  app.set_help_flag();
  std::map<const CLI::Option*, const Option*> rows;
  for (const Option* option : options_of(chosen != nullptr ? *chosen : program())) {
    const std::string names =
        std::string(option->name) + (option->letter.empty() ? "" : "," + std::string(option->letter));
    const auto read = [&, option](const Words& texts) { return read_values(*option, texts, arguments, options); };
    CLI::Option* const added = is_flag(*option)
                                   ? app.add_flag_callback(names, [&, option] { take(*option, "", options); })
                                         ->disable_flag_override()
                                         ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
                                   : app.add_option(names, read)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    rows[added] = option;
  }
  const bool takes_words = chosen != nullptr && !chosen->argument.empty();
  if (takes_words) {
    constexpr int any_number = 1 << 28;  // so many are never there: what follows -- is still a word
    app.add_option("WORDS")->expected(any_number, any_number)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  Words words(arguments.begin(), at);
  std::erase(words, dashes);
  words.insert(words.end(), at == arguments.end() ? at : at + 1, arguments.end());
  std::ranges::reverse(words);
  for (std::string& word : words) {  // "-o=x" is "-ox" to CLI11
    const bool has_equals = word.size() > 2 && word[0] == '-' && word[1] != '-' && word[2] == '=';
    has_equals ? void(word.erase(2, 1)) : void();
  }
  try {
    app.parse(std::move(words));
  } catch (const CLI::ArgumentMismatch& error) {
    refuse_mismatch(chosen, error.what(), options);
  }
  std::map<const CLI::Option*, std::size_t> read;
  for (const CLI::Option* option : app.parse_order()) {
    if (const auto row = rows.find(option); row != rows.end()) {
      options.given.push_back({row->second, is_flag(*row->second) ? "" : option->results()[read[option]++]});
    }
  }
  options.words = takes_words ? app.get_option("WORDS")->results() : Words();
  for (const std::string& rest : app.remaining()) {
    if (rest != dashes) {
      rest.size() > 1 && rest[0] == '-' ? refuse_option(chosen, rest) : refuse_word(chosen, rest);
    }
  }
  return chosen;
}

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

Options nothing_read(const Subcommand& command) {
  Options options;
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
    for (const chapters::layer::Model& model : chapters::layer::models()) {
      options.chapters.push_back(&model.article.chapters.front());
    }
  } else if (!command.entries.empty()) {
    options.chapters = {command.entries.front()};
  }
  return options;
}

}  // namespace attn::cli
