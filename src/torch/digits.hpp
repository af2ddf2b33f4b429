#pragma once

/// Correctly rounded digits of floats in integer arithmetic: a float is an integer times a power of two, and its digits
/// are that integer times a power of ten, shifted.
namespace attn::torch {

/// The text after the last digit of a number without a fraction.
enum class Point { none, always };

/// Writes the text of std::to_chars(value, std::chars_format::fixed, digits) so that it ends at `end`; returns its
/// beginning. Null if 64 bits are too few or the value is not finite. There must be room for 40 characters.
char* write_fixed(char* end, float value, int digits, Point point);

/// Writes the text of std::chars_format::scientific in the same way; null if 128 bits are too few.
char* write_scientific(char* end, float value, int digits);

}  // namespace attn::torch
