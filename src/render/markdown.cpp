#include "render/markdown.hpp"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <string>
#include <string_view>

#include "render/heatmap.hpp"

namespace attn::render {
namespace {

bool is_alphanumeric(std::string_view text, std::size_t i) {
  return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
}

/// Text that reads as itself: characters that could mark something up are escaped. An underscore within a word is none.
std::string escaped(std::string_view text) {
  constexpr std::string_view always = "\\`*[]<>&|~#";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_outer_underscore =
        text[i] == '_' && !(i > 0 && is_alphanumeric(text, i - 1) && is_alphanumeric(text, i + 1));
    const bool begins_list = i == 0 && (text[i] == '-' || text[i] == '+' || text[i] == '=');
    if (always.find(text[i]) != std::string_view::npos || is_outer_underscore || begins_list) {
      result += '\\';
    }
    result += text[i];
  }
  const std::size_t digits = std::min(result.find_first_not_of("0123456789"), result.size());
  const bool begins_numbered_list = digits > 0 && digits < result.size() && (result[digits] == '.' || result[digits] == ')');
  return begins_numbered_list ? result.substr(0, digits) + '\\' + result.substr(digits) : result;
}

std::size_t longest_backtick_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string code_span(const std::string& text) {
  const std::string ticks(longest_backtick_run(text) + 1, '`');
  const std::string space = text.starts_with('`') || text.ends_with('`') ? " " : "";
  return ticks + space + text + space + ticks;
}

std::string fenced(const std::string& text) {
  const std::string fence(std::max<std::size_t>(3, longest_backtick_run(text) + 1), '`');
  return fence + "text\n" + text + "\n" + fence + "\n";
}

/// "one_query" as a heading: "One query".
std::string section_title(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  if (!name.empty()) {
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  return escaped(name);
}

std::string shown_text(const Step& step, const ShownChapter& chapter, const Document& document) {
  switch (step.kind) {
    case Step::Kind::tensor: break;
    case Step::Kind::size: return torch::format_size(step.tensor->shape());
    case Step::Kind::text: return step.text;
  }
  if (document.heatmap) {
    const Terminal paper = {.width = document.text.print.linewidth, .unicode = true};
    return heatmap_text(*step.tensor, chapter.tokens, document.text.print, paper);
  }
  return tensor_text(*step.tensor, document.text);
}

void write_step(std::ostream& out, const Step& step, const ShownChapter& chapter, const Document& document) {
  const StepExplanation explanation = explain(step, chapter.why(step), chapter.tokens);
  out << '\n'
      << (step.section.empty() ? "## " : "### ") << code_span(step.name)
      << (step.kind == Step::Kind::size ? ", its shape" : "") << '\n';
  if (!explanation.why.empty()) {
    out << '\n' << escaped(explanation.why) << '\n';
  }
  if (!explanation.shapes.empty()) {
    out << '\n' << code_span(explanation.shapes) << '\n';
  }
  out << '\n' << fenced(shown_text(step, chapter, document));
  if (!explanation.notices.empty()) {
    out << '\n';
  }
  for (const std::string& notice : explanation.notices) {
    out << "- " << escaped(notice) << '\n';
  }
}

void write_steps(std::ostream& out, const ShownChapter& chapter, const Document& document) {
  std::string section;
  for (const Step& step : chapter.steps) {
    if (step.section != section) {
      section = step.section;
      out << "\n## " << section_title(section) << '\n';
    }
    write_step(out, step, chapter, document);
  }
}

void write_derivation(std::ostream& out, const ShownChapter& chapter, const Document& document) {
  std::string text =
      derivation_text(chapter.all_steps, *document.cell, document.depth, chapter.tokens, document.text.print);
  text.pop_back();
  out << "\n## " << code_span(text.substr(0, text.find(" = "))) << "\n\n" << fenced(text);
}

}  // namespace

void write_markdown(std::ostream& out, const Document& document) {
  const char* between = "";
  for (const ShownChapter& chapter : document.chapters) {
    out << between << "# " << escaped(chapter.title) << '\n';
    if (document.cell) {
      write_derivation(out, chapter, document);
    } else {
      write_steps(out, chapter, document);
    }
    between = "\n";
  }
}

}  // namespace attn::render
