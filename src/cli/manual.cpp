#include "cli/manual.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "chapter.hpp"
#include "cli/guides.hpp"
#include "cli/option.hpp"
#include "cli/option_rows.hpp"
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
    "sign. An error is one line on standard error that says what is wrong and what to do instead; nothing is written "
    "then.";

struct Explained {
  const char* what;
  const char* meaning;
};

constexpr Explained exit_codes[] = {
    {"0", "Success."},
    {"1", "Only verify: a page or a port has failed; see its exit codes above."},
    {"2", "An error; the line on standard error says why."},
};

constexpr Explained variables[] = {
    {"PAGER",
     "The pager for long output on a terminal (default: less). The shell runs it if it has arguments. If it is empty "
     "or cat, or cannot be started, no pager is used."},
    {"LESS, LV",
     "If they are not set, the pager gets LESS=FRX and LV=-c: it prints what fits the screen and exits, and it keeps "
     "colours."},
    {"NO_COLOR", "If it is not empty, output has no colours."},
    {"TERM, COLORTERM", "The colours of the terminal; TERM also determines what the presenter can do."},
    {"COLUMNS", "The width of the terminal; it overrides what the terminal reports."},
    {"LC_ALL, LC_CTYPE, LANG", "Whether the terminal shows characters beyond ASCII."},
    {"OPENBLAS_CORETYPE", "The OpenBLAS kernel set if --blas is not given."},
    {"OPENBLAS_NUM_THREADS, GOTO_NUM_THREADS, OMP_NUM_THREADS", "The number of OpenBLAS threads for large products."},
};

/// A placeholder: words of it that are typed as they are in bold, others in italics.
std::string marked(const std::string& placeholder) {
  std::string result;
  std::string rest = placeholder;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    const std::string form = rest.substr(0, bar);
    const bool is_typed = std::none_of(form.begin(), form.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    result += (result.empty() ? "" : "|\\:") + (is_typed ? bold(form) : italic(form));
    rest.erase(0, bar + 1);
  }
  return result;
}

/// "causal, multihead": which commands take an option that not all do.
std::string taken_by(const Option& option) {
  std::vector<std::string> names;
  for (const Subcommand& command : subcommands()) {
    if (takes(command, option)) {
      names.push_back(command.name);
    }
  }
  const bool is_of_all_chapters = (option.takers & by_chapter) != 0 && !option.taken;
  if (is_of_all_chapters) {
    std::erase_if(names, [](const std::string& name) { return !entries_of(name).empty(); });
    names.insert(names.begin(), "CHAPTER");
  }
  return (option.takers & by_program) != 0 ? "" : text::joined(names);
}

/// The page, piece by piece.
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

  /// Each once, with all of its choices and the commands that take it: a group's heading tells those of its first one.
  void write_options() {
    roff_.section("OPTIONS");
    std::string_view group = group::general;
    std::string takers;
    for (const Option& option : all_options()) {
      const std::string its = taken_by(option);
      if (option.group != group) {
        group = option.group;
        takers = its;
        roff_.group(std::string(group) + " (" + takers + ")");
      }
      const std::string value = placeholder(option.value, {});
      const std::string letter = option.letter.empty() ? "" : bold(option.letter) + ", ";
      const std::string more = option.more.empty() ? "" : " " + std::string(option.more);
      roff_.item(letter + bold(option.name) + (value.empty() ? "" : " " + marked(value)),
                 std::string(option.doc) + "." + more + (its == takers ? "" : " In " + its + "."));
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
    for (const Explained& said : table) {
      roff_.item(bold(said.what), said.meaning);
    }
  }

  /// Those of the help, a line and what it does.
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
