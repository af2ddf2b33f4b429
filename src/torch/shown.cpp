#include "torch/shown.hpp"

namespace attn::torch {
namespace {

ShownItems edges_of(std::int64_t size, std::int64_t edge) {
  if (edge >= size - size / 2) {
    return {size, size, size, false};
  }
  return {edge, size - edge, size, true};
}

}  // namespace

std::vector<ShownItems> shown_items(const Shape& shape, const PrintOptions& options) {
  const bool is_summarised = element_count(shape) > options.threshold;
  std::vector<ShownItems> axes;
  for (const std::int64_t size : shape) {
    axes.push_back(edges_of(size, is_summarised ? options.edgeitems : size));
  }
  return axes;
}

}  // namespace attn::torch
