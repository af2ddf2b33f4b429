#include "page.hpp"

#include <algorithm>
#include <cstddef>

#include "require.hpp"
#include "verify/page/page.hpp"
#include "verify/page/printed.hpp"

namespace attn::fuzz {
namespace {

using verify::Page;
using verify::Printed;

bool is_in(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void check(const Printed& printed, const Page& page) {
  require(!printed.text.empty() && is_in(printed.text, page.text()), "what is printed stands on the page");
  for (const verify::Cell& cell : printed.cells) {
    require(!cell.text.empty() && is_in(cell.text, printed.text), "a cell stands in what is printed");
    require(cell.unit >= 0, "a digit counts something");
  }
  require(printed.shown_before_gap.empty() || printed.shown_before_gap.size() == printed.shape.size(),
          "each axis has a gap or none");
  require(is_utf8(printed.label) && is_utf8(printed.grad_fn), "words are UTF-8");
}

}  // namespace

void read_page(const std::string& name, std::string_view bytes) {
  try {
    const Page page = verify::parse_page(name, bytes);
    require(is_utf8(page.text()), "a page's text is UTF-8");
    require(page.text().size() <= 4 * bytes.size() + 1, "a page's text is hardly longer than its file");
    const auto lines = static_cast<std::size_t>(std::ranges::count(bytes, '\n') + std::ranges::count(bytes, '\r')) + 1;
    std::string_view behind = page.text();
    for (const Printed& printed : verify::find_printed(page)) {
      check(printed, page);
      require(is_in(printed.text, behind), "things stand one behind the other");
      behind.remove_prefix(static_cast<std::size_t>(printed.text.data() - behind.data()) + printed.text.size());
      require(printed.place.line >= 1 && (printed.place.cell > 0 || printed.place.line <= lines),
              "the file has that line");
    }
  } catch (const verify::PageError& error) {
    require_error_line(error);
  }
}

}  // namespace attn::fuzz
