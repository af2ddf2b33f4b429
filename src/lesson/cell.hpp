#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// A cell that there is not: what is wrong; what is accepted; how to go on.
struct CellError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// One number of one step, as somebody asks for it: "attn_scores[1, 2]", "head_1/attn_scores[0, journey, starts]".
struct CellRequest {
  std::string section;             ///< empty: any
  std::string name;                ///< the step's
  std::vector<std::string> index;  ///< a number, negative from the end, or a token for each axis
};

/// Throws CellError where the text has another form.
CellRequest parse_cell(const std::string& text);

/// One number of one step.
struct Cell {
  const Step* step;
  Shape index;
};

/// The first step of that name whose tensor has as many axes as the request has indices; of two or more indices those
/// of the batch and the head may be missing and are 0. Throws CellError where there is no such step or no such element.
/// Asks no tensor for its numbers.
Cell find_cell(std::span<const Step> steps, const CellRequest& request, std::span<const std::string> tokens);

/// "[0, 1, :]": `open` is the axis that is written as a colon.
std::string index_text(const Shape& index, std::optional<std::size_t> open = {});

}  // namespace attn::render
