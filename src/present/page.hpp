#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "present/presenter.hpp"
#include "present/printed_lines.hpp"
#include "text/styled.hpp"

/// What the presenter shows of one step, as lines.
namespace attn::present {

using Lines = std::vector<text::StyledLine>;

/// How many cells of a step are printed, and how many of these are printed differently than before.
struct Change {
  std::size_t cells = 0;
  std::size_t changed = 0;
  std::shared_ptr<const PrintedLines> lines;  ///< what the article prints, with the changed cells in reverse
};

/// `before` is the same step with another seed, or null.
Change compared(const Step& step, const Step* before, const render::TextOptions& options);

Lines explanation_lines(const Step& step, const Presentation& presentation, std::int64_t width);

/// The label and the tensor as a heat map; the step's text where it is no tensor.
std::shared_ptr<const LongLines> heatmap_lines(const Step& step, const Presentation& presentation,
                                               const render::Terminal& terminal);

/// The derivation of the cell that somebody typed, "1, 2" or "attn_scores[1, 2]", in the step or, where there is a
/// name before the bracket, in the step of that name. Throws std::exception with words for people.
std::string derivation_of(std::span<const Step> steps, const Step& step, const std::string& typed,
                          const Presentation& presentation);

/// Its lines, none longer than `width`.
Lines derivation_lines(const std::string& derivation, std::int64_t width);

/// The last cell of a step's tensor, as somebody would type it: "5, 5".
std::string example_cell(const Step& step);

/// What the keys do.
Lines key_lines();

}  // namespace attn::present
