#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "lesson/printed.hpp"
#include "walk/walkthrough.hpp"

/// Chooses the numbers to ask for, for all exercises: --predict, handouts and the page.
namespace attn::render {

/// One step with some of its numbers hidden.
struct Question {
  torch::PrintedTensor printed;
  std::vector<torch::PrintedCell> asked;
  std::string text;             ///< as printed, with "?" for the asked numbers and for equal ones
  bool tells_operands = false;  ///< the question states the operands, because no earlier step shows them
};

/// Chooses cells step by step, in the order in which the steps are shown.
class Questions {
 public:
  /// Asks for `cells` numbers of each tensor. The seed chooses them; the lesson's generator is not used.
  Questions(const TextOptions& text, std::int64_t cells, std::uint64_t seed)
      : text_(text), cells_(cells), dice_(seed) {}

  /// The step with some cells hidden; empty if no number is worth asking for.
  std::optional<Question> of(const Step& step);

  /// The cells worth asking for: computed float32 numbers, neither given nor drawn, that no earlier step shows.
  std::vector<torch::PrintedCell> open(const Step& step, const torch::PrintedTensor& printed) const;

  /// Records a shown step's numbers as known; call it after each step.
  void note_shown(const Step& step, const torch::PrintedTensor& printed);

 private:
  /// SplitMix64 of Steele, Lea and Flood: small, and not a generator of PyTorch's.
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
  std::unordered_set<const void*> shown_;   ///< the shown tensors
  std::unordered_set<std::uint32_t> seen_;  ///< the bits of all numbers shown so far
};

}  // namespace attn::render
