#include "page.hpp"
#include "targets.hpp"

namespace attn::fuzz {

void read_text(std::string_view bytes) {
  for (const char* name : {"page.log", "page.md", "page.py"}) {
    read_page(name, bytes);
  }
}

}  // namespace attn::fuzz
