#include "render/writers.hpp"

#include <array>

#include "render/csv.hpp"
#include "render/json.hpp"
#include "render/listing.hpp"
#include "render/markdown.hpp"
#include "render/page/html.hpp"
#include "render/svg.hpp"

namespace attn::render {
namespace {

void write_page(std::ostream& out, const Document& document) {
  const ShownChapter& first = document.chapters.at(0);
  write_html(out, {.title = document.chapters.size() == 1 ? first.title : first.article,
                   .chapters = document.chapters,
                   .text = document.text,
                   .glossary = document.glossary,
                   .settings = document.settings,
                   .slides = document.slides,
                   .live = document.live});
}

constexpr unsigned data = can::sentences | can::derivations | can::comparisons | can::several | can::draws;
constexpr unsigned words = data | can::colours | can::questions;
// A page links a step to the steps it depends on, whether or not the article prints them.
constexpr unsigned page = can::sentences | can::colours | can::comparisons | can::slides | can::several;

constexpr std::array table = {
    Writer{{"text", ".txt", words}, "as the article prints it", write_listing, false, false, false},
    Writer{{"markdown", ".md", words}, "a handout", write_markdown, false, false, false},
    Writer{{"json", ".json", data}, "JSON", write_json},
    Writer{{"html", ".html", page}, "a page to project", write_page, true, true},
    Writer{{"svg", ".svg", can::colours | can::draws}, "one tensor for a slide", write_svg},
    Writer{{"csv", ".csv", can::draws}, "one tensor's numbers", write_csv},
};

}  // namespace

std::span<const Writer> writers() { return table; }

const Writer& default_writer() { return table.front(); }

}  // namespace attn::render
