#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attn::text {

/// Writes a manual page with the macros of man(7).
class Roff {
 public:
  /// `date` is YYYY-MM-DD, `source` the program with its version.
  Roff(std::string_view name, std::string_view date, std::string_view source);

  void section(std::string_view title);
  /// What stands under NAME.
  void name(std::string_view name, std::string_view what);
  void subsection(std::string_view title);
  /// A heading among the items of a section.
  void group(std::string_view title);
  void paragraph(std::string_view text);
  /// Lines of bold() and the like, each a line of its own.
  void lines(std::span<const std::string> lines);
  /// Lines of a program or its output, as they are.
  void code(std::span<const std::string> lines);
  /// A term, written by bold() and the like, and what it means.
  void item(const std::string& term, std::string_view text);

  const std::string& page() const { return page_; }

 private:
  void macro(const std::string& line) { page_ += line + "\n"; }
  void begin_paragraph();

  std::string page_;
  bool is_after_heading_ = false;
};

/// As it is typed, in bold; what stands for something else, in italics.
std::string bold(std::string_view text);
std::string italic(std::string_view text);

}  // namespace attn::text
