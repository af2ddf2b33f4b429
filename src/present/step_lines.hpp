#pragma once

#include <cstddef>
#include <cstdint>

#include "picture/marks.hpp"
#include "text/styled.hpp"

namespace attn::present {

/// A step's lines, made on demand, with the places of its cells.
class StepLines {
 public:
  StepLines() = default;
  StepLines(const StepLines&) = delete;
  StepLines& operator=(const StepLines&) = delete;
  virtual ~StepLines() = default;

  virtual std::size_t count() const = 0;
  virtual text::StyledLine styled(std::size_t line, const render::CellMarks& marks) const = 0;
  /// The largest number of display columns that a line may have.
  virtual std::int64_t columns() const = 0;
  /// The place of a shown cell.
  virtual render::CellPlace place(const render::GridCell& cell) const = 0;
};

}  // namespace attn::present
