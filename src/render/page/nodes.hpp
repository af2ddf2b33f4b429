#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "lesson/questions.hpp"
#include "render/page/words.hpp"
#include "tensor/tensor.hpp"
#include "torch/print_options.hpp"

namespace attn::render {

/// The positions of a step's cells that exercises may ask for, as runs: [first, how many, first, how many, ...]; null
/// if there are none. Records the step's numbers as known in `questions`.
nlohmann::ordered_json asks_json(const Step& step, Questions& questions, const TextOptions& text);

/// Larger tensors stay as printed, whatever print's threshold is.
inline constexpr std::int64_t most_page_elements = 5000;

/// The tensors of a page for its script: those shown and all that they depend on, operands first.
class PageNodes {
 public:
  explicit PageNodes(const torch::PrintOptions& print) : print_(print) {}

  /// Adds a chapter and returns its number. `tokens` are the words for the rows of its `inputs` and must outlive this
  /// object.
  std::size_t add_chapter(std::span<const std::string> tokens);

  /// Adds a tensor and returns its number; empty if it has too many elements, or more than PyTorch prints in full.
  std::optional<std::size_t> add(const Tensor& tensor, std::size_t chapter);

  /// Records that this step shows the node, and names the node if it has no name. If several steps show it, the first
  /// counts.
  void set_step(std::size_t node, std::size_t step, const std::string& name);

  std::size_t size() const { return nodes_.size(); }
  /// A node as the script reads it; adds its descriptions to the tellings.
  nlohmann::ordered_json node_json(std::size_t node);
  const PageTellings& tellings() const { return tellings_; }

 private:
  struct Node {
    Tensor tensor;
    std::size_t chapter;
    std::vector<std::int64_t> operands;  ///< node numbers; -1 for tensors that are not on the page
    std::optional<std::size_t> step;
    std::string name;
  };

  torch::PrintOptions print_;
  PageTellings tellings_;
  std::vector<std::span<const std::string>> tokens_;  ///< by chapter
  std::vector<Node> nodes_;
  std::unordered_map<const void*, std::size_t> numbers_;
};

}  // namespace attn::render
