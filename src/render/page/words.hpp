#pragma once

/// Writes the explanation of a step as parts of a page.

#include <cstddef>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lesson/explain.hpp"
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

/// The glossary's terms with their meanings: <dt> and <dd>.
void write_glossary(std::ostream& out, std::string_view glossary);

/// A step's label as a heading; if it has none, or the label is code, its name in words: "context vectors".
std::string heading_of(const Step& step);

/// Writes the notices as list items.
void write_notice_items(std::ostream& out, std::span<const std::string> notices);

/// Writes the reasons as paragraphs and tables.
void write_reasons(std::ostream& out, std::span<const Reason> reasons);

/// Writes the hidden steps that a step depends on.
void write_through(std::ostream& out, std::span<const StepExplanation> before);

}  // namespace attn::render
