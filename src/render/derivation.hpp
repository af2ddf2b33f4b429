#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "torch/print.hpp"
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

/// The first step of that name whose tensor has as many axes as the request has indices; of two or more indices those of
/// the batch and the head may be missing and are 0. Throws CellError where there is no such step or no such element. Asks no tensor for its numbers.
Cell find_cell(std::span<const Step> steps, const CellRequest& request, std::span<const std::string> tokens);

/// The axes of a tensor of the steps that have one item for each token, outermost first.
std::vector<bool> token_axes(std::span<const Step> steps, const Tensor& tensor, std::span<const std::string> tokens);

/// A derivation's number in double arithmetic, from the operands' float32 elements.
double exact_value(const Tensor& tensor, const Shape& index);

/// How a number came about, as lines of text: depth 1 derives the number alone, 2 its operands too, and so on; 0 goes
/// down to what is given. Views and copies cost no depth. Throws CellError as find_cell does.
std::string derivation_text(std::span<const Step> steps, const CellRequest& request, std::int64_t depth,
                            std::span<const std::string> tokens, const torch::PrintOptions& print);

}  // namespace attn::render
