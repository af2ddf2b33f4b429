#include "render/page/live.hpp"

#include <ostream>

#include "render/page/template.hpp"

namespace attn::render {

/// The files of src/render/page, embedded as strings by embed.cmake; and the program for browsers, by
/// live_program.cmake.
namespace page {
extern const std::string_view live_html;
extern const std::string_view live_js;
extern const std::string_view live_program;
extern const std::string_view live_glue;
}  // namespace page

bool has_live_program() { return !page::live_program.empty(); }

void write_live(std::ostream& out, std::string_view settings) {
  write_filled(out, page::live_html,
               {
                   {"settings", verbatim(settings)},
                   {"program", verbatim(page::live_program)},
                   {"glue", verbatim(page::live_glue)},
                   {"script", verbatim(page::live_js)},
               });
}

}  // namespace attn::render
