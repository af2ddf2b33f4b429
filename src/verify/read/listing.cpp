#include "verify/read/listing.hpp"

#include <utility>

#include "verify/read/literals.hpp"
#include "verify/read/settings.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

Listing find_listing(const Page& page) {
  const Page& listing = page.listing();
  const Zones zones = find_zones(listing);
  std::vector<Literal> literals = find_literals(listing, zones);
  std::vector<DrawCall> draws = find_draw_calls(listing, zones, literals);
  constexpr std::size_t largest = 1U << 20U;  // lessons are smaller
  std::vector<Written> written = listing.text().size() <= largest && zones.have(Zone::code)
                                     ? find_written(find_statements(listing, zones))
                                     : std::vector<Written>{};
  return {std::move(literals), find_settings(listing.text()), std::move(draws), std::move(written)};
}

}  // namespace attn::verify
