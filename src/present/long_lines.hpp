#pragma once

#include <cstddef>
#include <cstdint>

#include "text/styled.hpp"

namespace attn::present {

/// Any number of lines, each made on demand.
class LongLines {
 public:
  LongLines() = default;
  LongLines(const LongLines&) = delete;
  LongLines& operator=(const LongLines&) = delete;
  virtual ~LongLines() = default;

  virtual std::size_t count() const = 0;
  virtual text::StyledLine styled(std::size_t line) const = 0;
  /// The largest number of display columns that a line may have.
  virtual std::int64_t columns() const = 0;
};

}  // namespace attn::present
