#include "lesson/cell.hpp"

#include <algorithm>

#include "lesson/explain.hpp"
#include "tensor/words.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::render {
namespace {

[[noreturn]] void refuse_form(const std::string& text) {
  throw CellError("--cell '" + text + "' is not a cell; write NAME[INDEX, ...] or SECTION/NAME[INDEX, ...]; " +
                  "try --cell 'attn_scores[1, 2]'");
}

bool is_asked_for(const Step& step, const CellRequest& request) {
  return step.kind == Step::Kind::tensor && step.tensor && step.name == request.name &&
         (request.section.empty() || request.section == step.section);
}

const Step& find_step(std::span<const Step> steps, const CellRequest& request) {
  const Step* first = nullptr;
  for (const Step& step : steps) {
    if (!is_asked_for(step, request)) {
      continue;
    }
    if (step.tensor->shape().size() == request.index.size()) {
      return step;
    }
    first = first == nullptr ? &step : first;
  }
  if (first != nullptr) {
    return *first;
  }
  const std::string full = request.section.empty() ? request.name : request.section + "/" + request.name;
  const std::string names =
      text::joined(names_of(steps, [](const Step& step) { return step.kind == Step::Kind::tensor; }));
  throw CellError("--cell: no step is named '" + full + "'; the steps are " + names +
                  ", also as SECTION/NAME if the chapter has sections; try --cell '" +
                  names.substr(0, names.find(',')) + "[...]'");
}

/// Says what is wrong, and what the step accepts: "attn_scores has shape [2, 6, 6] and takes 3 indices: ..."
[[noreturn]] void refuse(const std::string& what, const Step& step) {
  const Shape& shape = step.tensor->shape();
  std::string ranges;
  Shape example;
  for (const std::int64_t size : shape) {
    ranges += (ranges.empty() ? "" : ", ") + std::string("0 to ") + std::to_string(size - 1);
    example.push_back(std::min<std::int64_t>(1, size - 1));
  }
  throw CellError("--cell: " + what + "; " + step.name + " has shape " + shape_text(shape) + " and takes " +
                  (shape.empty() ? std::string("no indices") : std::to_string(shape.size()) + " indices: " + ranges) +
                  "; try --cell '" + step.name + index_text(example) + "'");
}

std::int64_t token_index(const std::string& word, const Step& step, std::span<const std::string> tokens) {
  const auto first = std::find(tokens.begin(), tokens.end(), word);
  if (first == tokens.end()) {
    refuse("'" + word + "' is " +
               (tokens.empty() ? "not a number" : "neither a number nor one of " + text::joined(tokens, " ")),
           step);
  }
  const auto second = std::find(first + 1, tokens.end(), word);
  if (second != tokens.end()) {
    refuse("'" + word + "' is the token at " + std::to_string(first - tokens.begin()) + " and at " +
               std::to_string(second - tokens.begin()),
           step);
  }
  return first - tokens.begin();
}

std::int64_t resolved(const std::string& text, std::size_t axis, const Step& step,
                      std::span<const std::string> tokens) {
  const std::int64_t size = step.tensor->shape()[axis];
  const auto number = text::number_of<std::int64_t>(text);
  if (!number) {
    const std::int64_t index = token_index(text, step, tokens);
    if (!token_axes(*step.tensor, tokens.size())[axis]) {
      refuse("axis " + std::to_string(axis) + " of " + step.name + " is not a token axis, so '" + text +
                 "' cannot be its index",
             step);
    }
    return index;
  }
  if (*number < -size || *number >= size) {
    refuse("index " + text + " is outside axis " + std::to_string(axis), step);
  }
  return *number < 0 ? *number + size : *number;
}

}  // namespace

std::string index_text(const Shape& index, std::optional<std::size_t> open) {
  std::string text;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    text += (axis == 0 ? "[" : ", ") + (open == axis ? ":" : std::to_string(index[axis]));
  }
  return text.empty() ? "" : text + "]";
}

CellRequest parse_cell(const std::string& text) {
  CellRequest request;
  const std::size_t open = text.find('[');
  request.name = text::trimmed(text.substr(0, open));
  const std::size_t slash = request.name.find('/');
  if (slash != std::string::npos) {
    request.section = request.name.substr(0, slash);
    request.name = request.name.substr(slash + 1);
  }
  const std::string indices = open == std::string::npos ? "[]" : std::string(text::trimmed(text.substr(open)));
  if (request.name.empty() || (slash != std::string::npos && request.section.empty()) || indices.back() != ']') {
    refuse_form(text);
  }
  const std::string inside = indices.substr(1, indices.size() - 2);
  if (text::trimmed(inside).empty()) {
    return request;
  }
  for (std::size_t start = 0; start <= inside.size();) {
    const std::size_t comma = std::min(inside.find(',', start), inside.size());
    request.index.emplace_back(text::trimmed(inside.substr(start, comma - start)));
    if (request.index.back().empty() || request.index.back().find_first_of("[]") != std::string::npos) {
      refuse_form(text);
    }
    start = comma + 1;
  }
  return request;
}

Cell find_cell(std::span<const Step> steps, const CellRequest& request, std::span<const std::string> tokens) {
  const Step& step = find_step(steps, request);
  const std::size_t dim = step.tensor->shape().size();
  std::vector<std::string> named = request.index;
  if (named.size() >= 2 && named.size() < dim) {
    named.insert(named.begin(), dim - named.size(), "0");  // the first batch entry, the first head
  }
  if (named.size() != dim) {
    refuse(std::to_string(named.size()) + (named.size() == 1 ? " index does" : " indices do") +
               " not name one number of " + step.name,
           step);
  }
  Shape index;
  for (std::size_t axis = 0; axis < dim; ++axis) {
    index.push_back(resolved(named[axis], axis, step, tokens));
  }
  return {&step, std::move(index)};
}

std::string CellWords::name(const Tensor& tensor) const {
  if (tensor.id() == root_.tensor->id()) {
    return root_.name;
  }
  if (!tensor.name().empty()) {
    return tensor.name();
  }
  const bool is_copy = tensor.kind() == Kind::contiguous;  // the same numbers in the same places
  return is_copy ? name(tensor.operands()[0]) : grouped(tensor.expression());
}

std::string CellWords::cell(const Tensor& tensor, const Shape& index, std::optional<std::size_t> open) const {
  return name(tensor) + index_text(index, open);
}

std::string CellWords::run(const Tensor& tensor, const Shape& index, std::optional<std::size_t> open) const {
  std::string kind;
  if (open && tensor.dim() > 1) {
    const std::size_t from_end = index.size() - *open;
    kind = from_end == 1 ? "row " : from_end == 2 ? "column " : "";
  }
  std::string words;
  const std::vector<bool> axes = token_axes(tensor, tokens_.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis] && open != axis) {
      words += (words.empty() ? " (" : ", ") + token(index[axis]);
    }
  }
  return kind + cell(tensor, index, open) + (words.empty() ? "" : words + ")");
}

std::string CellWords::places(const Tensor& tensor, const Shape& index) const {
  const std::vector<bool> axes = token_axes(tensor, tokens_.size());
  std::string text;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (counts_heads(tensor, axis)) {
      text += (text.empty() ? "" : ", ") + head_name(index[axis]);
    }
    if (!axes[axis]) {
      continue;
    }
    const std::size_t from_end = index.size() - axis;
    const std::string kind = index.size() == 1 || from_end > 2 ? "item " : from_end == 2 ? "row " : "column ";
    text += (text.empty() ? "" : ", ") + kind + std::to_string(index[axis]) + ": " + token(index[axis]);
  }
  return text;
}

std::optional<std::string> CellWords::token_along(const Tensor& tensor, const Shape& index,
                                                  std::optional<std::size_t> axis) const {
  const bool is_token = axis && token_axes(tensor, tokens_.size())[*axis];
  return is_token ? std::optional(token(index[*axis])) : std::nullopt;
}

}  // namespace attn::render
