#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lesson/cell.hpp"
#include "present/presenter.hpp"
#include "present/printed_lines.hpp"
#include "present/shown_cells.hpp"
#include "present/walks.hpp"
#include "text/styled.hpp"

/// What the presenter shows of one step, as lines.
namespace attn::present {

using Lines = std::vector<text::StyledLine>;

/// A step as it is seen, and how many of its cells are printed differently than those of the step it is compared with.
struct Face {
  std::shared_ptr<const StepLines> lines;
  ShownCells cells;
  std::size_t compared = 0;
  std::size_t changed = 0;
};

/// What the article prints, with the cells in reverse that `before`, the same step elsewhere or null, prints
/// differently.
Face printed_face(const Step& step, const Step* before, const render::TextOptions& options);

/// The label and the tensor as a heat map; the step's text where it is no tensor.
Face heatmap_face(const Step& step, const Presentation& presentation, const render::Terminal& terminal);

/// That the change takes the step away.
Face gone_face(const Step& as_is, std::int64_t width);

/// What the change adds to each cell as a heat map; words where there is no such map.
Face difference_face(const Step& as_is, const Step* changed, const Presentation& presentation,
                     const render::Terminal& terminal);

/// What the chapter asks and how it goes about it; what was seen, and what to go on with.
Lines introduction_lines(std::span<const Step> steps, const Presentation& presentation, std::int64_t width);
Lines ending_lines(std::span<const Step> steps, const Presentation& presentation, std::int64_t width);

/// What the changed rule did, to the step at a place and to all.
Lines consequence_lines(const Walks& walks, std::size_t at, const render::TextOptions& options, std::int64_t width);

/// `with_notices`: also what the numbers show.
Lines explanation_lines(const Step& step, const Presentation& presentation, bool with_notices, std::int64_t width);

/// The cell that somebody typed, "1, 2" or "attn_scores[1, 2]", in the step or, where there is a name before the
/// bracket, in the step of that name. Throws std::exception with words for people.
render::Cell typed_cell(std::span<const Step> steps, const Step& step, const std::string& typed,
                        std::span<const std::string> tokens);

/// How a cell came about.
std::string derivation_of(const render::Cell& cell, const Presentation& presentation);

/// Its lines, none longer than `width`.
Lines derivation_lines(const std::string& derivation, std::int64_t width);

/// The last cell of a step's tensor, as somebody would type it: "5, 5".
std::string example_cell(const Step& step);

}  // namespace attn::present
