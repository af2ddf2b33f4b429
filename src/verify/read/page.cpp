#include "verify/read/page.hpp"

#include <utility>

namespace attn::verify {

Page::Page(std::string name, std::string text, PlaceIndex places, std::vector<Part> parts)
    : name_(std::move(name)), text_(std::move(text)), places_(std::move(places)), parts_(std::move(parts)) {}

}  // namespace attn::verify
