#pragma once

#include <compare>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#include "tensor/derivation.hpp"
#include "tensor/tensor.hpp"
#include "torch/torch.hpp"

namespace attn::torch {

/// Elements of programs' tensors as functions of a seed's words, for a search that tries many seeds: each element is
/// computed at most once for a seed, in float64 and so up to rounding. Equal elements of several programs are one.
class Reseeded {
 public:
  using Id = std::size_t;

  static constexpr std::size_t most_words = 4'096;

  /// The element of a tensor of the program with these draws, which must stay. Empty if it is not computed from the
  /// first words by the operations that attention needs.
  std::optional<Id> add(const Tensor& tensor, const Shape& index, const Draws& draws);
  /// The number of words that suffice for the element.
  std::size_t words(Id id) const { return needed_[id]; }

  /// Forgets the numbers of another seed. `words` are the seed's first ones, and must stay.
  void begin(std::span<const std::uint32_t> words) {
    words_ = words;
    ++seeds_;
  }
  double value(Id id);
  /// The number of operands read since the last call.
  std::size_t take_work() { return std::exchange(work_, 0); }

 private:
  using Rule = Derivation::Rule;

  struct Node {
    std::optional<Kind> drawn;   ///< the distribution of a draw
    Rule rule = Rule::given;     ///< given: a constant
    std::vector<std::size_t> a;  ///< operands; of a draw, its words
    std::vector<std::size_t> b = {};
    double constant = 0;  ///< uniform: nn.Linear's bound, or 0; normal: 1 for the sine; bernoulli: the probability
    bool operator<(const Node& other) const {
      return std::tie(drawn, rule, a, b, constant) <
             std::tie(other.drawn, other.rule, other.a, other.b, other.constant);
    }
  };

  std::optional<Id> added(const Tensor& tensor, const Shape& index);
  std::optional<Id> derived(const Tensor& tensor, const Shape& index);
  std::optional<Id> dropped(const Tensor& tensor, const Shape& index, double p);
  Id softmax(std::vector<Id> scores, std::size_t position);
  std::optional<Id> drawn(const Draw& draw, std::uint64_t element);
  Id put(Node node);
  Id constant(double value) { return put({.drawn = {}, .a = {}, .constant = value}); }
  bool is_drawn(const Tensor& tensor);
  double computed(const Node& node);
  double drawn(const Node& node) const;

  const Draws* draws_ = nullptr;
  std::unordered_map<const void*, const Draw*> leaves_;
  std::unordered_map<const void*, bool> is_drawn_;
  std::map<std::pair<const void*, std::int64_t>, std::optional<Id>> known_;
  std::map<Node, Id> ids_;
  std::vector<const Node*> nodes_;
  std::vector<std::size_t> needed_;  ///< numbers of words
  std::vector<double> values_;
  std::vector<std::size_t> computed_for_;  ///< the seed, counted, that a value belongs to
  std::size_t seeds_ = 0;
  std::span<const std::uint32_t> words_;
  std::size_t work_ = 0;
};

}  // namespace attn::torch
