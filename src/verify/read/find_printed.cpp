#include "verify/read/find_printed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "verify/read/cursor.hpp"
#include "verify/read/forms.hpp"
#include "verify/read/label.hpp"
#include "verify/read/libtorch.hpp"
#include "verify/read/lists.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {
namespace {

constexpr std::string_view parameter_heading = "Parameter containing:";

/// A word before printed output, with its bracket.
struct Head {
  std::string_view word;
  ReadPrinted read;
  bool in_output = false;  ///< elsewhere it is a program's call
};

constexpr std::array heads = std::to_array<Head>({{"tensor(", read_tensor},
                                                  {"tensor (", read_tensor},
                                                  {"array(", read_array},
                                                  {"Array(", read_typed_array},
                                                  {"DeviceArray(", read_typed_array},
                                                  {"tf.Tensor(", read_typed_array},
                                                  {"torch.Size(", read_size},
                                                  {"np.float32(", read_numpy_scalar, true},
                                                  {"np.float64(", read_numpy_scalar, true},
                                                  {"#Nx.Tensor<", read_nx_tensor}});

bool is_dotted_part(char c) { return is_name_part(c) || c == '.'; }

/// Returns true if a word at the text's end stands alone: not part of a longer name such as torch.tensor, not an
/// argument of a call.
bool ends_with_word(std::string_view text, std::string_view word) {
  if (!text.ends_with(word)) {
    return false;
  }
  text.remove_suffix(word.size());
  const bool longer = !text.empty() && is_dotted_part(text.back());
  const bool argument = text.size() > 1 && text.back() == '(' && is_dotted_part(text[text.size() - 2]);
  return !longer && !argument;
}

bool is_output(Zone zone) { return zone == Zone::output || zone == Zone::comment; }

/// One pass over a page. Nothing is read twice, so the time is linear for every page.
class Finder {
 public:
  explicit Finder(const Page& page) : page_(page), text_(page.text()), zones_(find_zones(page)) {}

  std::vector<Printed> find() {
    while (at_ < text_.size()) {
      switch (text_[at_++]) {
        case '\n': line_begin_ = at_; break;
        case '(': try_heads(); break;
        case '<': try_heads() || try_tensorflow(); break;
        case '[': try_libtorch() || try_list(); break;
        default: break;
      }
    }
    return std::move(found_);
  }

 private:
  bool try_heads() {
    const std::string_view before = text_.substr(free_from_, at_ - free_from_);
    for (const Head& head : heads) {
      if (ends_with_word(before, head.word)) {
        const std::size_t begin = at_ - head.word.size();
        if (!is_output(zones_.at(begin)) && (head.in_output || is_in_statement(begin))) {
          return false;
        }
        Cursor cursor = cursor_at(begin);
        note(head.read(text_, begin, cursor), begin, cursor.at());
        return true;
      }
    }
    return false;
  }

  /// Returns true if it belongs to a program: after an "=", as an operand or an argument.
  bool is_in_statement(std::size_t begin) const {
    const std::string_view line = without_trailing(text_.substr(line_begin_, begin - line_begin_), " \t");
    constexpr std::string_view before = "=(,+-*/@";
    return zones_.at(begin) == Zone::code && !line.empty() && before.find(line.back()) != npos;
  }

  bool try_tensorflow() {
    if (!text_.substr(at_).starts_with("tf.")) {
      return false;
    }
    Cursor cursor = cursor_at(at_ - 1);
    note(read_tensorflow(text_, at_ - 1, cursor), at_ - 1, cursor.at());
    return true;
  }

  /// Reads the line that libtorch prints below a tensor.
  bool try_libtorch() {
    std::optional<Printed> printed = read_libtorch(text_, free_from_, at_ - 1);
    if (!printed) {
      return false;
    }
    const auto begin = static_cast<std::size_t>(printed->text.data() - text_.data());
    const std::size_t end = begin + printed->text.size();
    note(std::move(printed), begin, end);
    return true;
  }

  bool try_list() {
    const std::size_t bracket = at_ - 1;
    constexpr std::size_t farthest = 200;
    const std::size_t line = std::max(line_begin_, free_from_);
    const std::size_t from = bracket - std::min(bracket - line, farthest);
    const Zone zone = zones_.at(bracket);
    const bool stands_alone = may_begin_list(text_.substr(from, bracket - from), zone);
    at_ = bracket;
    Cursor cursor = cursor_at(bracket);
    std::optional<Printed> printed = read_list(text_, bracket, cursor, stands_alone && is_output(zone));
    if (!stands_alone) {
      printed.reset();
    }
    note(std::move(printed), bracket, std::max(cursor.at(), bracket + 1));
    return true;
  }

  /// A cursor at at_ for something that begins on the same line.
  Cursor cursor_at(std::size_t begin) {
    return {text_, at_, find_margin(text_.substr(line_begin_, begin - line_begin_))};
  }

  /// Records what was read from `begin` on, if anything, and continues after it; otherwise continues at `end`.
  void note(std::optional<Printed> printed, std::size_t begin, std::size_t end) {
    if (printed) {
      end = begin + printed->text.size();
      look_back(*printed, begin);
      free_from_ = end;
      keep(std::move(*printed));
    }
    const std::size_t line_end = text_.substr(at_, end - at_).rfind('\n');
    line_begin_ = line_end == npos ? line_begin_ : at_ + line_end + 1;
    at_ = end;
  }

  void keep(Printed printed) {
    if (!has_gap(printed)) {
      std::vector<std::int64_t>().swap(printed.shown_before_gap);
    }
    printed.cells.shrink_to_fit();
    found_.push_back(std::move(printed));
  }

  /// Reads what precedes it.
  void look_back(Printed& printed, std::size_t begin) const {
    const std::size_t end = begin + printed.text.size();
    const std::string_view before = text_.substr(free_from_, begin - free_from_);
    const std::string_view words = before.substr(0, before.find_last_not_of(" \t\n>|#") + 1);
    if (words.ends_with(parameter_heading)) {
      begin = free_from_ + words.size() - parameter_heading.size();
      printed.is_parameter = true;
      printed.text = text_.substr(begin, end - begin);
    }
    printed.place = page_.place(begin);
    printed.label = find_label(text_, free_from_, begin);
  }

  const Page& page_;
  std::string_view text_;
  Zones zones_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;  ///< beginning of the line that contains at_
  std::size_t free_from_ = 0;   ///< end of the last printed thing
  std::vector<Printed> found_;
};

}  // namespace

std::vector<Printed> find_printed(const Page& page) { return Finder(page).find(); }

}  // namespace attn::verify
