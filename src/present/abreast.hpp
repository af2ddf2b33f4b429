#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "present/printed_lines.hpp"
#include "present/step_lines.hpp"

/// The slices of a tensor side by side.
namespace attn::present {

/// The lines [begin, end) of one slice along the axes before the last two.
struct Slice {
  std::size_t begin;
  std::size_t end;
};

/// The slices that share all indices but the last of theirs: the heads of one sequence.
using SliceGroups = std::vector<std::vector<Slice>>;

/// The slices of a printed tensor, which blank lines separate.
SliceGroups printed_slices(const PrintedLines& lines);

/// As many slices of a group side by side as fit into `columns`; the same lines if no two do.
std::shared_ptr<const StepLines> abreast(std::shared_ptr<const StepLines> lines, const SliceGroups& groups,
                                         std::int64_t columns);

}  // namespace attn::present
