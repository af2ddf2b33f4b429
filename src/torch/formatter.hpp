#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "torch/shown.hpp"

namespace attn::torch {

/// Formats elements one at a time as PyTorch does, in a column whose width and notation depend on the shown elements.
template <class Element>
class Formatter;

template <>
class Formatter<bool> {
 public:
  Formatter(const View<bool>& view, const PrintOptions& options);

  /// The column's width in characters.
  std::size_t width() const { return width_; }
  /// The element without padding; valid until the next call.
  std::string_view text(bool value) const { return value ? "True" : "False"; }

 private:
  std::size_t width_ = 1;
};

template <>
class Formatter<std::int64_t> {
 public:
  Formatter(const View<std::int64_t>& view, const PrintOptions& options);

  std::size_t width() const { return width_; }
  std::string_view text(std::int64_t value);

 private:
  std::string buffer_;
  std::size_t width_ = 1;
};

template <>
class Formatter<float> {
 public:
  Formatter(const View<float>& view, const PrintOptions& options);

  std::size_t width() const { return width_; }
  std::string_view text(float value);

 private:
  enum class Notation { integral, fixed, scientific };

  /// Writes the text so that it ends at `end`; null if the machine's integers are too small.
  char* write_exactly(char* end, float value) const;
  char* write(char* begin, char* end, double value) const;

  int precision_;
  std::vector<char> buffer_;
  Notation notation_ = Notation::integral;
  std::size_t width_ = 1;
};

}  // namespace attn::torch
