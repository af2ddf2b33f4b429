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

constexpr std::array table = {
    Writer{.name = "text", .what = "as the article prints it", .write = write_listing, .reads_all = false},
    Writer{.name = "markdown", .what = "a handout", .write = write_markdown, .reads_all = false},
    Writer{.name = "json", .what = "JSON", .write = write_json},
    // A page links a step to the steps it depends on, whether or not the article prints them.
    Writer{.name = "html",
           .what = "a page to project",
           .write = write_page,
           .shows_all_steps = true,
           .shows_what_ifs = true},
    Writer{.name = "svg", .what = "one tensor for a slide", .write = write_svg, .shows_one_tensor = true},
    Writer{.name = "csv", .what = "one tensor's numbers", .write = write_csv, .shows_one_tensor = true},
};

}  // namespace

std::span<const Writer> writers() { return table; }

const Writer& default_writer() { return table.front(); }

}  // namespace attn::render
