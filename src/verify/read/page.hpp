#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/read/place_index.hpp"

namespace attn::verify {

/// Thrown for a page that cannot be read: what is wrong; what is accepted; how to go on.
struct PageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A section of a page's text, up to the next one.
struct Part {
  enum class Kind {
    text,      ///< everything in a file without a telling name
    markdown,  ///< prose, with listings and outputs in fences
    prose,     ///< HTML outside <pre>
    block,     ///< inside <pre>: a listing or an output
    script,    ///< a program, a notebook's code cell
    output,    ///< a program's output
  };

  std::size_t begin = 0;
  Kind kind = Kind::text;
};

/// A page as plain text without tags, entities, escape sequences and typographic characters; every offset has a place
/// in the file.
class Page {
 public:
  Page() = default;
  Page(std::string name, std::string text, PlaceIndex places, std::vector<Part> parts)
      : name_(std::move(name)), text_(std::move(text)), places_(std::move(places)), parts_(std::move(parts)) {}

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  Place place(std::size_t offset) const { return places_.at(offset); }
  /// The parts in order, covering the whole text.
  const std::vector<Part>& parts() const { return parts_; }

  /// The listing of the program that printed the page: for a notebook, the source of its cells, with places that count
  /// the lines of a cell's source; otherwise the page itself.
  const Page& listing() const { return listing_ ? *listing_ : *this; }
  void set_listing(Page listing) { listing_ = std::make_shared<const Page>(std::move(listing)); }

 private:
  std::string name_;
  std::string text_;
  PlaceIndex places_;
  std::vector<Part> parts_;
  std::shared_ptr<const Page> listing_;
};

}  // namespace attn::verify
