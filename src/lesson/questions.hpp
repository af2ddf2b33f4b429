#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "lesson/printed.hpp"
#include "walk/walkthrough.hpp"

/// Which numbers a class is asked for, once for all exercises: --predict, handouts and the page.
namespace attn::render {

/// A tensor's cell by its name: "attn_scores[1, 2]"; a scalar's name has no brackets.
std::string cell_name(const std::string& name, const Shape& index);

/// One step with some of its numbers hidden.
struct Question {
  torch::PrintedTensor printed;
  std::vector<torch::PrintedCell> asked;
  std::string text;             ///< as printed, with "?" in place of the asked numbers and of their equals
  bool tells_operands = false;  ///< its operands are not among the steps shown before, so the question gives them
};

/// Chooses cells step by step, in the order in which the steps are shown.
class Questions {
 public:
  /// Asks for `cells` numbers of each tensor. The seed decides which; the lesson's generator is left alone.
  Questions(const TextOptions& text, std::int64_t cells, std::uint64_t seed)
      : text_(text), cells_(cells), dice_(seed) {}

  /// The step with some cells hidden; empty where no number is worth asking for.
  std::optional<Question> of(const Step& step);

  /// The cells worth asking for: computed float32 numbers, neither given nor drawn, that no step shown before contains.
  std::vector<torch::PrintedCell> open(const Step& step, const torch::PrintedTensor& printed) const;

  /// Call after each step: its numbers are known from here on.
  void note_shown(const Step& step, const torch::PrintedTensor& printed);

 private:
  /// Steele, Lea and Flood's SplitMix64: small, and none of PyTorch's generators.
  class Dice {
   public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::size_t below(std::size_t limit);

   private:
    std::uint64_t state_;
  };

  std::vector<torch::PrintedCell> chosen(std::vector<torch::PrintedCell> cells);
  bool is_seen(const Tensor& tensor, std::int64_t position, float value) const;
  bool is_shown(const Tensor& tensor) const;

  TextOptions text_;
  std::int64_t cells_;
  Dice dice_;
  std::unordered_set<const void*> shown_;   ///< tensors
  std::unordered_set<std::uint32_t> seen_;  ///< the bits of all numbers shown so far
};

}  // namespace attn::render
