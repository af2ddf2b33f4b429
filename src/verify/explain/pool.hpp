#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "verify/explain/numbers.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// All numbers that any explanation has, each once, found by shape.
class Pool {
 public:
  std::size_t add(Numbers numbers);
  const Numbers& operator[](std::size_t id) const { return all_[id]; }
  std::size_t size() const { return all_.size(); }
  /// Those that have the printed tensor's shape and kind.
  std::vector<std::size_t> alike(const Printed& printed) const;

 private:
  std::vector<Numbers> all_;
  std::unordered_map<std::string, std::size_t> by_content_;
  std::map<Shape, std::vector<std::size_t>> by_shape_;
};

/// The pool's numbers that every printed cell agrees with.
std::vector<std::size_t> exact_numbers(const Printed& printed, const Pool& pool);

}  // namespace attn::verify
