#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tensor/tensor.hpp"

namespace attn::render {

/// The descriptions of a page's numbers for its script, each stored once.
class PageTellings {
 public:
  std::size_t number_of(const nlohmann::ordered_json& telling);
  std::size_t size() const { return tellings_.size(); }
  const nlohmann::ordered_json& operator[](std::size_t number) const { return tellings_[number]; }
  /// The descriptions from this number on, as an array.
  nlohmann::ordered_json from(std::size_t first) const;

 private:
  std::vector<nlohmann::ordered_json> tellings_;
  std::map<std::string, std::size_t> numbers_;
};

/// For the page's script: how each of a tensor's elements is computed, as [description, a, b, bias]. The lists have the
/// places of the operands' elements, counted through all operands, one after the other; empty lists at the end are left
/// out. Empty if there are too many terms.
nlohmann::ordered_json derivations_json(const Tensor& tensor, PageTellings& tellings);

}  // namespace attn::render
