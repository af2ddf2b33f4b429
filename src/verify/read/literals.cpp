#include "verify/read/literals.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/read/literal.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/sizes.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t farthest = 200;  ///< from a list's bracket back to its variable

bool is_path_part(char c) { return is_name_part(c) || c == '.' || c == ':'; }

template <class Condition>
std::string_view trailing(std::string_view text, Condition condition) {
  std::size_t begin = text.size();
  while (begin > 0 && condition(text[begin - 1])) {
    --begin;
  }
  return text.substr(begin);
}

/// Returns true if a function with that name, without its library, creates a tensor from a list.
bool makes_tensor(std::string_view name) {
  return is_among(text::lower(name),
                  "arr1 arr2 arr3 array as_tensor asarray constant create_tensor float32 float64 floattensor from_data"
                  " from_floats from_numpy from_shape_vec from_slice from_vec matrix new of_slice of_slice2 parameter"
                  " tensor tensor1d tensor2d tensor3d variable vec");
}

/// The text before a list of numbers.
struct Before {
  bool in_call = false;      ///< within a call that creates tensors
  bool has_library = false;  ///< which names its library: torch.tensor, Tensor::new
  bool assigned = false;
  std::string_view name;  ///< the variable
};

/// The text from the beginning of its last statement.
std::string_view statement(std::string_view text) {
  std::size_t begin = text.size();
  for (std::size_t depth = 0; begin > 0; --begin) {
    const char c = text[begin - 1];
    if (c == '\n' || (c == ';' && depth == 0)) {
      break;
    }
    depth += c == ']' ? 1 : 0;
    depth -= c == '[' && depth > 0 ? 1 : 0;
  }
  return text.substr(begin);
}

/// The variable before an "=": "inputs" in "let inputs: Vec<f32>" and in "const float inputs[6][3]".
std::string_view variable(std::string_view before) {
  before = statement(before);
  if (const std::size_t colon = before.find(": "); colon != npos) {
    before = before.substr(0, colon);
  }
  before = without_trailing(before.substr(0, before.find('[')), " \t:");
  return trailing(before, [](char c) { return is_name_part(c) || c == '.'; });
}

/// Takes "torch.tensor(" or "vec!" from the text's end; false if it does not end in such a call.
bool take_call(std::string_view& before, Before& result) {
  const std::string_view text = without_trailing(without_trailing(before, "("), "!");
  const std::string_view path = trailing(text, is_path_part);
  const std::string_view name = trailing(path, is_name_part);
  if (text.size() == before.size() || !makes_tensor(name) || path == "tf.Tensor") {
    return false;
  }
  result.in_call = true;
  result.has_library = result.has_library || name.size() < path.size();
  before.remove_suffix(before.size() - text.size() + path.size());
  return true;
}

/// Returns true if the text ends in a call that compares: a test's expected numbers are not the program's.
bool in_comparison(std::string_view text) {
  for (const std::string_view word : {"assert", "close("}) {
    const std::size_t at = text.find(word) == npos ? npos : text.rfind(word);  // rarely found, and find is faster
    const std::string_view after = at == npos ? std::string_view() : text.substr(at);
    if (std::ranges::count(after, '(') > std::ranges::count(after, ')')) {
      return true;
    }
  }
  return false;
}

/// Takes the text between an assignment and the list, from the end.
Before look_back(std::string_view before) {
  Before result;
  const std::string_view whole = before;
  if (!trailing(before, is_name_part).empty()) {
    return result;
  }
  while (true) {
    before = without_trailing(before, " \t\n&\\");
    if (!take_call(before, result)) {
      break;
    }
  }
  constexpr std::string_view comparisons = "=<>!+-*/";
  if (before.ends_with('=') && before.size() > 1 && comparisons.find(before[before.size() - 2]) == npos) {
    result.assigned = true;
    result.name = variable(before.substr(0, before.size() - 1));
  }
  const bool is_made = result.in_call || result.assigned;
  return !is_made || result.name.starts_with("expected") || in_comparison(whole) ? Before{} : result;
}

/// The shape given to a flat list: "(6, 3)" in from_vec(vec![...], (6, 3)) or ".reshape(6, 3)"; else its own.
Shape shape_of(const NumberList& list, std::string_view after) {
  constexpr std::size_t longest = 64;
  after = without_leading(after.substr(0, longest), " \n,&)");
  for (const std::string_view call : {".reshape", ".view"}) {
    if (after.starts_with(call)) {
      after.remove_prefix(call.size());
    }
  }
  after = without_leading(after, "([");
  const std::optional<Shape> sizes = sizes_in(after.substr(0, after.find_first_of(")]")));
  const auto count = static_cast<std::int64_t>(list.values.size());
  std::int64_t product = 1;
  for (const std::int64_t size : sizes.value_or(Shape{})) {
    product = size > 0 && size <= count / product ? product * size : count + 1;
  }
  return sizes && !sizes->empty() && product == count ? *sizes : list.shape;
}

/// Skips blanks and comments that a call may have before its bracket.
std::string_view without_comments(std::string_view text) {
  while (true) {
    text = without_leading(text, " \t\n");
    if (!text.starts_with('#') && !text.starts_with("//")) {
      return text;
    }
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

/// The text after the call that has the list as an argument.
std::string_view behind_call(std::string_view text) {
  std::size_t depth = 0;
  for (text = without_comments(text); !text.empty(); text = without_comments(text.substr(1))) {
    depth += text.front() == '(' ? 1U : 0U;
    if (text.front() == ')' && depth-- == 0) {
      return without_leading(text, ")");
    }
  }
  return text;
}

/// Returns true if a program changes a list's numbers after them in the same statement: "@ x", ".T", "/ 10".
bool is_changed(std::string_view text, bool in_call) {
  constexpr std::size_t longest = 200;
  text = text.substr(0, longest);
  text = without_leading(in_call ? behind_call(text) : text, " \t");
  for (const std::string_view call : {".T", ".t(", ".transpose", ".unsqueeze", "[", ".expand", ".repeat"}) {
    if (text.starts_with(call)) {
      return true;
    }
  }
  constexpr std::string_view operators = "*/+-@%";
  return !text.empty() && operators.find(text.front()) != npos && !text.starts_with("//") && !text.starts_with("--");
}

/// The variables from which a program creates tensors: x in "torch.tensor(x, dtype=...)".
class Made {
 public:
  explicit Made(std::string_view text) : text_(text) {}

  bool has(std::string_view name) {
    if (!is_read_) {
      read();
    }
    return !name.empty() && std::ranges::binary_search(names_, name);
  }

 private:
  void read() {
    is_read_ = true;
    for (std::size_t at = text_.find('('); at != npos; at = text_.find('(', at + 1)) {
      if (!makes_tensor(
              trailing(text_.substr(at > farthest ? at - farthest : 0, std::min(at, farthest)), is_name_part))) {
        continue;
      }
      const std::string_view argument = text_.substr(at + 1, farthest);
      const auto end = std::ranges::find_if_not(argument, is_path_part);
      if (end != argument.end() && (*end == ')' || *end == ',')) {
        names_.push_back(argument.substr(0, static_cast<std::size_t>(end - argument.begin())));
      }
    }
    std::ranges::sort(names_);
  }

  std::string_view text_;
  bool is_read_ = false;
  std::vector<std::string_view> names_;
};

/// Returns true if it is a program's tensor and not output.
bool is_literal(const Before& before, const NumberList& list, Zone zone, Made& made) {
  if (list.values.size() < 2) {
    return false;
  }
  if (before.in_call && before.has_library) {
    return true;
  }
  return zone == Zone::code && (before.in_call || (before.assigned && (list.has_point || made.has(before.name))));
}

}  // namespace

std::vector<Literal> find_literals(const Page& page, const Zones& zones) {
  const std::string_view text = page.text();
  std::vector<Literal> found;
  Made made(text);
  std::size_t at = text.find_first_of("[{");
  while (at != npos) {
    const std::size_t from = at > farthest ? at - farthest : 0;
    const Before before = look_back(text.substr(from, at - from));
    std::size_t end = at + 1;
    if (before.in_call || before.assigned) {
      std::optional<NumberList> list = read_number_list(text, at, end);
      if (list && is_literal(before, *list, zones.at(at), made)) {
        const std::string_view behind = text.substr(list->end);
        const bool changes = is_changed(behind, before.in_call);
        if (changes && !before.in_call) {
          at = text.find_first_of("[{", end);
          continue;  // Python's [0.5, 1.5] * 3
        }
        Shape shape = shape_of(*list, behind);
        const std::string_view name = changes ? std::string_view() : before.name;
        found.push_back({page.place(at), std::string(name), std::move(shape), std::move(list->values)});
      }
    }
    at = text.find_first_of("[{", end);
  }
  return found;
}

}  // namespace attn::verify
