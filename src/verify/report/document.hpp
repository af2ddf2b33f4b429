#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "lesson/cell.hpp"
#include "render/page/template.hpp"

namespace attn::verify {

/// A verdict's words, and its name in the style sheet.
struct Tint {
  std::string style;
  std::string words;
};

/// How a cell stands out.
enum class CellTint { none, close, wrong };

/// What an HTML report has of one page or dump.
struct Section {
  std::string name;
  std::string summary;
  bool is_open = false;    ///< the list of what was found
  std::string caption;     ///< of that list
  render::Write findings;  ///< its items
  render::Write text;      ///< with its tensors tinted
};

/// How numbers came about, in the words of their cells. Derivations are a thousand times as long as the cells that they
/// belong to: so many of them make a page of some 20 MB, and the tensors that PyTorch prints whole have at most so many
/// cells.
class Derivations {
 public:
  /// One level deep, below the step's words; the words alone where there are too many cells.
  std::string of(const render::Cell& cell, const std::string& step_words, std::span<const std::string> tokens);

 private:
  std::size_t left_ = 20'000;
};

/// Text as it stands, with what is not visible made visible.
void write_visible(std::ostream& out, std::string_view text);

/// A tinted tensor with its verdict behind it; `write_text` writes what it prints.
void write_tensor(std::ostream& out, const std::string& id, const Tint& tint, const std::function<void()>& write_text);
/// A cell of it, which tells `words`.
void write_cell(std::ostream& out, CellTint tint, std::string_view words, const std::function<void()>& write_text);

/// An item of a section's list, which leads to the tensor of that id.
void write_item(std::ostream& out, const std::string& id, const std::string& place, const std::string& words,
                const Tint& tint, const std::string& details);

/// One self-contained file. `key` tells what the colours mean.
void write_document(std::ostream& out, const std::string& title, std::span<const Tint> key,
                    std::span<const Section> sections, const std::string& version);

/// "page-1-3": the third tensor of the first section.
std::string tensor_id(std::size_t section, std::size_t tensor);

}  // namespace attn::verify
