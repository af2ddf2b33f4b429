#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter's random draws, and which of them to show.
struct DrawsShown {
  std::function<nlohmann::ordered_json()> about;
  Walkthrough walk;               ///< whose draws have their numbers
  std::vector<std::string> only;  ///< the names of the steps whose draws are shown; empty: all draws
};

/// Every 32-bit word that the program draws, in its order, a line each: its number since seeding, counted from 0, the
/// word, what it is for, and the elements that it makes. Lines of prose begin with "# ".
void write_draws_text(std::ostream& out, const DrawsShown& shown);

/// The same as JSON.
void write_draws_json(std::ostream& out, const DrawsShown& shown);

}  // namespace attn::render
