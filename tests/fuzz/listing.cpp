#include <string>

#include "require.hpp"
#include "targets.hpp"
#include "verify/page/page.hpp"
#include "verify/program/ran.hpp"

namespace attn::fuzz {

void listing(std::string_view bytes) {
  for (const std::string name : {"page", "page.py", "page.md"}) {
    try {
      const verify::Ran ran = verify::run_program(verify::parse_page(name, bytes), {});
      require(ran.notes.size() <= 1, "a program is followed up to one place");
      for (const std::string& note : ran.notes) {
        require_clean(note, "a note");
      }
      for (const verify::ProgramDraw& draw : ran.draws) {
        require(draw.nth >= 1, "a draw has a number");
      }
    } catch (const verify::PageError& error) {
      require_error_line(error);
    }
  }
}

}  // namespace attn::fuzz
