#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "verify/explain/finding.hpp"

namespace attn::verify {

bool is_size(const Finding& finding);

/// All verdicts in the order in which they are counted.
inline constexpr std::array verdicts = {Verdict::same,    Verdict::same_numbers, Verdict::last_digit, Verdict::follows,
                                        Verdict::mistake, Verdict::inherited,    Verdict::differs,    Verdict::unknown};

/// "same", "same numbers", "last digit", "follows", "mistake", "inherited", "differs", "unknown"
std::string verdict_name(Verdict verdict);

/// "line 12", "cell 3, line 2"
std::string place_words(const Place& place);

/// "trainable/one_query W_query"; empty if there is no step.
std::string step_words(const Finding& finding);

/// "seed 64, d_out 2": how the finding's lesson differs from the article's; empty if it is the same.
std::string lesson_words(const Finding& finding);

/// "blog, seed 123, avx2 kernels, default dropout kernel"
std::string lesson_words(const Explanation& explanation, bool with_blas);

/// The token of item `i` on an axis of that size; empty if the axis does not count tokens.
std::string token_name(const Finding& finding, std::int64_t i, std::int64_t size);

/// "[0, 2 (starts), 1]", and with -1, "[:, 5]"
std::string index_words(const Shape& index, const Shape& shape, const Finding& finding);

/// The shape to which the indices of the finding's differences belong.
const Shape& shape_of_indexes(const Finding& finding);

/// "row [2 (starts)] is lost"; empty if nothing changed.
std::string change_words(const Finding& finding);

/// "-0.26264998316764832": all digits of the float64.
std::string exact_digits(double value);

}  // namespace attn::verify
