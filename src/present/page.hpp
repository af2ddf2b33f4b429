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

/// The lines that the presenter shows for one step.
namespace attn::present {

using Lines = std::vector<text::StyledLine>;

/// A step's view, and the number of its cells that are printed differently in the step it is compared with.
struct Face {
  std::shared_ptr<const StepLines> lines;
  ShownCells cells;
  std::size_t compared = 0;
  std::size_t changed = 0;
};

/// The article's output, with slices side by side where they fit into `columns`. Cells that differ from `before`, the
/// same step of another walk or null, are in reverse.
Face printed_face(const Step& step, const Step* before, const render::TextOptions& options, std::int64_t columns);

/// The label, and the tensor as a heat map; the step's text if it is not a tensor.
Face heatmap_face(const Step& step, const Presentation& presentation, const render::Terminal& terminal);

/// The step for a projector: its formula and the heat map, enlarged to fill `rows`, and then by `enlarged` more.
Face projected_face(const Step& step, const Presentation& presentation, const render::Terminal& terminal,
                    std::int64_t rows, std::int64_t enlarged);

/// Says that the change removes the step.
Face gone_face(const Step& as_is, std::int64_t width);

/// The difference of each cell as a heat map; a sentence if there is none.
Face difference_face(const Step& as_is, const Step* changed, const Presentation& presentation,
                     const render::Terminal& terminal);

/// The introduction: question, formula and map. The ending: summary and next steps.
Lines introduction_lines(std::span<const Step> steps, const Presentation& presentation, std::int64_t width);
Lines ending_lines(std::span<const Step> steps, const Presentation& presentation, std::int64_t width);

/// The effect of the changed rule on the step at `at` and on all steps.
Lines consequence_lines(const Walks& walks, std::size_t at, const render::TextOptions& options, std::int64_t width);

/// `with_notices`: also what the numbers show.
Lines explanation_lines(const Step& step, const Presentation& presentation, bool with_notices, std::int64_t width);

/// Parses a cell as typed, "1, 2" or "attn_scores[1, 2]": a cell of the step or, if a name precedes the bracket, of the
/// step with that name. Throws std::exception with a message for the user.
render::Cell typed_cell(std::span<const Step> steps, const Step& step, const std::string& typed,
                        std::span<const std::string> tokens);

/// The derivation of a cell.
std::string derivation_of(const render::Cell& cell, const Presentation& presentation);

/// The derivation's lines, none longer than `width`.
Lines derivation_lines(const std::string& derivation, std::int64_t width);

/// The last cell of a step's tensor, in the form that a user types: "5, 5".
std::string example_cell(const Step& step);

}  // namespace attn::present
