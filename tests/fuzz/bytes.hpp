#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace attn::fuzz {

/// Numbers out of a fuzzer's bytes, zeros behind their end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  requires std::is_arithmetic_v<Number> Number take() {
    Number number = 0;
    const std::size_t size = std::min(sizeof number, bytes_.size());
    std::memcpy(&number, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return number;
  }

 private:
  std::string_view bytes_;
};

}  // namespace attn::fuzz
