#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/read/page.hpp"

namespace attn::verify {

/// What the text at some place of a page is.
enum class Zone : std::uint8_t {
  prose,
  code,
  comment,  ///< in code: what it printed is often kept there
  output,
};

/// The zones of a page, by offset.
class Zones {
 public:
  /// What follows, from `begin` on. The offsets ascend.
  void add(std::size_t begin, Zone zone);
  Zone at(std::size_t offset) const;
  /// Whether any of the page is that.
  bool have(Zone zone) const;

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<Zone> zones_;
};

/// Tells the zones of a page apart: fences, prompts, comments, and lines that only a program has. Takes time linear in
/// the page.
Zones find_zones(const Page& page);

}  // namespace attn::verify
