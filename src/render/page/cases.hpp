#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tensor/tensor.hpp"

namespace attn::render {

/// What is told of a page's numbers, as its script reads it: each telling once.
class PageTellings {
 public:
  std::size_t number_of(const nlohmann::ordered_json& telling);
  std::size_t size() const { return tellings_.size(); }
  const nlohmann::ordered_json& operator[](std::size_t number) const { return tellings_[number]; }
  /// As an array, from that number on.
  nlohmann::ordered_json from(std::size_t first) const;

 private:
  std::vector<nlohmann::ordered_json> tellings_;
  std::map<std::string, std::size_t> numbers_;
};

/// For the page's script: the ways in which a tensor's elements came about, "c", and where there are several, which
/// element came about in which, "z". Empty where there are too many terms to tell.
nlohmann::ordered_json cases_json(const Tensor& tensor, PageTellings& tellings);

}  // namespace attn::render
