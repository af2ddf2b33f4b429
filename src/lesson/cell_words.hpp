#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "walk/walkthrough.hpp"

namespace attn::render {

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
