#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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

  std::size_t size() const { return nodes_.size(); }
  /// What the script reads of one.
  nlohmann::ordered_json node_json(std::size_t node) const;

 private:
  struct Node {
    Tensor tensor;
    std::vector<std::int64_t> operands;  ///< their numbers; -1 for those that are not on the page
    std::optional<std::size_t> step;
  };

  std::span<const std::string> tokens_;
  torch::PrintOptions print_;
  std::vector<Node> nodes_;
  std::unordered_map<const void*, std::size_t> numbers_;
};

}  // namespace attn::render
