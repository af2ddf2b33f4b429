#include "cli/manual.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapter.hpp"
#include "cli/guides.hpp"
#include "cli/option.hpp"
#include "cli/option_rows.hpp"
#include "tensor/blas_kernels.hpp"
#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/roff.hpp"

namespace attn::cli {
namespace {

using text::bold;
using text::italic;

constexpr auto page_name = "attn-walkthrough";

constexpr auto to_read =
    "The text goes to standard output. The same arguments always give the same bytes. On a terminal, a pager shows "
    "text that does not fit the screen; see ENVIRONMENT. An option's value is the next argument or follows an equals "
    "sign. On an error, one line on standard error says what is wrong and what to do, and nothing is written.";

struct Explained {
  const char* what;
  const char* meaning;
};

constexpr Explained exit_codes[] = {
    {"0", "Success."},
    {"1", "Only verify: a check of a page or a port failed."},
    {"2", "Error; the line on standard error names the cause."},
};

constexpr Explained variables[] = {
    {"PAGER",
     "The pager for long output on a terminal (default: less). It may have arguments. No pager is used if the variable "
     "is empty or cat, or if the pager cannot be started."},
    {"LESS, LV",
     "If they are not set, the pager runs with LESS=FRX and LV=-c: it exits if the text fits the screen, and shows "
     "colours."},
    {"NO_COLOR", "If it is not empty, output has no colours."},
    {"TERM, COLORTERM", "The terminal's colours and, for the presenter, its capabilities."},
    {"COLUMNS", "The width of the terminal. It overrides the width that the terminal reports."},
    {"LC_ALL, LC_CTYPE, LANG", "Whether the terminal shows characters beyond ASCII."},
};

constexpr Explained openblas_variables[] = {
    {"OPENBLAS_CORETYPE", "The OpenBLAS kernel set if --blas is not given."},
    {"OPENBLAS_NUM_THREADS, GOTO_NUM_THREADS, OMP_NUM_THREADS", "The number of OpenBLAS threads for large products."},
};

/// The forms of a placeholder: "DIR|FILE" has two.
std::vector<std::string> forms_of(std::string placeholder) {
  std::ranges::replace(placeholder, '|', '\n');
  return text::lines_of(placeholder);
}

/// A placeholder with literal words in bold and variables in italics.
std::string marked(const std::string& placeholder) {
  std::string result;
  for (const std::string& form : forms_of(placeholder)) {
    const bool is_typed = std::none_of(form.begin(), form.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    result += (result.empty() ? "" : "|\\:") + (is_typed ? bold(form) : italic(form));
  }
  return result;
}

/// The commands that take an option: "causal, multihead"; empty if all do.
std::string taken_by(const std::vector<const Option*>& rows) {
  std::vector<std::string> names;
  for (const Subcommand& command : subcommands()) {
    if (std::ranges::any_of(rows, [&command](const Option* row) { return takes(command, *row); })) {
      names.push_back(command.name);
    }
  }
  const Option& option = *rows.front();
  const bool is_of_all_chapters = (option.takers & by_chapter) != 0 && !option.taken;
  if (is_of_all_chapters) {
    std::erase_if(names, [](const std::string& name) { return !entries_of(name).empty(); });
    names.insert(names.begin(), "CHAPTER");
  }
  return (option.takers & by_program) != 0 ? "" : text::joined(names);
}

/// The rows of all options with this name.
std::vector<const Option*> rows_named(std::string_view name) {
  std::vector<const Option*> rows;
  for (const Option& option : all_options()) {
    if (option.name == name) {
      rows.push_back(&option);
    }
  }
  return rows;
}

/// The commands that take most options of a group.
std::string takers_of_group(std::string_view group) {
  std::map<std::string, int> counts;
  for (const Option& option : all_options()) {
    if (option.group == group) {
      ++counts[taken_by(rows_named(option.name))];
    }
  }
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
}

/// The placeholder of an option: the choices of all its rows, each once.
std::string choices_of(const std::vector<const Option*>& rows) {
  std::vector<std::string> words;
  for (const Option* row : rows) {
    for (const std::string& word : forms_of(placeholder(row->value, {}))) {
      if (std::ranges::find(words, word) == words.end()) {
        words.push_back(word);
      }
    }
  }
  return text::joined(words, "|");
}

std::string sentences_on(const Option& option) {
  return std::string(option.doc) + "." + (option.more.empty() ? "" : " " + std::string(option.more));
}

/// The text with a capital first letter, unless it begins with a name such as nn.Linear.
std::string capitalised(std::string text) {
  if (text::lower(text[0]) == text[0] && text::is_letter(text[0]) && text.find('.') > text.find(' ')) {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

/// Writes the sections of the page.
class Manual {
 public:
  std::string page() {
    write_beginning();
    write_options();
    write_chapters();
    write_commands();
    write_articles();
    for (const Guide& guide : guides()) {
      write(roff_, guide);
    }
    write_table("EXIT STATUS", exit_codes);
    write_table("ENVIRONMENT", variables);
    if (has_openblas()) {
      write_items(openblas_variables);
    }
    write_examples();
    return roff_.page();
  }

 private:
  void write_beginning() {
    roff_.section("NAME");
    roff_.name(page_name, "every tensor of attention, as PyTorch prints it");
    roff_.section("SYNOPSIS");
    write_synopsis();
    roff_.section("DESCRIPTION");
    roff_.paragraph(program().summary);
    roff_.paragraph(to_read);
  }

  void write_synopsis() {
    const std::string option = " [" + italic("OPTION") + "...]";
    std::vector<std::string> lines = {bold(page_name) + " " + italic("CHAPTER") + option};
    for (const Subcommand& command : subcommands()) {
      const bool is_choice = command.argument.find('|') != std::string::npos;
      if (command.entries.empty() && !command.group.empty()) {
        lines.push_back(bold(line_of(command)) + option +
                        (command.argument.empty() ? ""
                         : is_choice              ? " " + marked(command.argument)
                                                  : " [" + bold("--") + "] " + marked(command.argument) + "..."));
      }
    }
    roff_.lines(lines);
  }

  /// Writes each option once, with all its choices. A heading names the commands that take most options of its group;
  /// an option that other commands take names them itself.
  void write_options() {
    roff_.section("OPTIONS");
    std::string_view group = group::general;
    std::string takers;
    std::vector<std::string_view> written;
    for (const Option& option : all_options()) {
      if (std::ranges::find(written, option.name) != written.end()) {
        continue;
      }
      written.push_back(option.name);
      const std::vector<const Option*> rows = rows_named(option.name);
      const std::string its = taken_by(rows);
      if (option.group != group) {
        group = option.group;
        takers = takers_of_group(group);
        roff_.group(std::string(group) + " (" + takers + ")");
      }
      const std::string value = choices_of(rows);
      const std::string letter = option.letter.empty() ? "" : bold(option.letter) + ", ";
      std::string text = capitalised(sentences_on(option));
      for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
        text.append(" With ").append(taken_by({*row})).append(": ").append(sentences_on(**row));
      }
      roff_.item(letter + bold(option.name) + (value.empty() ? "" : " " + marked(value)),
                 text + (its == takers ? "" : " Commands: " + its + "."));
    }
  }

  void write_chapters() {
    roff_.section("CHAPTERS");
    for (const Subcommand& chapter : subcommands()) {
      if (!chapter.entries.empty()) {
        roff_.item(bold(chapter.name), chapter.summary);
      }
    }
  }

  void write_commands() {
    roff_.section("COMMANDS");
    for (const Subcommand& command : subcommands()) {
      if (!command.entries.empty() || command.group.empty()) {
        continue;
      }
      roff_.subsection(command.name);
      roff_.paragraph(command.summary);
      for (const std::string& paragraph : text::lines_of(command.remark)) {
        if (!paragraph.empty()) {
          roff_.paragraph(paragraph);
        }
      }
      if (!command.argument.empty()) {
        roff_.item(marked(command.argument), command.argument_doc);
      }
    }
  }

  void write_articles() {
    roff_.section("ARTICLES");
    for (const chapters::Article& article : chapters::all_articles()) {
      roff_.item(bold(article.name), article.title);
    }
  }

  template <std::size_t count>
  void write_table(const char* title, const Explained (&table)[count]) {
    roff_.section(title);
    write_items(table);
  }

  void write_items(std::span<const Explained> items) {
    for (const Explained& said : items) {
      roff_.item(bold(said.what), said.meaning);
    }
  }

  /// Writes the examples of the help: a command line and its effect.
  void write_examples() {
    roff_.section("EXAMPLES");
    std::vector<std::string> examples = program().examples;
    for (const Subcommand& command : subcommands()) {
      if (command.group.empty() || !command.entries.empty()) {
        continue;
      }
      examples.insert(examples.end(), command.examples.begin(), command.examples.end());
    }
    for (const std::string& example : examples) {
      write_example(example);
    }
  }

  void write_example(const std::string& line) {
    const std::size_t gap = std::min(line.find("  "), line.size());
    roff_.item(bold(line.substr(0, gap)), text::trimmed(line.substr(gap)));
  }

  text::Roff roff_{page_name, ATTN_DATE, std::string(page_name) + " " ATTN_VERSION};
};

}  // namespace

std::string manual_page() { return Manual().page(); }

}  // namespace attn::cli
