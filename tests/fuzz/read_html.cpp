#include "page.hpp"
#include "targets.hpp"

namespace attn::fuzz {

void read_html(std::string_view bytes) { read_page("page.html", bytes); }

}  // namespace attn::fuzz
