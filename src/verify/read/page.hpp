#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace attn::verify {

/// A page that cannot be read: what is wrong; what is accepted; how to go on.
struct PageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where something stands in the file that a reader has.
struct Place {
  std::size_t line = 1;  ///< from 1; of a notebook: in the cell's outputs
  std::size_t cell = 0;  ///< a notebook's cell, from 1; 0 elsewhere
};

/// A page as plain text: tags, entities, escape sequences and typographic characters are gone, and every offset
/// knows its place in the file.
class Page {
 public:
  Page(std::string name, std::string text, std::vector<std::size_t> offsets, std::vector<Place> places);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  Place place(std::size_t offset) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::size_t> offsets_;  ///< ascending; places_[i] holds from offsets_[i] on
  std::vector<Place> places_;
};

}  // namespace attn::verify
