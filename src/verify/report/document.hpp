#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/cell.hpp"
#include "render/page/template.hpp"

namespace attn::verify {

/// A verdict's text, and its name in the style sheet.
struct Tint {
  std::string style;
  std::string words;
};

/// How a cell is highlighted.
enum class CellTint { none, close, wrong };

/// What is found of a tensor: an item of a section's list, linked to the tensor.
struct ListItem {
  std::string place;
  std::string words;
  Tint tint;
  std::string details;  ///< several lines; may be empty
};

/// An HTML report's section for one page or dump.
struct Section {
  std::string name;
  std::string summary;
  bool is_open = false;  ///< the list of findings
  std::string caption;   ///< the list's caption
  std::vector<ListItem> findings;
  render::Write text;  ///< the page's text with its tensors tinted
};

/// The derivations of numbers in the text of their cells. A derivation is a thousand times as long as its cell: the
/// limit on their number gives a page of about 20 MB, and tensors that PyTorch prints in full have at most that many
/// cells.
class Derivations {
 public:
  /// A derivation one level deep, below the step's text; only the text if there are too many cells.
  std::string of(const render::Cell& cell, const std::string& step_words, std::span<const std::string> tokens);

 private:
  std::size_t left_ = 20'000;
};

/// Writes text verbatim, with invisible characters made visible.
void write_visible(std::ostream& out, std::string_view text);

/// Writes a tinted tensor followed by its verdict; `write_text` writes the printed text.
void write_tensor(std::ostream& out, const std::string& id, const Tint& tint, const std::function<void()>& write_text);
/// Writes one of its cells, which shows `words`.
void write_cell(std::ostream& out, CellTint tint, std::string_view words, const std::function<void()>& write_text);

/// Writes one self-contained file. `key` explains the colours.
void write_document(std::ostream& out, const std::string& title, std::span<const Tint> key,
                    std::span<const Section> sections, const std::string& version);

/// "page-1-3": the third tensor of the first section.
std::string tensor_id(std::size_t section, std::size_t tensor);

}  // namespace attn::verify
