#pragma once

#include <cstddef>
#include <span>
#include <string>

/// The effects of the rules of today's models, each in one sentence; empty if the numbers it describes did not change.
namespace attn {

struct Change;

/// Returns true for the scores of queries with the keys of several tokens.
bool is_score(const Change& change);
bool is_softmax(const Change& change);
double row_sum(std::span<const float> row, std::size_t place);
/// The sum of a row right of the diagonal, which ends in the lower right corner.
double later(std::span<const float> row, std::size_t place);
/// The largest difference of a number before and after.
double largest_move(const Change& change);

std::string tiled_heads_did(std::span<const Change> all);
std::string masked_from_first_key_did(std::span<const Change> all);
std::string no_block_rescale_did(std::span<const Change> all);
std::string halves_for_pairs_did(std::span<const Change> all);
std::string rotary_values_did(std::span<const Change> all);
std::string position_off_by_one_did(std::span<const Change> all);
std::string bias_sign_did(std::span<const Change> all);
std::string bias_after_softmax_did(std::span<const Change> all);
std::string bias_before_scaling_did(std::span<const Change> all);
std::string same_slope_did(std::span<const Change> all);
std::string slopes_by_count_did(std::span<const Change> all);
std::string window_off_by_one_did(std::span<const Change> all);
std::string no_sink_did(std::span<const Change> all);
std::string no_positions_did(std::span<const Change> all);
std::string sines_first_did(std::span<const Change> all);
std::string half_exponent_did(std::span<const Change> all);
std::string positions_from_one_did(std::span<const Change> all);
std::string positions_after_projection_did(std::span<const Change> all);
std::string no_row_sum_did(std::span<const Change> all);
std::string unscaled_gradient_did(std::span<const Change> all);
std::string untransposed_weights_did(std::span<const Change> all);
std::string untransposed_scores_did(std::span<const Change> all);

}  // namespace attn
