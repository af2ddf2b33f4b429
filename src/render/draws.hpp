#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter's random draws, and the ones to show.
struct DrawsShown {
  std::function<nlohmann::ordered_json()> about;
  Walkthrough walk;               ///< the walkthrough with its draws' numbers
  std::vector<std::string> only;  ///< names of the steps whose draws are shown; empty: all draws
};

/// Writes every 32-bit word that the program draws, in order, one per line: its number since seeding, counted from 0,
/// the word, its purpose, and the elements computed from it. Lines of prose begin with "# ".
void write_draws_text(std::ostream& out, const DrawsShown& shown);

/// Writes the same table as JSON.
void write_draws_json(std::ostream& out, const DrawsShown& shown);

}  // namespace attn::render
