#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "walk/change.hpp"
#include "walk/what_if.hpp"

/// The effects of rules, each in one sentence; empty if the numbers it describes did not change.
namespace attn {

/// Returns true for the scores of queries with the keys of several tokens.
bool is_score(const Tensor& tensor);
bool is_softmax(const Tensor& tensor);
double row_sum(Row row, std::size_t place);
/// The sum of a row right of the diagonal, which ends in the lower right corner.
double later(Row row, std::size_t place);

std::string sentence_of(const Effect& effect, std::span<const Change> all);

std::string no_mask_did(std::span<const Change> all);
std::string mask_of_first_entry_did(std::span<const Change> all);
std::string mask_padded_queries_did(std::span<const Change> all);
std::string no_rescale_did(std::span<const Change> all);
std::string softmax_dim_0_did(std::span<const Change> all);
std::string same_weights_did(std::span<const Change> all);
std::string tiled_heads_did(std::span<const Change> all);
std::string masked_from_first_key_did(std::span<const Change> all);
std::string no_block_rescale_did(std::span<const Change> all);
std::string bias_after_softmax_did(std::span<const Change> all);
std::string slopes_by_count_did(std::span<const Change> all);

}  // namespace attn
