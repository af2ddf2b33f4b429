#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "text/lines.hpp"
#include "verify/bound/mapped.hpp"
#include "verify/program/value_parts.hpp"

/// Operations of a listing that sum products, rows and parts of rows.
namespace attn::verify {
namespace {

/// The letters of "bqd,bkd->bqk".
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

std::optional<Equation> equation_of(std::string text) {
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos || text.find('.') != std::string::npos) {
    return std::nullopt;
  }
  return Equation{text::split(text.substr(0, arrow)), text.substr(arrow + 2)};
}

using Sizes = std::map<char, std::int64_t>;

/// The index of an operand where each letter has its number.
Shape index_of(const std::string& letters, const Sizes& numbers) {
  Shape index;
  for (const char letter : letters) {
    index.push_back(numbers.at(letter));
  }
  return index;
}

}  // namespace

Value contracted(const Passed& given) {
  const auto equation = given.plain.empty() ? std::nullopt : equation_of(given.plain[0].string.value_or(""));
  if (!equation || equation->operands.size() != given.plain.size() - 1) {
    return {};
  }
  // 1. The size of each letter.
  std::vector<Tensor> tensors;
  Sizes sizes;
  for (const std::string& letters : equation->operands) {
    const auto& tensor = given.plain[tensors.size() + 1].tensor;
    if (!tensor || std::ssize(letters) != tensor->dim() || tensor->dtype() != DType::float32) {
      return {};
    }
    tensors.push_back(*tensor);
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      const auto [entry, is_new] = sizes.try_emplace(letters[axis], tensor->shape()[axis]);
      if (!is_new && entry->second != tensor->shape()[axis]) {
        return {};
      }
    }
  }
  // 2. What is summed over.
  Shape shape;
  Shape summed_shape;
  std::string summed;
  for (const auto& [letter, size] : sizes) {
    if (equation->result.find(letter) == std::string::npos) {
      summed += letter;
      summed_shape.push_back(size);
    }
  }
  for (const char letter : equation->result) {
    if (!sizes.contains(letter)) {
      return {};
    }
    shape.push_back(sizes[letter]);
  }
  if (element_count(shape) * element_count(summed_shape) > most_listed) {
    return {};
  }
  const std::string begin = "torch.einsum(\"" + *given.plain[0].string + "\", ";
  return value_of(mapped(tensors, shape,
                         {[begin](const auto& of) { return begin + text::joined(of, ", ") + ")"; },
                          [=, equation = *equation](const Shape& index) {
                            Sizes numbers;
                            for (std::size_t axis = 0; axis < index.size(); ++axis) {
                              numbers[equation.result[axis]] = index[axis];
                            }
                            std::vector<Element> elements;
                            for (std::int64_t i = 0; i < element_count(summed_shape); ++i) {
                              const Shape at = index_at(i, summed_shape);
                              for (std::size_t k = 0; k < summed.size(); ++k) {
                                numbers[summed[k]] = at[k];
                              }
                              for (std::size_t k = 0; k < equation.operands.size(); ++k) {
                                elements.push_back({k, index_of(equation.operands[k], numbers)});
                              }
                            }
                            return elements;
                          },
                          [count = tensors.size()](std::span<const Interval> of) {
                            Interval sum;
                            for (; !of.empty(); of = of.subspan(count)) {
                              Interval product = of[0];
                              for (const Interval& factor : of.subspan(1, count - 1)) {
                                product = times(product, factor);
                              }
                              sum = {sum.low + product.low, sum.high + product.high};
                            }
                            return sum;
                          }}));
}

Value added_product(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const auto scaled = [&](const Value& of, std::string_view factor) {
    const Value number = given.get(factor, 99);
    return number.number ? combined("*", of, number) : of;
  };
  const Value product = combined("@", given.get("batch1", "mat1", 1), given.get("batch2", "mat2", 2));
  return combined("+", scaled(value_of(x), "beta"), scaled(product, "alpha"));
}

Value parted(std::string_view function, const Passed& given, const Tensor& x) {
  const Value number = given.get("chunks", "split_size", 1);
  const auto axis = axis_of(given, 2, x.dim(), 0);
  if (!axis || !number.number || *number.number < 1 || x.dim() == 0) {
    return {};
  }
  const std::int64_t size = x.size(*axis);
  const std::int64_t n = whole(*number.number);
  const std::int64_t step = function == "chunk" ? (size + n - 1) / n : n;
  Value parts;
  constexpr std::int64_t most = 64;
  for (std::int64_t begin = 0; begin < size && size / step <= most; begin += step) {
    parts.items.push_back(value_of(slice(x, *axis, begin, std::min(begin + step, size))));
  }
  return parts;
}

Value normalised(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const Value sizes = given.get("normalized_shape", 1);
  const double size = sizes.number ? *sizes.number : sizes.items.size() == 1 ? sizes.items[0].number.value_or(0) : 0;
  const double eps = given.get("eps", 2).number.value_or(1e-5);
  if (x.dim() == 0 || x.dtype() != DType::float32 || static_cast<double>(x.size(-1)) != size) {
    return {};
  }
  const Tensor made = multiply(subtract(x, layer_norm_mean(x)), layer_norm_factor(x, eps));
  return renamed(made, "nn.LayerNorm(" + std::to_string(x.size(-1)) + ")(" + x.words() + ")");
}

}  // namespace attn::verify
