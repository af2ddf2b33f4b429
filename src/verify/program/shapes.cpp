#include <algorithm>
#include <array>
#include <cstdint>

#include "text/lines.hpp"
#include "verify/program/variables.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

/// Determines the shapes of computed tensors: a tensor has as many rows as a loop over it has iterations.
namespace attn::verify {
namespace {

/// The position of the bracket that the text's last character closes; npos if there is none.
std::size_t last_bracket(std::string_view text) {
  std::size_t found = npos;
  for (const std::string_view open : {"(", "["}) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t next = find_outside(text.substr(begin), open);
      const std::size_t close = next == npos ? npos : closing_bracket(text, begin + next);
      if (close == npos) {
        break;
      }
      found = close == text.size() - 1 ? begin + next : found;
      begin = close + 1;
    }
  }
  return found;
}

std::optional<Shape> product_of(const std::optional<Shape>& a, const std::optional<Shape>& b) {
  if (!a || !b || a->empty() || b->empty()) {
    return std::nullopt;
  }
  Shape result(a->begin(), a->end() - 1);
  if (b->size() > 1) {
    if (result.size() < 2) {
      result.insert(result.begin(), b->begin(), b->end() - 2);
    }
    result.push_back(b->back());
  }
  return result;
}

}  // namespace

std::optional<Shape> Variables::shape_of_operation(std::string_view text) const {
  for (const std::string_view signs : {std::string_view("+-"), std::string_view("*/%@")}) {
    const std::size_t at = last_operator(text, signs);
    if (at != npos) {
      const std::string_view left = text.substr(0, at);
      const std::string_view right = text.substr(at + 1);
      const auto of = [&](std::string_view side) { return number(side) ? std::optional(Shape{}) : shape(side); };
      if (text[at] == '@') {
        return product_of(shape(left), shape(right));
      }
      const auto a = of(left);
      const auto b = of(right);
      return a && b ? broadcast(*a, *b) : std::nullopt;
    }
  }
  if (text.ends_with(".T")) {
    auto of = shape(text.substr(0, text.size() - 2));
    if (of) {
      std::ranges::reverse(*of);
    }
    return of;
  }
  const std::size_t open = last_bracket(text);
  if (open == 0 && text.starts_with('[')) {
    const auto items = split_outside(text.substr(1, text.size() - 2), ',');
    Shape made = (items.empty() ? std::nullopt : shape(items[0])).value_or(Shape{});
    made.insert(made.begin(), std::ssize(items));
    return made;
  }
  if (open == npos || open == 0) {
    return std::nullopt;
  }
  const std::string_view before = text.substr(0, open);
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (text[open] == '[') {
    if (const Value* item = find(item_name(before, inside)); item != nullptr && item->shape) {
      return item->shape;
    }
    const auto of = shape(before);
    return of ? shape_of_items(*of, inside) : std::nullopt;
  }
  return shape_of_call(before, inside);
}

std::optional<Shape> Variables::shape_of_items(Shape x, std::string_view inside) const {
  std::size_t axis = 0;
  const std::vector<std::string_view> parts = split_outside(inside, ',');
  for (const std::string_view part : parts) {
    const std::size_t colon = part.find(':');
    if (part == "..." && x.size() >= axis + parts.size() - 1) {
      axis = x.size() - (parts.size() - 1 - axis);
    } else if (part == "None" || part.ends_with("newaxis")) {
      x.insert(x.begin() + static_cast<std::ptrdiff_t>(axis++), 1);
    } else if (colon != npos && axis < x.size() && part.find(':', colon + 1) == npos) {
      const auto place = [&](std::string_view text, std::int64_t usual) {
        const auto at = text::trimmed(text).empty() ? std::optional(usual) : whole(text);
        return at ? std::optional(std::clamp<std::int64_t>(*at + (*at < 0 ? x[axis] : 0), 0, x[axis])) : at;
      };
      const auto begin = place(part.substr(0, colon), 0);
      const auto end = place(part.substr(colon + 1), x[axis]);
      if (!begin || !end) {
        return std::nullopt;
      }
      x[axis++] = std::max<std::int64_t>(0, *end - *begin);
    } else if (whole(part) && axis < x.size()) {
      x.erase(x.begin() + static_cast<std::ptrdiff_t>(axis));
    } else {
      return std::nullopt;
    }
  }
  return x;
}

std::optional<Shape> Variables::shape_of_call(std::string_view path, std::string_view inside) const {
  const std::size_t dot = path.rfind('.');
  const std::string_view function = path.substr(dot == npos ? 0 : dot + 1);
  const std::string_view before = dot == npos ? std::string_view() : path.substr(0, dot);
  const Arguments arguments = arguments_of(inside);
  if (const auto width = whole(std::string(path) + ".embedding_dim"); width && !arguments.plain.empty()) {
    auto x = shape(arguments.plain[0]);
    x ? x->push_back(*width) : void();
    return x;
  }
  if (const auto weight = shape(std::string(path) + ".weight");
      weight && !arguments.plain.empty()) {  // of an nn.Linear
    auto x = shape(arguments.plain[0]);
    if (x && !x->empty()) {
      x->back() = weight->front();
    }
    return x;
  }
  if (const auto x = before.empty() ? std::nullopt : shape(before)) {
    return shape_of_method(*x, function, inside);
  }
  if (path == "our_batched" || path == "our_unbatched" || path == "our_hidden" || path == "our_put" ||
      path == "our_called" || path == "our_named") {
    auto x = arguments.plain.empty() ? std::nullopt : shape(arguments.plain[0]);
    const bool is_batch_first = arguments.plain.size() == 2 && number(arguments.plain[1]) != 0.0;
    if (x && path == "our_batched" && x->size() == 2) {
      x->insert(x->begin(), 1);
    } else if (x && path == "our_batched" && x->size() == 3 && !is_batch_first) {
      std::swap((*x)[0], (*x)[1]);
    }
    const auto like = path == "our_unbatched" && arguments.plain.size() == 3 ? shape(arguments.plain[1]) : std::nullopt;
    if (x && like && x->size() == 3 && like->size() == 2) {
      x->erase(x->begin());
    } else if (x && like && x->size() == 3 && number(arguments.plain[2]) == 0.0) {
      std::swap((*x)[0], (*x)[1]);
    }
    return path == "our_unbatched" && !like ? std::nullopt : x;
  }
  if (number(std::string(path) + ".our_keeps_shape") && !arguments.plain.empty()) {  // of a LayerNorm
    return shape(arguments.plain[0]);
  }
  if (function == "full" && !arguments.plain.empty()) {
    return sizes(arguments.plain[0]);
  }
  if (function == "arange" && arguments.plain.size() == 1) {
    return sizes(arguments.plain[0]);
  }
  constexpr auto makers = std::to_array<std::string_view>({"zeros", "ones", "empty", "rand", "randn"});
  if (std::ranges::find(makers, function) != makers.end() && !arguments.plain.empty()) {
    return arguments.plain.size() == 1
               ? sizes(arguments.plain[0])
               : sizes(inside.substr(0, static_cast<std::size_t>(arguments.plain.back().end() - inside.begin())));
  }
  constexpr auto listing = std::to_array<std::string_view>({"tensor", "as_tensor", "from_numpy", "FloatTensor"});
  const bool is_known = before == "np" || before == "torch" || before == "F" || before == "numpy" ||
                        before.ends_with("functional") || std::ranges::find(listing, function) != listing.end();
  const auto x = is_known && !arguments.plain.empty() ? shape(arguments.plain[0]) : std::nullopt;
  const std::size_t comma = find_outside(inside, ",");
  return x ? shape_of_method(*x, function, comma == npos ? std::string_view() : inside.substr(comma + 1))
           : std::nullopt;
}

std::optional<Shape> Variables::shape_of_method(const Shape& x, std::string_view method,
                                                std::string_view inside) const {
  constexpr auto keeping = std::to_array<std::string_view>(
      {"array",   "asarray", "as_tensor", "astype", "clamp",  "clip",        "clone",      "contiguous", "copy",
       "dropout", "cos",     "cpu",       "detach", "double", "exp",         "float",      "from_numpy", "layer_norm",
       "log",     "maximum", "numpy",     "relu",   "round",  "masked_fill", "sigmoid",    "sin",        "softmax",
       "sqrt",    "tanh",    "tensor",    "to",     "tril",   "triu",        "FloatTensor"});
  constexpr auto products = std::to_array<std::string_view>({"matmul", "dot", "mm", "bmm"});
  const Arguments arguments = arguments_of(inside);
  if (std::ranges::find(keeping, method) != keeping.end()) {
    return x;
  }
  if (std::ranges::find(products, method) != products.end() && !arguments.plain.empty()) {
    return product_of(x, shape(arguments.plain[0]));
  }
  if ((method == "view" || method == "reshape") && !arguments.plain.empty()) {
    return sizes(inside);
  }
  if (method == "t" || (method == "transpose" && arguments.plain.size() < 2)) {
    return Shape(x.rbegin(), x.rend());
  }
  const auto rank = std::ssize(x);
  const auto axis_at = [&](std::size_t place) -> std::optional<std::size_t> {
    const auto axis = place < arguments.plain.size() ? whole(arguments.plain[place]) : std::nullopt;
    return axis && *axis >= -rank && *axis < rank
               ? std::optional(static_cast<std::size_t>(*axis + (*axis < 0 ? rank : 0)))
               : std::nullopt;
  };
  if (method == "transpose" && arguments.plain.size() == 2 && axis_at(0) && axis_at(1)) {
    Shape made = x;
    std::swap(made[*axis_at(0)], made[*axis_at(1)]);
    return made;
  }
  constexpr auto reducing = std::to_array<std::string_view>({"sum", "mean", "max", "min", "std", "var", "norm"});
  if (std::ranges::find(reducing, method) != reducing.end()) {
    const std::string_view named =
        arguments.value_of("axis").empty() ? arguments.value_of("dim") : arguments.value_of("axis");
    if (arguments.plain.empty() && named.empty()) {
      return Shape{};
    }
    const auto axis = named.empty() ? std::nullopt : whole(named);
    if (!axis || *axis < -rank || *axis >= rank) {
      return std::nullopt;
    }
    Shape made = x;
    const std::ptrdiff_t at = *axis + (*axis < 0 ? rank : 0);
    if (inside.find("keepdim") != npos) {
      made[static_cast<std::size_t>(at)] = 1;
    } else {
      made.erase(made.begin() + at);
    }
    return made;
  }
  return std::nullopt;
}

}  // namespace attn::verify
