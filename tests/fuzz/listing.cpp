#include "verify/program/listing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "require.hpp"
#include "targets.hpp"
#include "verify/read/read_page.hpp"

namespace attn::fuzz {
namespace {

void check(const verify::Literal& literal) {
  require(literal.values.size() == static_cast<std::size_t>(element_count(literal.shape)), "a literal has its shape");
  require(literal.place.line >= 1, "a literal has a line");
  require_clean(literal.name, "a literal's name");
}

template <class List>
void check_ascending(const List& list) {
  require(std::ranges::is_sorted(list) && std::ranges::adjacent_find(list) == list.end(), "a list ascends");
}

void check(const verify::Settings& settings) {
  check_ascending(settings.seeds);
  check_ascending(settings.d_out);
  check_ascending(settings.num_heads);
  check_ascending(settings.dropouts);
  check_ascending(settings.qkv_bias);
  require(std::ranges::none_of(settings.dropouts, [](double p) { return std::isnan(p); }), "a probability is a number");
}

}  // namespace

void listing(std::string_view bytes) {
  for (const std::string name : {"page", "page.py", "page.md"}) {
    try {
      const verify::Page page = verify::parse_page(name, bytes);
      const verify::Listing listing = verify::find_listing(page);
      for (const verify::Literal& literal : listing.literals) {
        check(literal);
      }
      check(listing.settings);
    } catch (const verify::PageError& error) {
      require_error_line(error);
    }
  }
}

}  // namespace attn::fuzz
