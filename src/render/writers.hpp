#pragma once

#include <iosfwd>
#include <span>

#include "emit/form.hpp"
#include "render/document.hpp"

namespace attn::render {

/// One output format.
struct Writer : Form {
  std::string_view what;  ///< the description in the help
  void (*write)(std::ostream& out, const Document& document);
  bool shows_all_steps = false;  ///< unless --steps says otherwise
  bool shows_what_ifs = false;   ///< changed steps besides the unchanged ones
  bool reads_all = true;         ///< reads all of a step's numbers, not only those that print shows
};

/// All output formats: --format, its help, its checks and its dispatch use this table.
std::span<const Writer> writers();

/// The format used if none is given.
const Writer& default_writer();

/// Writes the steps as the article prints them, optionally as heat maps or explained, or one number's derivation. If
/// there are several chapters, each follows a line "# NAME".
void write_listing(std::ostream& out, const Document& document);

/// Writes a handout in CommonMark: a heading for each chapter, section and step, with the reason, the shapes, the
/// printed tensor or its heat map, and notices; or one number's derivation; or the exercises, with the answers and
/// their derivations at the end.
void write_markdown(std::ostream& out, const Document& document);

/// Writes the exercises as a Jupyter notebook with an empty cell for each answer. The document must request exercises.
void write_exercises_notebook(std::ostream& out, const Document& document);

/// Writes one self-contained HTML file: the steps as PyTorch prints them, which a script turns into heat maps whose
/// cells show how they were computed, unchanged and with one rule changed. Tensors that PyTorch would summarise stay as
/// printed. A step's address is its name; on a page of several chapters the chapter's name precedes it:
/// "#causal/attn_scores".
void write_html(std::ostream& out, const Document& document);

/// Larger tensors stay as printed on a page, whatever print's threshold is.
inline constexpr std::int64_t most_page_elements = 5000;

/// Returns true if this build contains the program for browsers, without which no page can compute.
bool has_live_program();

/// Writes the one tensor among the first chapter's steps as a picture for a slide: a self-contained SVG 1.1 without
/// scripts, which shows the lines of its heat map.
void write_svg(std::ostream& out, const Document& document);

/// Writes the only tensor among the document's steps.
void write_csv(std::ostream& out, const Document& document);

/// A tensor as rows of comma-separated numbers, each with the fewest digits that round-trip; a bool is 1 or 0. The
/// first line describes the tensor: "# head_1/keys: float32 [2, 6, 3]". An empty line separates matrices.
void write_csv_rows(const std::function<void(std::string_view)>& sink, const Step& step);

}  // namespace attn::render
