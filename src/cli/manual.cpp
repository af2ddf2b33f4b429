#include "cli/manual.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "chapter.hpp"
#include "cli/program.hpp"
#include "text/lines.hpp"
#include "text/roff.hpp"

namespace attn::cli {
namespace {

using text::bold;
using text::italic;

constexpr auto page_name = "attn-walkthrough";
constexpr auto chapters_group = "Chapters";

constexpr auto to_read =
    "The text goes to standard output, the same bytes for the same arguments. Where that is a terminal, what does not "
    "fit "
    "the screen is shown by a pager; see ENVIRONMENT. An option's value follows it as the next argument or after an "
    "equals "
    "sign. What cannot be done is refused by one line on standard error, which says what is accepted, and nothing is "
    "written.";

struct Explained {
  const char* what;
  const char* meaning;
};

constexpr Explained exit_codes[] = {
    {"0", "All is well. Of verify: nothing differs."},
    {"1", "Of verify alone: something differs, or is unknown where --strict is given."},
    {"2", "What is asked for cannot be done; the line on standard error says why."},
};

constexpr Explained variables[] = {
    {"PAGER",
     "What shows long output on a terminal, run by the shell where it has arguments: less where it is not set, "
     "nothing where it is empty or cat, and nothing where it cannot be started."},
    {"LESS, LV",
     "Where they are not set, the pager gets LESS=FRX and LV=-c: what fits the screen is simply printed, and "
     "colours pass."},
    {"NO_COLOR", "Where it is not empty, nothing is coloured."},
    {"TERM, COLORTERM", "Which colours a terminal has; TERM also what the presenter may do on it."},
    {"COLUMNS", "The width of a terminal, before what the terminal itself says."},
    {"LC_ALL, LC_CTYPE, LANG", "Whether a terminal shows characters beyond ASCII."},
    {"OPENBLAS_CORETYPE", "Whose kernels OpenBLAS multiplies with, where --blas does not say."},
    {"OPENBLAS_NUM_THREADS, GOTO_NUM_THREADS, OMP_NUM_THREADS", "How many threads OpenBLAS has for large products."},
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

/// What is said of an option; two of the same words are one option.
struct Entry {
  std::string term;
  std::string help;
  std::string group;

  bool operator==(const Entry&) const = default;
};

Entry entry_of(const KnownOption& option) {
  const std::string placeholder = option.takes_value ? option.placeholder() : "";
  const std::string letter = option.letter.empty() ? "" : bold(option.letter) + ", ";
  return {letter + bold(option.name) + (placeholder.empty() ? "" : " " + marked(placeholder)), option.help,
          option.group};
}

std::vector<Entry> entries_of(const Syntax& syntax) {
  std::vector<Entry> entries;
  for (const KnownOption& option : syntax.options) {
    entries.push_back(entry_of(option));
  }
  return entries;
}

bool contains(const std::vector<Entry>& entries, const Entry& entry) {
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

/// Those that are not among the others.
std::vector<Entry> without(std::vector<Entry> entries, const std::vector<Entry>& others) {
  std::erase_if(entries, [&others](const Entry& entry) { return contains(others, entry); });
  return entries;
}

/// The page, piece by piece.
class Manual {
 public:
  Manual() : roff_(page_name, ATTN_DATE, std::string(page_name) + " " ATTN_VERSION) {
    common_ = entries_of(program_.syntax());
    for (const CommandName& command : program_.commands()) {
      entries_[command.name] = without(entries_of(program_.syntax_of(command.name, false)), common_);
      (command.group == chapters_group ? chapters_ : others_).push_back(command);
    }
    shared_ = entries_[chapters_.front().name];
    for (const CommandName& chapter : chapters_) {
      std::erase_if(shared_, [&](const Entry& entry) { return !contains(entries_[chapter.name], entry); });
    }
  }

  std::string page() {
    write_beginning();
    write_chapters();
    write_commands();
    write_articles();
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
    roff_.paragraph(program_.description());
    roff_.paragraph(to_read);
    roff_.section("OPTIONS");
    write_groups(common_);
  }

  void write_synopsis() {
    const std::string option = " [" + italic("OPTION") + "...]";
    std::vector<std::string> lines = {bold(page_name) + " " + italic("CHAPTER") + option};
    for (const CommandName& command : others_) {
      const std::string argument = program_.syntax_of(command.name, false).argument;
      const bool is_choice = argument.find('|') != std::string::npos;
      lines.push_back(bold(std::string(page_name) + " " + command.name) +
                      (entries_[command.name].empty() ? "" : option) +
                      (argument.empty() ? ""
                       : is_choice      ? " " + marked(argument)
                                        : " [" + bold("--") + "] " + marked(argument) + "..."));
    }
    roff_.lines(lines);
  }

  void write_groups(const std::vector<Entry>& entries) {
    std::string group;
    for (const Entry& entry : entries) {
      if (entry.group != group && !(group.empty() && entry.group == "Options")) {
        roff_.group(entry.group);
      }
      group = entry.group;
      roff_.item(entry.term, entry.help);
    }
  }

  void write_chapters() {
    roff_.section("CHAPTERS");
    for (const CommandName& chapter : chapters_) {
      roff_.item(bold(chapter.name), chapter.summary);
    }
    roff_.subsection("Options of every chapter");
    write_groups(shared_);
    for (const CommandName& chapter : chapters_) {
      roff_.subsection("Further options of " + chapter.name);
      write_groups(without(entries_[chapter.name], shared_));
    }
  }

  void write_commands() {
    roff_.section("COMMANDS");
    for (const CommandName& command : others_) {
      roff_.subsection(command.name);
      roff_.paragraph(command.summary);
      const Syntax syntax = program_.syntax_of(command.name, false);
      if (syntax.takes_files) {
        roff_.item(marked(syntax.argument), syntax.argument_help);
      }
      write_groups(entries_[command.name]);
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
    std::vector<std::string> footers = {program_.footer()};
    for (const CommandName& command : program_.commands()) {
      const std::string own = program_.footer_of(command.name);
      if (own != footers.front()) {
        footers.push_back(own);
      }
    }
    for (const std::string& footer : footers) {
      for (const std::string& line : text::lines_of(footer)) {
        if (line.starts_with("  ")) {
          write_example(std::string(text::trimmed(line)));
        }
      }
    }
  }

  void write_example(const std::string& line) {
    const std::size_t gap = std::min(line.find("  "), line.size());
    roff_.item(bold(line.substr(0, gap)), text::trimmed(line.substr(gap)));
  }

  Program program_;
  text::Roff roff_;
  std::vector<CommandName> chapters_;
  std::vector<CommandName> others_;
  std::vector<Entry> common_;                          ///< of the program, and of each command
  std::vector<Entry> shared_;                          ///< of each chapter
  std::map<std::string, std::vector<Entry>> entries_;  ///< of each command, without the common ones
};

}  // namespace

std::string manual_page() { return Manual().page(); }

}  // namespace attn::cli
