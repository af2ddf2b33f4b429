#pragma once

#include <vector>

#include "verify/program/draws.hpp"
#include "verify/program/written.hpp"
#include "verify/read/literals.hpp"
#include "verify/read/page.hpp"
#include "verify/read/settings.hpp"

namespace attn::verify {

/// What is known about the program that printed a page.
struct Listing {
  std::vector<Literal> literals;  ///< in the page's order
  Settings settings;
  std::vector<DrawCall> draws;   ///< in execution order
  std::vector<Written> written;  ///< assignments and prints
};

/// Reads a page's listing. Takes time linear in the page.
Listing find_listing(const Page& page);

}  // namespace attn::verify
