#include "present/cells.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace attn::present {
namespace {

constexpr std::string_view opening = "tensor(";

/// The items of an axis that PyTorch shows.
std::vector<std::int64_t> shown_items(std::int64_t size, bool summarised, std::int64_t edge) {
  std::vector<std::int64_t> items;
  const bool cut = summarised && edge < size - size / 2;
  const std::int64_t tail = edge == 0 ? 0 : size - edge;
  for (std::int64_t i = 0; i < size; ++i) {
    if (!cut || i < edge || i >= tail) {
      items.push_back(i);
    }
  }
  return items;
}

/// Where the elements' texts are: words between brackets, commas and space, up to the end of the numbers.
std::vector<PrintedCell> words_of(std::string_view text) {
  std::vector<PrintedCell> words;
  const std::size_t found = text.find(opening);
  int depth = 0;
  for (std::size_t i = found == std::string_view::npos ? text.size() : found + opening.size(); i < text.size();) {
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (std::string_view("[], \n)").find(text[i]) != std::string_view::npos) {
      if (depth == 0 && (text[i] == ',' || text[i] == ')' || text[i] == ']')) {
        break;
      }
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of("[], \n)", i), text.size());
    if (text.substr(i, end - i) != "...") {
      words.push_back({{}, i, end - i});
    }
    i = end;
  }
  return words;
}

/// Every index in the order of the text.
std::vector<Shape> shown_indices(const Shape& shape, const torch::PrintOptions& options) {
  const bool summarised = element_count(shape) > options.threshold;
  std::vector<Shape> indices = {{}};
  for (const std::int64_t size : shape) {
    std::vector<Shape> longer;
    for (const Shape& index : indices) {
      for (const std::int64_t item : shown_items(size, summarised, options.edgeitems)) {
        longer.push_back(index);
        longer.back().push_back(item);
      }
    }
    indices = std::move(longer);
  }
  return indices;
}

}  // namespace

std::vector<PrintedCell> printed_cells(std::string_view text, const Shape& shape, const torch::PrintOptions& options) {
  if (element_count(shape) == 0) {
    return {};
  }
  std::vector<PrintedCell> cells = words_of(text);
  std::vector<Shape> indices = shown_indices(shape, options);
  if (cells.size() != indices.size()) {
    throw std::logic_error("a tensor's text does not fit its shape " + shape_text(shape));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].index = std::move(indices[i]);
  }
  return cells;
}

std::string cell_name(const std::string& name, const Shape& index) {
  return index.empty() ? name : name + shape_text(index);
}

}  // namespace attn::present
