#include "verify/read/written.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "text/lines.hpp"
#include "verify/read/functions.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

bool is_string(std::string_view text) {
  const std::size_t quote = text.find_first_of("\"'");
  return quote <= 2 && quote != npos && (text.back() == '"' || text.back() == '\'');
}

class WrittenReader {
 public:
  explicit WrittenReader(std::span<const Statement> statements) : statements_(statements) {}

  std::vector<Written> read() {
    for (std::size_t i = 0; i < statements_.size();) {
      const std::string_view text = statements_[i].text;
      const std::string_view word = text.substr(0, text.find_first_of(" (:"));
      const bool is_definition = word == "def" || word == "class";
      constexpr auto doubtful =
          std::to_array<std::string_view>({"for", "while", "if", "elif", "else", "try", "except", "finally"});
      if (is_definition || std::ranges::find(doubtful, word) != doubtful.end()) {
        const std::size_t end = end_of_block(statements_, i);
        for (std::size_t k = i; k < end && !is_definition; ++k) {
          forget(k);
        }
        i = end;
      } else {
        const bool is_last = i + 1 == statements_.size() || statements_[i + 1].first.cell != statements_[i].first.cell;
        for (const std::string_view statement : split_outside(text, ';')) {
          run(statements_[i].first, statement, is_last && statements_[i].first.cell > 0);
        }
        ++i;
      }
    }
    return std::move(found_);
  }

 private:
  void add(const Place& place, std::string_view name, std::string_view value, std::string label = "",
           bool is_printed = false) {
    constexpr std::size_t most = 2'000;
    if (found_.size() < most) {
      found_.push_back({place, std::string(name), std::string(value), std::move(label), is_printed});
    }
  }

  /// What a block assigns or prints, nobody knows how often.
  void forget(std::size_t i) {
    const std::size_t colon = find_outside(statements_[i].text, ": ");
    const std::string_view text = std::string_view(statements_[i].text).substr(colon == npos ? 0 : colon + 2);
    for (const std::string_view target : assignment_of(text).targets) {
      add(statements_[i].first, target.substr(0, target.find('[')), "");
    }
    changed_in_place(statements_[i].first, text);
    if (text.find("print(") != npos) {
      add(statements_[i].first, "", "", "", true);
    }
  }

  /// x += 1, x[0] = 1, x.fill_(1)
  void changed_in_place(const Place& place, std::string_view text) {
    const std::size_t method = text.find("_(");
    const std::size_t sign = find_outside(text, "=");
    std::size_t end = npos;
    if (method != npos && text.substr(0, method).rfind('.') != npos) {
      end = text.substr(0, method).rfind('.');
    } else if (sign != npos && sign > 0) {
      end = std::string_view("+-*/@").find(text[sign - 1]) != npos ? sign - 1 : npos;
    }
    if (end != npos) {
      const std::string_view before = text::trimmed(text.substr(0, end));
      const auto begin = std::ranges::find_if_not(before.rbegin(), before.rend(), is_name_part).base();
      const std::string_view name = before.substr(static_cast<std::size_t>(begin - before.begin()));
      add(place, name.empty() ? before.substr(0, before.find('[')) : name, "");
    }
  }

  void run(const Place& place, std::string_view text, bool is_shown) {
    constexpr auto silent = std::to_array<std::string_view>({"import", "from", "with", "assert", "del", "return"});
    const Assignment assignment = assignment_of(text);
    changed_in_place(place, text);
    if (assignment.value.empty()) {
      const std::string_view word = text.substr(0, text.find_first_of(" (:"));
      if ((word == "print" || word == "display") && text.ends_with(')')) {
        print(place, text.substr(word.size() + 1, text.size() - word.size() - 2));
      } else if (std::ranges::find(silent, word) == silent.end()) {
        add(place, "", text, "", is_shown);
      }
      return;
    }
    const std::vector<std::string_view> parts = split_outside(assignment.value, ',');
    const bool is_each = parts.size() == assignment.targets.size();
    for (std::size_t i = 0; i < assignment.targets.size(); ++i) {
      const std::string_view target = assignment.targets[i];
      const std::size_t bracket = target.find('[');
      add(place, target.substr(0, bracket), is_each && bracket == npos ? parts[i] : "");
    }
  }

  void print(const Place& place, std::string_view inside) {
    std::string label;
    for (const std::string_view argument : arguments_of(inside).plain) {
      if (!is_string(argument)) {
        add(place, "", argument, label, true);
        label.clear();
        continue;
      }
      const std::size_t quote = argument.find_first_of("\"'");
      const std::string_view words = argument.substr(quote + 1, argument.size() - quote - 2);
      if (quote == 0 || words.find('{') == npos) {
        label = words;
        continue;
      }
      std::size_t from = 0;  // f"the scores {scores}"
      for (std::size_t open = words.find('{'); open != npos; open = words.find('{', from)) {
        const std::size_t close = std::min(closing_bracket(words, open), words.size());
        add(place, "", words.substr(open + 1, close - open - 1), std::string(words.substr(from, open - from)), true);
        from = std::min(close + 1, words.size());
      }
    }
  }

  std::span<const Statement> statements_;
  std::vector<Written> found_;
};

}  // namespace

std::vector<Written> find_written(std::span<const Statement> statements) { return WrittenReader(statements).read(); }

}  // namespace attn::verify
