#include "verify/read/page.hpp"

#include <algorithm>
#include <utility>

namespace attn::verify {

Page::Page(std::string name, std::string text, std::vector<std::size_t> offsets, std::vector<Place> places,
           std::vector<Part> parts)
    : name_(std::move(name)),
      text_(std::move(text)),
      offsets_(std::move(offsets)),
      places_(std::move(places)),
      parts_(std::move(parts)) {}

Place Page::place(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(offsets_, offset);
  return after == offsets_.begin() ? Place{} : places_[static_cast<std::size_t>(after - offsets_.begin()) - 1];
}

}  // namespace attn::verify
