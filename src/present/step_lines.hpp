#pragma once

#include <cstddef>
#include <cstdint>

#include "picture/marks.hpp"
#include "text/styled.hpp"

namespace attn::present {

/// A step's lines, with places for its cells. One is made when somebody looks at it.
class StepLines {
 public:
  StepLines() = default;
  StepLines(const StepLines&) = delete;
  StepLines& operator=(const StepLines&) = delete;
  virtual ~StepLines() = default;

  virtual std::size_t count() const = 0;
  virtual text::StyledLine styled(std::size_t line, const render::CellMarks& marks) const = 0;
  /// No line has more display columns.
  virtual std::int64_t columns() const = 0;
  /// Where a shown cell stands.
  virtual render::CellPlace place(const render::GridCell& cell) const = 0;
};

}  // namespace attn::present
