#include "render/markdown.hpp"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <string_view>

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
  if (digits > 0 && digits < result.size() && (result[digits] == '.' || result[digits] == ')')) {
    result.insert(digits, 1, '\\');
  }
  return result;
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

std::string shown_text(const Step& step, const TextOptions& options) {
  switch (step.kind) {
    case Step::Kind::tensor: return tensor_text(*step.tensor, options);
    case Step::Kind::size: return torch::format_size(step.tensor->shape());
    case Step::Kind::text: break;
  }
  return step.text;
}

void write_step(std::ostream& out, const Step& step, const StepExplanation& explanation, bool in_section,
                const TextOptions& options) {
  out << '\n'
      << (in_section ? "### " : "## ") << code_span(step.name) << (step.kind == Step::Kind::size ? ", its shape" : "")
      << '\n';
  if (!explanation.why.empty()) {
    out << '\n' << escaped(explanation.why) << '\n';
  }
  if (!explanation.shapes.empty()) {
    out << '\n' << code_span(explanation.shapes) << '\n';
  }
  out << '\n' << fenced(shown_text(step, options));
  if (!explanation.notices.empty()) {
    out << '\n';
  }
  for (const std::string& notice : explanation.notices) {
    out << "- " << escaped(notice) << '\n';
  }
}

}  // namespace

void write_markdown(std::ostream& out, const std::string& title, std::span<const Step> steps, const Why& why,
                    std::span<const std::string> tokens, const TextOptions& options) {
  out << "# " << escaped(title) << '\n';
  std::string section;
  for (const Step& step : steps) {
    if (step.section != section) {
      section = step.section;
      out << "\n## " << section_title(section) << '\n';
    }
    write_step(out, step, explain(step, why(step), tokens), !section.empty(), options);
  }
}

}  // namespace attn::render
