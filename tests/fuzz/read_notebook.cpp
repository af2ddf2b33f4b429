#include "page.hpp"
#include "targets.hpp"

namespace attn::fuzz {

void read_notebook(std::string_view bytes) { read_page("page.ipynb", bytes); }

}  // namespace attn::fuzz
