#pragma once

#include <cstdint>
#include <string>

#include "verify/explain/finding.hpp"

namespace attn::verify {

bool is_size(const Finding& finding);

/// "same", "same numbers", "last digit", "differs", "unknown"
std::string verdict_name(Verdict verdict);

/// "line 12", "cell 3, line 2"
std::string place_words(const Place& place);

/// "trainable/one_query W_query"; empty where there is no step.
std::string step_words(const Finding& finding);

/// "blog, seed 123, avx2 kernels, default dropout kernel"
std::string explanation_words(const Report& report);

/// The token that item `i` of an axis of so many items stands for; empty where the axis is not one of tokens.
std::string token_name(const Explanation& explanation, std::int64_t i, std::int64_t size);

/// "[0, 2 (starts), 1]", and with -1, "[:, 5]"
std::string index_words(const Shape& index, const Shape& shape, const Explanation& explanation);

/// The shape that an index of the finding's differences belongs to.
const Shape& shape_of_indexes(const Finding& finding);

/// "row [2 (starts)] is lost", "rows [0, 1] and [0, 2] are swapped"; empty where nothing changed.
std::string change_words(const Finding& finding, const Explanation& explanation);

/// "-0.26264998316764832", as a float64 has it.
std::string exact_digits(double value);

}  // namespace attn::verify
