#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "verify/explain/finding.hpp"

namespace attn::verify {

bool is_size(const Finding& finding);

/// All of them, in the order in which they are counted.
inline constexpr std::array verdicts = {Verdict::same,    Verdict::same_numbers, Verdict::last_digit, Verdict::follows,
                                        Verdict::mistake, Verdict::inherited,    Verdict::differs,    Verdict::unknown};

/// "same", "same numbers", "last digit", "follows", "mistake", "inherited", "differs", "unknown"
std::string verdict_name(Verdict verdict);

/// "line 12", "cell 3, line 2"
std::string place_words(const Place& place);

/// "trainable/one_query W_query"; empty where there is no step.
std::string step_words(const Finding& finding);

/// "seed 64, d_out 2": what sets the finding's lesson apart from the article's own; empty where it is that.
std::string lesson_words(const Finding& finding);

/// "blog, seed 123, avx2 kernels, default dropout kernel"
std::string lesson_words(const Explanation& explanation, bool with_blas);

/// The token that item `i` of an axis of so many items stands for; empty where the axis is not one of tokens.
std::string token_name(const Finding& finding, std::int64_t i, std::int64_t size);

/// "[0, 2 (starts), 1]", and with -1, "[:, 5]"
std::string index_words(const Shape& index, const Shape& shape, const Finding& finding);

/// The shape that an index of the finding's differences belongs to.
const Shape& shape_of_indexes(const Finding& finding);

/// "row [2 (starts)] is lost"; empty where nothing changed.
std::string change_words(const Finding& finding);

/// "-0.26264998316764832", as a float64 has it.
std::string exact_digits(double value);

}  // namespace attn::verify
