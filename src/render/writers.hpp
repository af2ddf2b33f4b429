#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "render/document.hpp"

namespace attn::render {

/// One form of output.
struct Writer {
  std::string_view name;  ///< on the command line
  std::string_view what;  ///< in the help
  void (*write)(std::ostream& out, const Document& document);
  bool shows_all_steps = false;   ///< unless --steps says otherwise
  bool shows_what_ifs = false;    ///< beside the steps as they are
  bool shows_one_tensor = false;  ///< and no other number of them
  bool reads_all = true;          ///< a step's numbers, not only those that print shows
};

/// Every form of output, once: --format, its help, its checks and what is run are made from this table.
std::span<const Writer> writers();

/// The form of those who ask for none.
const Writer& default_writer();

}  // namespace attn::render
