#include "verify/explain/plain.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>

#include "text/lines.hpp"

namespace attn::verify {
namespace {

std::string without_space(std::string_view text) {
  std::string result;
  const auto is_ink = [](char c) { return c != ' ' && c != '\n'; };
  std::copy_if(text.begin(), text.end(), std::back_inserter(result), is_ink);
  return result;
}

std::string grad_fn_of(const std::string& text) {
  const std::size_t begin = text.rfind("grad_fn=<");
  if (begin == std::string::npos) {
    return "";
  }
  return text.substr(begin, text.find('>', begin) + 1 - begin);
}

}  // namespace

std::string plain_layout(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (last != std::string_view::npos) {
      result.append(result.empty() ? "" : "\n").append(line.substr(0, last + 1));
    }
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  constexpr std::string_view old_name = "SqueezeBackward3";
  if (const std::size_t found = result.rfind(old_name); found != std::string::npos) {
    result[found + old_name.size() - 1] = '4';
  }
  return result;
}

std::string layout_difference(const Printed& printed, const std::string& page, const std::string& step) {
  std::string reason;
  const auto add = [&reason](const std::string& words) { reason += (reason.empty() ? "" : "; ") + words; };
  if (printed.missing_parenthesis) {
    add("the closing parenthesis is missing");
  }
  if (page.find("```") != std::string::npos) {
    add("a code fence stands in it");
  }
  const std::string page_grad_fn = grad_fn_of(page);
  const std::string step_grad_fn = grad_fn_of(step);
  if (page_grad_fn != step_grad_fn) {
    add(page_grad_fn.empty()   ? step_grad_fn + " is missing"
        : step_grad_fn.empty() ? page_grad_fn + " is added"
                               : page_grad_fn + " instead of " + step_grad_fn);
  }
  if (reason.empty()) {
    add(without_space(page) == without_space(step) ? "spacing" : "written otherwise");
  }
  return text::one_line(reason);  // a page may break off within a name, or have anything in it
}

std::string plain_label(std::string_view label) {
  std::string result;
  for (const char c : label) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isspace(byte) != 0) {
      if (!result.empty() && result.back() != ' ') {
        result += ' ';
      }
    } else {
      result += static_cast<char>(std::tolower(byte));
    }
  }
  result.erase(result.find_last_not_of(": ") + 1);
  return result;
}

}  // namespace attn::verify
