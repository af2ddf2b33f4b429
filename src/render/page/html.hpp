#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "render/document.hpp"

namespace attn::render {

/// Writes the introduction: the article element before a chapter's first step, and its heading. Its map links to the
/// `ids` of all the chapter's steps; the id of a step that the page does not show is empty.
void write_introduction(std::ostream& out, const Frame& frame, const std::string& id, std::span<const std::string> ids);
constexpr const char* introduction_heading = "Introduction";
/// Writes the ending: the article element after the last step.
void write_ending(std::ostream& out, const Frame& frame, const std::string& id);
constexpr const char* ending_heading = "Summary";

/// One chapter, or all chapters of an article, as a page. Everything it points to must outlive it.
struct LessonPage {
  std::string title;                       ///< "causal: a causal mask: no token sees a later one", "Attention"
  std::span<const ShownChapter> chapters;  ///< at least one
  TextOptions text;
  std::string_view glossary;  ///< as in Document
  std::string settings;       ///< as in Document
  bool slides = false;        ///< as in Document
  std::string_view live;      ///< as in Document
};

/// Writes one self-contained HTML file: the steps as PyTorch prints them, which a script turns into heat maps whose
/// cells show how they were computed, unchanged and with one rule changed. Tensors that PyTorch would summarise stay as
/// printed. A step's address is its name; on a page of several chapters the chapter's name precedes it:
/// "#causal/attn_scores".
void write_html(std::ostream& out, const LessonPage& page);

}  // namespace attn::render
