#include "verify/read/find_printed.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "text/ascii.hpp"
#include "verify/read/cursor.hpp"
#include "verify/read/forms.hpp"
#include "verify/read/label.hpp"

namespace attn::verify {
namespace {

constexpr std::string_view parameter_heading = "Parameter containing:";

/// A word behind which something is printed, with its bracket.
struct Head {
  std::string_view word;
  ReadPrinted read;
};

constexpr std::array heads = std::to_array<Head>({{"tensor(", read_tensor},
                                                  {"tensor (", read_tensor},
                                                  {"array(", read_array},
                                                  {"torch.Size(", read_size},
                                                  {"#Nx.Tensor<", read_nx_tensor}});

bool is_name_part(char c) { return text::is_letter(c) || text::is_digit(c) || c == '_' || c == '.'; }

/// Whether a word that ends the text stands for itself: no part of a longer name such as torch.tensor, no argument
/// of a call.
bool ends_with_word(std::string_view text, std::string_view word) {
  if (!text.ends_with(word)) {
    return false;
  }
  text.remove_suffix(word.size());
  const bool longer = !text.empty() && is_name_part(text.back());
  const bool argument = text.size() > 1 && text.back() == '(' && is_name_part(text[text.size() - 2]);
  return !longer && !argument;
}

/// One pass over a page. What is read once is not read again, however the page is made: it takes linear time.
class Finder {
 public:
  Finder(const Page& page, std::size_t most) : page_(page), text_(page.text()), most_(most) {}

  std::vector<Printed> find() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\n') {
        line_begin_ = at_;
      } else if (c == '(' || c == '<') {
        try_heads();
      }
    }
    return std::move(found_);
  }

 private:
  void try_heads() {
    const std::string_view before = text_.substr(free_from_, at_ - free_from_);
    for (const Head& head : heads) {
      if (ends_with_word(before, head.word)) {
        read(head);
        return;
      }
    }
  }

  /// Reads what the head before at_ begins. Goes on behind it, or where it turned out to be none.
  void read(const Head& head) {
    const std::size_t begin = at_ - head.word.size();
    Cursor cursor(text_, at_, find_margin(text_.substr(line_begin_, begin - line_begin_)), memory_);
    std::optional<Printed> printed = head.read(text_, begin, cursor);
    std::size_t end = cursor.at();
    if (printed) {
      end = begin + printed->text.size();
      look_back(*printed, begin);
      free_from_ = end;
      found_.push_back(std::move(*printed));
      if (found_.size() > most_) {
        throw PageError("'" + page_.name() + "' prints more than " + std::to_string(most_) +
                        " tensors and sizes; accepted are pages with as many or fewer; give a part of it");
      }
    }
    const std::size_t line_end = text_.substr(at_, end - at_).rfind('\n');
    line_begin_ = line_end == std::string_view::npos ? line_begin_ : at_ + line_end + 1;
    at_ = end;
  }

  /// What stands before it.
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
  std::size_t most_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;  ///< of the line that at_ is on
  std::size_t free_from_ = 0;   ///< the end of what was printed last
  Cursor::Memory memory_;
  std::vector<Printed> found_;
};

}  // namespace

std::vector<Printed> find_printed(const Page& page, std::size_t most) { return Finder(page, most).find(); }

}  // namespace attn::verify
