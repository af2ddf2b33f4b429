#include "verify/program/listing.hpp"

#include <utility>

#include "verify/program/runner.hpp"
#include "verify/read/literals.hpp"
#include "verify/read/settings.hpp"
#include "verify/read/statements.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

Listing find_listing(const Page& page) {
  const Page& listing = page.listing();
  const Zones zones = find_zones(listing);
  std::vector<Literal> literals = find_literals(listing, zones);
  constexpr std::size_t largest = 1U << 20U;  // lessons are smaller
  Run run = listing.text().size() <= largest && zones.have(Zone::code) ? Runner(find_statements(listing, zones)).run()
                                                                       : Run{};
  return {std::move(literals), find_settings(listing.text()), std::move(run.draws), std::move(run.written)};
}

}  // namespace attn::verify
