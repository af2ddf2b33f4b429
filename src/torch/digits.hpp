#pragma once

/// Digits of floats, correctly rounded, by integers alone: a float is an integer times a power of two, and so many
/// digits of it are that integer times a power of ten, shifted.
namespace attn::torch {

/// What follows the last digit of a number without a fraction.
enum class Point { none, always };

/// Writes the text that std::to_chars(value, std::chars_format::fixed, digits) has, so that it ends at `end`; where it
/// begins. Null where 64 bits are too few, or the value is not finite. There must be room for 40 characters.
char* write_fixed(char* end, float value, int digits, Point point);

/// The same of std::chars_format::scientific; null where 128 bits are too few.
char* write_scientific(char* end, float value, int digits);

}  // namespace attn::torch
