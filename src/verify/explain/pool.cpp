#include "verify/explain/pool.hpp"

#include <utility>

#include "verify/explain/compare.hpp"

namespace attn::verify {
namespace {

template <class T>
void append_bytes(std::string& out, const std::vector<T>& items) {
  out.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
}

std::string content_key(const Numbers& numbers) {
  std::string key = dtype_name(numbers.dtype) + shape_text(numbers.shape);
  append_bytes(key, numbers.values);
  return key;
}

}  // namespace

std::size_t Pool::add(Numbers numbers) {
  const auto [entry, is_new] = by_content_.try_emplace(content_key(numbers), all_.size());
  if (is_new) {
    by_shape_[numbers.shape].push_back(all_.size());
    all_.push_back(std::move(numbers));
  }
  return entry->second;
}

std::vector<std::size_t> Pool::alike(const Printed& printed) const {
  std::vector<std::size_t> result;
  const auto add_alike = [&](const std::vector<std::size_t>& ids) {
    for (const std::size_t id : ids) {
      if (same_kind(printed, all_[id])) {
        result.push_back(id);
      }
    }
  };
  if (!is_regular(printed)) {
    return result;
  }
  if (!has_gap(printed)) {
    if (const auto found = by_shape_.find(printed.shape); found != by_shape_.end()) {
      add_alike(found->second);
    }
    return result;
  }
  for (const auto& [shape, ids] : by_shape_) {
    if (same_shape(printed, shape)) {
      add_alike(ids);
    }
  }
  return result;
}

std::vector<std::size_t> exact_numbers(const Printed& printed, const Pool& pool) {
  std::vector<std::size_t> result;
  for (const std::size_t numbers : pool.alike(printed)) {
    if (compare(printed, pool[numbers], 0) == Tally{}) {
      result.push_back(numbers);
    }
  }
  return result;
}

}  // namespace attn::verify
