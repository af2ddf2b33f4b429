#include "cli/guides.hpp"

#include <algorithm>
#include <vector>

#include "text/lines.hpp"

namespace attn::cli {
namespace {

constexpr std::string_view fence = "```";
constexpr std::string_view bullet = "- ";
constexpr std::string_view section_mark = "## ";

/// Calls `on_line` for each line below the title, except fences; `is_code` is true between fences.
template <class OnLine>
void for_each_line(const Guide& guide, OnLine on_line) {
  bool is_code = false;
  const std::vector<std::string> lines = text::lines_of(std::string(guide.text.substr(guide.text.find('\n') + 1)));
  for (const std::string& line : lines) {
    if (line.starts_with(fence)) {
      is_code = !is_code;
    } else {
      on_line(line, is_code);
    }
  }
}

/// Joins lines to the manual's paragraphs; writes each when the next begins.
class Paragraphs {
 public:
  explicit Paragraphs(text::Roff& roff) : roff_(roff) {}

  void add(const std::string& line, bool is_code) {
    const bool begins =
        line.empty() || line.starts_with(bullet) || line.starts_with(section_mark) || is_code != is_code_;
    if (begins) {
      flush();
    }
    is_code_ = is_code;
    if (is_code) {
      code_.push_back(line);
    } else if (line.starts_with(section_mark)) {
      roff_.subsection(line.substr(section_mark.size()));
    } else {
      const std::string_view words = text::trimmed(line);
      text_ += (text_.empty() ? "" : " ") + std::string(words);
    }
  }

  void flush() {
    if (!code_.empty()) {
      roff_.code(code_);
    } else if (text_.starts_with(bullet)) {
      roff_.item("\\(bu", text_.substr(bullet.size()));
    } else if (!text_.empty()) {
      roff_.paragraph(text_);
    }
    code_.clear();
    text_.clear();
  }

 private:
  text::Roff& roff_;
  bool is_code_ = false;
  std::vector<std::string> code_;
  std::string text_;
};

}  // namespace

const Guide* find_guide(std::string_view name) {
  const auto found = std::ranges::find(guides(), name, &Guide::name);
  return found == guides().end() ? nullptr : &*found;
}

std::string_view title(const Guide& guide) { return guide.text.substr(2, guide.text.find('\n') - 2); }

std::string shown(const Guide& guide) {
  std::string text = std::string(title(guide)) + "\n";
  for_each_line(guide, [&text](const std::string& line, bool is_code) {
    text += (is_code && !line.empty() ? "    " : "") + line + "\n";
  });
  return text;
}

void write(text::Roff& roff, const Guide& guide) {
  roff.section(title(guide));
  Paragraphs paragraphs(roff);
  for_each_line(guide, [&](const std::string& line, bool is_code) { paragraphs.add(line, is_code); });
  paragraphs.flush();
}

}  // namespace attn::cli
