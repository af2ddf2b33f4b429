#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "tensor/tensor.hpp"
#include "torch/print_options.hpp"

namespace attn::render {

/// The tensors of a page: those shown and all that they were made from, operands first, as its script reads them.
class PageNodes {
 public:
  /// The words that the rows of `inputs` stand for are `tokens`, which must outlive this.
  PageNodes(std::span<const std::string> tokens, const torch::PrintOptions& print) : tokens_(tokens), print_(print) {}

  /// The tensor's number; none where it has too many elements, or more than PyTorch prints whole.
  std::optional<std::size_t> add(const Tensor& tensor);

  /// The node is what this step shows; of several, the first.
  void set_step(std::size_t node, std::size_t step);

  nlohmann::ordered_json json() && { return std::move(nodes_); }

 private:
  nlohmann::ordered_json node_json(const Tensor& tensor, nlohmann::ordered_json operands) const;

  std::span<const std::string> tokens_;
  torch::PrintOptions print_;
  nlohmann::ordered_json nodes_ = nlohmann::ordered_json::array();
  std::unordered_map<const void*, std::size_t> numbers_;
};

}  // namespace attn::render
