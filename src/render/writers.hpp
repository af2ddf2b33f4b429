#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "emit/form.hpp"
#include "render/document.hpp"

namespace attn::render {

/// One output format.
struct Writer : Form {
  std::string_view what;  ///< the description in the help
  void (*write)(std::ostream& out, const Document& document);
  bool shows_all_steps = false;  ///< unless --steps says otherwise
  bool shows_what_ifs = false;   ///< changed steps besides the unchanged ones
  bool reads_all = true;         ///< reads all of a step's numbers, not only those that print shows
};

/// All output formats: --format, its help, its checks and its dispatch use this table.
std::span<const Writer> writers();

/// The format used if none is given.
const Writer& default_writer();

}  // namespace attn::render
