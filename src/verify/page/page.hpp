#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attn::verify {

/// Thrown for a page that cannot be read: what is wrong; what is accepted; how to go on.
struct PageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A place in the file, as a reader counts.
struct Place {
  std::uint32_t line = 1;    ///< from 1; in a notebook, within the cell's outputs or, for Markdown, its source
  std::uint32_t cell = 0;    ///< a notebook's cell, from 1, in file order; 0 elsewhere
  std::uint32_t number = 0;  ///< as displayed: In [number], or the ordinal of a code cell without one; a Markdown
                             ///< cell's number is `cell`
  bool is_markdown = false;  ///< in a notebook's Markdown cell
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
  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  /// The place of an offset. Takes logarithmic time.
  Place place(std::size_t offset) const;
  /// The parts in order, covering the whole text.
  const std::vector<Part>& parts() const { return parts_; }

  /// The listing of the program that printed the page: for a notebook, the source of its cells, with places that count
  /// the lines of a cell's source; otherwise the page itself.
  const Page& listing() const { return listing_ ? *listing_ : *this; }
  void set_listing(Page listing) { listing_ = std::make_shared<const Page>(std::move(listing)); }

 private:
  friend class PageText;
  struct Line {
    std::size_t begin;
    Place place;
  };

  std::string name_;
  std::string text_;
  std::vector<Line> lines_;  ///< ascending
  std::vector<Part> parts_;
  std::shared_ptr<const Page> listing_;
};

/// Parses plain text, Markdown, a terminal's log, HTML or a Jupyter notebook's outputs, distinguished by name and
/// content. Throws PageError for any other file.
Page parse_page(const std::string& name, std::string_view bytes);

/// Throws if a file of this size may not be read. Called before reading or, if the size is unknown, as soon as that
/// many bytes are read.
using CheckSize = std::function<void(std::size_t bytes)>;

/// Reads the file of that name; "-" is standard input. Throws PageError.
Page read_page(const std::string& name, const CheckSize& check_size = {});

/// Writes the text of a page, with typographic characters as programs print them. Records the place of each line of the
/// file.
class PageText {
 public:
  /// Sets the line of the file for the following text.
  void go_to(const Place& place);
  void begin_part(Part::Kind kind) { page_.parts_.push_back({page_.text_.size(), kind}); }
  /// Appends a decoded character: spaces of all kinds become ' ', dashes used as minus become '-', "…" becomes three
  /// dots.
  void put(char32_t code);
  /// Appends ASCII; also a new line for a reason other than a line end of the file.
  void put_plain(std::string_view text) { page_.text_ += text; }
  /// Ends a line of the file.
  void end_line() {
    put_plain("\n");
    skip_line();
  }
  /// Records an invisible line end of the file: in a tag or a comment.
  void skip_line() { go_to({place_.line + 1, place_.cell, place_.number, place_.is_markdown}); }
  /// Starts a new line unless the current one is empty.
  void begin_line() { put_plain(page_.text_.empty() || page_.text_.ends_with('\n') ? "" : "\n"); }

  /// Returns the page with everything written so far; the writer is empty afterwards.
  Page finish(std::string name);

 private:
  Page page_;
  Place place_;
};

/// Writes the visible text, without tags, comments and escape sequences, as a part of the given kind; the content of
/// <pre> in prose or Markdown is a part of its own. HTML within Markdown is recognised in every text: <br>, <pre>,
/// &nbsp; …; only in Part::Kind::prose, a tag spans lines. Takes time linear in the text.
void write_markup(PageText& out, std::string_view text, Part::Kind kind);

/// The kind of text at a place of a page.
enum class Zone : std::uint8_t {
  prose,
  code,
  comment,  ///< a comment in code, which often holds the program's output
  output,
};

/// The zones of a page, by offset.
class Zones {
 public:
  /// Adds a zone that begins at `begin`. Offsets must ascend.
  void add(std::size_t begin, Zone zone);
  Zone at(std::size_t offset) const;

 private:
  std::vector<std::pair<std::size_t, Zone>> zones_;  ///< and where each begins
};

/// Divides a page into zones by fences, prompts, comments, and lines that only a program has. Takes time linear in the
/// page.
Zones find_zones(const Page& page);

/// The length of a prompt before a statement, such as ">>> " or "In [3]: ", including the blanks before it;
/// 0 if the line has none.
std::size_t prompt_length(std::string_view line);

/// The length of a prompt on a statement's further lines: "... " or "   ...: ".
std::size_t continuation_length(std::string_view line);

}  // namespace attn::verify
