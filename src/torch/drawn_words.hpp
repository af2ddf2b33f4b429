#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "torch/draws.hpp"

namespace attn::torch {

/// The purpose of a 32-bit word in a distribution. A 64-bit number u takes two words, the high one first.
enum class Part { u, u_high, u_low, u1, u2, u1_high, u1_low, u2_high, u2_low, stream_seed };

/// "u1 high"
std::string_view part_name(Part part);

/// Maps a draw's words to the elements of its leaf. Words are counted from the draw's first one, elements row-major.
/// The rules are those of distributions.hpp, which computes the numbers.
class DrawnWords {
 public:
  /// Reads the ids of an embedding.
  DrawnWords(const Draw& draw, DropoutKernel dropout_kernel);

  /// Visits the draw's words in order; for an embedding, only the words of the rows that are looked up.
  void for_each_word(const std::function<void(std::uint64_t word)>& visit) const;
  /// The number of words that for_each_word leaves out.
  std::uint64_t passed_over() const { return is_embedding_ ? count_ - kept_.size() : 0; }

  Part part_of(std::uint64_t word) const;
  /// Visits the elements that the word contributes to; none if later words draw them again.
  void for_each_element(std::uint64_t word, const std::function<void(std::uint64_t element)>& visit) const;
  /// Returns true if the word belongs to the pair of normals whose second is left over for a later draw.
  bool is_left_over(std::uint64_t word) const;
  /// The words of an element; for an embedding, of the whole matrix. None if an earlier draw left it over.
  std::vector<std::uint64_t> words_of(std::uint64_t element) const;

  /// Returns true if the first element is a normal that an earlier draw left over.
  bool takes_left_over() const { return left_over_ > 0; }
  /// Returns true if the draw's last normal is left over for a later draw.
  bool leaves_over() const { return is_small() && (size_ - left_over_) % 2 == 1; }

 private:
  bool is_small() const;
  bool is_drawn_again(std::uint64_t element) const;
  /// The word's elements in the whole matrix.
  std::vector<std::uint64_t> elements_of(std::uint64_t word) const;

  Kind kind_;
  bool is_embedding_;
  DropoutKernel dropout_kernel_;
  std::uint64_t count_;                               ///< number of words
  std::uint64_t size_;                                ///< drawn elements; for an embedding, the whole matrix's
  std::uint64_t width_ = 1;                           ///< width of an embedding's row
  std::uint64_t left_over_ = 0;                       ///< elements that an earlier draw left over: one or none
  std::multimap<std::uint64_t, std::uint64_t> rows_;  ///< for an embedding: a row and its place in the leaf
  std::vector<std::uint64_t> kept_;                   ///< for an embedding: the words of these rows
};

}  // namespace attn::torch
