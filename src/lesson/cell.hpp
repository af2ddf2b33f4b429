#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "walk/walkthrough.hpp"

namespace attn::render {

/// Thrown for a cell that does not exist: what is wrong; what is accepted; how to go on.
struct CellError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A request for one number of one step, as typed: "attn_scores[1, 2]", "head_1/attn_scores[0, journey, starts]".
struct CellRequest {
  std::string section;             ///< empty: any
  std::string name;                ///< the step's name
  std::vector<std::string> index;  ///< for each axis a number, negative from the end, or a token
};

/// Parses a request. Throws CellError if the text has another form.
CellRequest parse_cell(const std::string& text);

/// One number of one step.
struct Cell {
  const Step* step;
  Shape index;
};

/// Finds the first step of that name whose tensor has as many axes as the request has indices. With two or more
/// indices, those of the batch and the head may be left out and are then 0. Throws CellError if there is no such step
/// or element. Evaluates no tensor.
Cell find_cell(std::span<const Step> steps, const CellRequest& request, std::span<const std::string> tokens);

/// "[0, 1, :]": axis `open` is written as a colon.
std::string index_text(const Shape& index, std::optional<std::size_t> open = {});

/// Names cells and the tokens they stand for.
class CellWords {
 public:
  /// The tensor of `root` takes the step's name instead of its own.
  CellWords(const Step& root, std::span<const std::string> tokens) : root_(root), tokens_(tokens) {}

  std::string name(const Tensor& tensor) const;

  /// "queries[0, 1, :]": axis `open` is written as a colon.
  std::string cell(const Tensor& tensor, const Shape& index, std::optional<std::size_t> open = {}) const;

  /// The elements along the open axis: "row queries[0, 1, :] (journey)"
  std::string run(const Tensor& tensor, const Shape& index, std::optional<std::size_t> open) const;

  /// "head 2, row 1: journey, column 2: starts"; other axes are left out.
  std::string places(const Tensor& tensor, const Shape& index) const;

  /// The token that an element along an axis stands for; empty if the axis does not count tokens.
  std::optional<std::string> token_along(const Tensor& tensor, const Shape& index,
                                         std::optional<std::size_t> axis) const;

 private:
  const std::string& token(std::int64_t index) const { return tokens_[static_cast<std::size_t>(index)]; }

  const Step& root_;
  std::span<const std::string> tokens_;
};

}  // namespace attn::render
