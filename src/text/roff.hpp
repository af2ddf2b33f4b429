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
  /// Writes the NAME section.
  void name(std::string_view name, std::string_view what);
  void subsection(std::string_view title);
  /// Writes a heading among the items of a section.
  void group(std::string_view title);
  void paragraph(std::string_view text);
  /// Writes lines made with bold() and italic(), without filling.
  void lines(std::span<const std::string> lines);
  /// Writes lines of code or output verbatim.
  void code(std::span<const std::string> lines);
  /// Writes a term, made with bold() and italic(), and its description.
  void item(const std::string& term, std::string_view text);

  const std::string& page() const { return page_; }

 private:
  void macro(const std::string& line) { page_ += line + "\n"; }
  void begin_paragraph();

  std::string page_;
  bool is_after_heading_ = false;
};

/// Literal text in bold; placeholders in italics.
std::string bold(std::string_view text);
std::string italic(std::string_view text);

}  // namespace attn::text
