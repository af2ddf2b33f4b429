#pragma once

#include <cmath>
#include <functional>
#include <span>

#include "tensor/array.hpp"
#include "text/utf8.hpp"

/// Pages, what they print, and parts of lines that several readers look for.
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

inline constexpr std::size_t npos = std::string_view::npos;

/// Returns true if the character may be part of a program's name.
constexpr bool is_name_part(char c) { return text::is_letter(c) || text::is_digit(c) || c == '_'; }

/// Returns true for "torch.nn.Linear" and nothing else.
constexpr bool is_path(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_name_part(c) || c == '.'; });
}

/// Returns true if the word is one of those in a text that has spaces between them.
constexpr bool is_among(std::string_view word, std::string_view words) {
  for (std::size_t at = words.find(word); at != npos && !word.empty(); at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) {
      return true;
    }
  }
  return false;
}

/// The name at the text's start; empty if there is none.
constexpr std::string_view leading_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_name_part(text[end])) {
    ++end;
  }
  return text.substr(0, end);
}

/// The text without those characters at its start.
constexpr std::string_view without_leading(std::string_view text, std::string_view unwanted) {
  return text.substr(std::min(text.find_first_not_of(unwanted), text.size()));
}

/// The text without those characters at its end.
constexpr std::string_view without_trailing(std::string_view text, std::string_view unwanted) {
  return text.substr(0, text.find_last_not_of(unwanted) + 1);
}

constexpr std::string_view without_indent(std::string_view line) { return without_leading(line, " \t"); }

/// A printed number.
struct Cell {
  std::string_view text;  ///< "-0.2626", "1.", "2.5000e-01", "True", "inf"; points into the page's text
  double value = 0;       ///< True is 1; NaN also for a damaged number such as "0.18Z6"
  /// One unit of the last digit that its framework prints, including dropped zeros: 1e-6 for MLX's 0.25, and for
  /// numpy's if nothing rounds it. 0 if the number is exact: a whole number without decimals, 0.e+00, inf, nan, True,
  /// False.
  double unit = 0;
};

/// Returns true for "0.18Z6".
inline bool is_damaged(const Cell& cell) { return std::isnan(cell.value) && (cell.text.back() | 0x20) != 'n'; }

/// The largest distance of the printed number from the cell's value.
inline double radius(const Cell& cell) { return cell.unit / 2; }

/// A printed tensor, or a printed size.
struct Printed {
  enum class Kind { tensor, size };

  Kind kind = Kind::tensor;
  Place place;
  std::string_view label;  ///< the words before it, on its line or, if there are none, the previous one: "keys"
  std::string_view text;   ///< from "Parameter containing:" or "tensor(" to its end; points into the page's text

  /// The shape as printed; for a tensor printed with "...", only the shown items count. For Kind::size, the size that
  /// it states (-1 for a number that is not a size), whose numbers are the cells.
  Shape shape;
  /// Row-major; the shown items.
  std::vector<Cell> cells;
  /// For each axis, the number of items before the "...", or -1 if the axis is complete; empty if all are.
  std::vector<std::int64_t> shown_before_gap;

  bool ragged = false;  ///< rows have different lengths: `shape` is that of the first ones, and `cells` has all
  bool missing_parenthesis = false;  ///< the closing parenthesis is not on the page
  bool is_bool = false;
  std::string_view grad_fn;  ///< "MulBackward0"; empty if none is printed
};

/// Returns true if it is a tensor's size.
inline bool is_size(const Printed& printed) { return printed.kind == Printed::Kind::size; }

/// Returns true if it is printed with "...".
inline bool has_gap(const Printed& printed) { return !printed.shown_before_gap.empty(); }

/// Returns true if the cells fill the printed shape.
inline bool is_regular(const Printed& printed) {
  std::size_t count = 1;
  for (const std::int64_t size : printed.shape) {
    count *= static_cast<std::size_t>(size);
  }
  return !printed.ragged && count == printed.cells.size();
}

/// Finds all printed tensors and sizes of the page, in its order: tensor(...), Parameter containing:,
/// torch.Size([...]), numpy's array(...) and the like, and lists in output. Code that creates tensors
/// (torch.tensor(...)) is not output. The results point into the page's text, so the page must not move while they are
/// used. Takes time linear in the page.
std::vector<Printed> find_printed(const Page& page);

/// Why a page without printed tensors has none, if it shows arrays in a form that is not read; else empty.
std::string_view unread_form(const Page& page);

/// The cell for a word of a row, with the unit of its last visible digit. "0.18Z6", a damaged number, is a cell of
/// value NaN; a program's word, such as `x`, is not a cell.
std::optional<Cell> parse_cell(std::string_view word);

/// Returns true for True and False.
bool is_truth(const Cell& cell);

/// The length of the word at a text's start that may be a cell. In "0.1385-0.2379", which lost a comma, it ends before
/// the second sign.
std::size_t cell_length(std::string_view text);

/// Sets each cell's unit. If zeros are dropped at the ends of numbers, as all but PyTorch do, they have the same number
/// of decimals or, as MLX's, of significant digits. The cells come from parse_cell.
void set_units(std::span<Cell> cells, bool drop_zeros);

/// Moves through a page and skips what stands within a printed tensor without belonging to it: spaces, line ends,
/// margins, and code fences where a page breaks.
struct Cursor {
  /// A cursor for something that begins after `line`, the text before it on its line: its margin is that of the
  /// following lines too.
  Cursor(std::string_view page, std::size_t at, std::string_view line);

  bool at_end() const { return at >= page.size(); }
  char peek() const { return at_end() ? '\0' : page[at]; }
  std::string_view rest() const { return page.substr(at); }
  /// Moves to the next thing that may belong to the tensor. Returns true if it is on another line.
  bool skip();

  std::string_view page;
  std::size_t at;
  std::string_view margin = "";  ///< characters of a quotation's, a table's or a comment's margin
};

/// A tensor's nested lists as printed.
struct Rows {
  Printed printed;    ///< what the lists determine
  bool sound = true;  ///< all brackets are present, commas are everywhere or nowhere, and nothing else is there
  bool has_commas = false;
  bool has_blanks = false;  ///< only blanks separate numbers
};

/// Reads the lists from the cursor's [ to the last bracket or number, even if brackets or commas are missing. Empty if
/// they are part of a program, or have no numbers or too many axes; the cursor is then at what was not expected.
std::optional<Rows> read_rows(Cursor& cursor);

}  // namespace attn::verify
