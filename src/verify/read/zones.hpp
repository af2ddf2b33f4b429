#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/read/page.hpp"

namespace attn::verify {

/// The kind of text at a place of a page.
enum class Zone : std::uint8_t {
  prose,
  code,
  comment,  ///< a comment in code, which often holds the program's output
  output,
};

/// The zones of a page, by offset.
class Zones {
 public:
  /// Adds a zone that begins at `begin`. Offsets must ascend.
  void add(std::size_t begin, Zone zone);
  Zone at(std::size_t offset) const;
  /// Returns true if the page has such a zone.
  bool have(Zone zone) const;

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<Zone> zones_;
};

/// Divides a page into zones by fences, prompts, comments, and lines that only a program has. Takes time linear in the
/// page.
Zones find_zones(const Page& page);

}  // namespace attn::verify
