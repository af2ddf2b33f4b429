#include "render/writers.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "render/html.hpp"
#include "render/json.hpp"
#include "render/listing.hpp"
#include "render/markdown.hpp"

namespace attn::render {
namespace {

void write_page(std::ostream& out, const Document& document) {
  const ShownChapter& chapter = document.chapters.at(0);
  const nlohmann::ordered_json about = chapter.about();
  write_html(out, {.title = chapter.title,
                   .about = about,
                   .steps = chapter.steps,
                   .tokens = chapter.tokens,
                   .why = chapter.why,
                   .text = document.text});
}

constexpr std::array json_refuses = {
    Refusal{Wish::heatmap, "JSON has the numbers, their colours are up to who reads it"},
};

constexpr std::array html_refuses = {
    Refusal{Wish::cell, "on a page every number is derived where somebody points at it"},
    Refusal{Wish::several_chapters, "a page shows one chapter"},
};

constexpr std::array table = {
    Writer{.name = "text", .what = "as the article prints it", .write = write_listing, .refuses = {}},
    Writer{.name = "markdown", .what = "a handout", .write = write_markdown, .refuses = {}},
    Writer{.name = "json", .what = "JSON", .write = write_json, .refuses = json_refuses},
    // On a page a step links to those that it came from, printed by the article or not.
    Writer{.name = "html", .what = "a page to project", .write = write_page, .refuses = html_refuses,
           .shows_all_steps = true, .holds_all_steps = true},
};

}  // namespace

std::string_view Writer::refusal(Wish wish) const {
  const auto found = std::find_if(refuses.begin(), refuses.end(), [wish](const Refusal& r) { return r.wish == wish; });
  return found == refuses.end() ? std::string_view() : found->why;
}

std::span<const Writer> writers() { return table; }

const Writer& default_writer() { return table.front(); }

}  // namespace attn::render
