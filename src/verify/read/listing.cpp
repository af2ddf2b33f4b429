#include "verify/read/listing.hpp"

#include "verify/read/literals.hpp"
#include "verify/read/settings.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

Listing find_listing(const Page& page) {
  Budget unbounded;
  return find_listing(page, unbounded);
}

Listing find_listing(const Page& page, Budget& budget) {
  const Page& listing = page.listing();
  return {find_literals(listing, find_zones(listing), budget), find_settings(listing.text())};
}

}  // namespace attn::verify
