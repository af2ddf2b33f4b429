#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "torch/draws.hpp"

namespace attn::torch {

/// What a distribution takes a 32-bit word for. A number u of 64 bits has two, the high one first.
enum class Part { u, u_high, u_low, u1, u2, u1_high, u1_low, u2_high, u2_low, stream_seed };

/// "u1 high"
std::string_view part_name(Part part);

/// Which words of a draw make which of its leaf's elements. Words are counted from the draw's first one, elements
/// row-major. The rules are those of distributions.hpp, where the numbers are made.
class DrawnWords {
 public:
  /// Of an embedding, the ids are read.
  DrawnWords(const Draw& draw, DropoutKernel dropout_kernel);

  /// Visits the draw's words in order; of an embedding those alone that make the rows which are looked up.
  void for_each_word(const std::function<void(std::uint64_t word)>& visit) const;
  /// How many words for_each_word leaves out.
  std::uint64_t passed_over() const { return is_embedding_ ? count_ - kept_.size() : 0; }

  Part part_of(std::uint64_t word) const;
  /// Visits the elements that the word makes, alone or with others: none where they are drawn again by later words.
  void for_each_element(std::uint64_t word, const std::function<void(std::uint64_t element)>& visit) const;
  /// Whether it is a word of the pair of normals of which the second is left over for a later draw.
  bool is_left_over(std::uint64_t word) const;

  /// Whether the first element is a normal that an earlier draw left over.
  bool takes_left_over() const { return left_over_ > 0; }
  /// Whether the last normal that it makes is left for a later draw.
  bool leaves_over() const { return is_small() && (size_ - left_over_) % 2 == 1; }

 private:
  bool is_small() const;
  bool is_drawn_again(std::uint64_t element) const;
  std::vector<std::uint64_t> words_of(std::uint64_t element) const;
  /// Those of the whole matrix.
  std::vector<std::uint64_t> elements_of(std::uint64_t word) const;

  Kind kind_;
  bool is_embedding_;
  DropoutKernel dropout_kernel_;
  std::uint64_t count_;                               ///< words
  std::uint64_t size_;                                ///< elements that are drawn: of an embedding, the whole matrix's
  std::uint64_t width_ = 1;                           ///< of an embedding's row
  std::uint64_t left_over_ = 0;                       ///< elements that an earlier draw left over: one, or none
  std::multimap<std::uint64_t, std::uint64_t> rows_;  ///< of an embedding: a row, and where it stands in the leaf
  std::vector<std::uint64_t> kept_;                   ///< of an embedding: the words that make these rows
};

}  // namespace attn::torch
