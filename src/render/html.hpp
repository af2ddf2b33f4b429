#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "render/explain.hpp"
#include "render/text.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter as a page of its own. What it points to must outlive it.
struct LessonPage {
  std::string title;                         ///< "causal: a causal mask: no token sees a later one"
  const nlohmann::ordered_json& about;       ///< tool, version, chapter, article, options
  std::span<const Step> steps;
  std::span<const std::string> tokens;       ///< the words that the rows of `inputs` stand for; may be empty
  Why why;                                   ///< may be empty
  TextOptions text;
};

/// One self-contained HTML file: the steps as PyTorch prints them, which a script makes into heat maps in which each
/// cell shows how it was computed. Tensors that PyTorch would summarise stay as printed.
void write_html(std::ostream& out, const LessonPage& page);

}  // namespace attn::render
