#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "render/page/cases.hpp"
#include "tensor/tensor.hpp"
#include "torch/print_options.hpp"

namespace attn::render {

/// Larger tensors stay as printed, whatever the threshold.
inline constexpr std::int64_t most_page_elements = 5000;

/// The tensors of a page: those shown and all that they were made from, operands first, as its script reads them.
class PageNodes {
 public:
  explicit PageNodes(const torch::PrintOptions& print) : print_(print) {}

  /// A chapter's number. The words that the rows of its `inputs` stand for are `tokens`, which must outlive this.
  std::size_t add_chapter(std::span<const std::string> tokens);

  /// The tensor's number; none where it has too many elements, or more than PyTorch prints whole.
  std::optional<std::size_t> add(const Tensor& tensor, std::size_t chapter);

  /// The node is what this step shows, and has its name where it has none of its own; of several steps, the first.
  void set_step(std::size_t node, std::size_t step, const std::string& name);

  std::size_t size() const { return nodes_.size(); }
  /// What the script reads of one; what is told of it is among the tellings then.
  nlohmann::ordered_json node_json(std::size_t node);
  const PageTellings& tellings() const { return tellings_; }

 private:
  struct Node {
    Tensor tensor;
    std::size_t chapter;
    std::vector<std::int64_t> operands;  ///< their numbers; -1 for those that are not on the page
    std::optional<std::size_t> step;
    std::string name;
  };

  torch::PrintOptions print_;
  PageTellings tellings_;
  std::vector<std::span<const std::string>> tokens_;  ///< each chapter's
  std::vector<Node> nodes_;
  std::unordered_map<const void*, std::size_t> numbers_;
};

}  // namespace attn::render
