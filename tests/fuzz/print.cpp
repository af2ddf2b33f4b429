#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "targets.hpp"
#include "torch/print.hpp"
#include "verify/page/page.hpp"

namespace attn::fuzz {
namespace {

/// Numbers out of a fuzzer's bytes, zeros behind their end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  requires std::is_arithmetic_v<Number> Number take() {
    Number number = 0;
    const std::size_t size = std::min(sizeof number, bytes_.size());
    std::memcpy(&number, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return number;
  }

 private:
  std::string_view bytes_;
};

/// Mostly small numbers, now and then any.
std::int64_t taken_size(Bytes& bytes) {
  const auto small = bytes.take<std::int8_t>();
  return small == 127 ? bytes.take<std::int64_t>() : small;
}

torch::PrintOptions taken_options(Bytes& bytes) {
  torch::PrintOptions options;
  options.precision = bytes.take<std::uint8_t>() % 128;
  options.threshold = taken_size(bytes);
  options.edgeitems = std::max<std::int64_t>(taken_size(bytes), 0);
  options.linewidth = taken_size(bytes);
  options.sci_mode = static_cast<torch::SciMode>(bytes.take<std::uint8_t>() % 3);
  return options;
}

Shape taken_shape(Bytes& bytes) {
  constexpr unsigned most_axes = 5;
  constexpr unsigned most_items = 7;
  Shape shape(bytes.take<std::uint8_t>() % (most_axes + 1));
  for (std::int64_t& size : shape) {
    size = bytes.take<std::uint8_t>() % (most_items + 1);
  }
  return shape;
}

template <class Number>
Block<Number> taken_numbers(Bytes& bytes, const Shape& shape) {
  Block<Number> block(shape);
  for (Number& number : block) {
    if constexpr (std::is_same_v<Number, bool>) {
      number = bytes.take<std::uint8_t>() % 2 == 1;
    } else {
      number = bytes.take<Number>();
    }
  }
  return block;
}

Contents taken_contents(Bytes& bytes) {
  const auto dtype = static_cast<DType>(bytes.take<std::uint8_t>() % 3);
  const Shape shape = taken_shape(bytes);
  switch (dtype) {
    case DType::boolean: return taken_numbers<bool>(bytes, shape);
    case DType::int64: return taken_numbers<std::int64_t>(bytes, shape);
    case DType::float32: break;
  }
  return taken_numbers<float>(bytes, shape);
}

/// Half a unit of the last digit away from the number, at most.
void check_text(const std::string& text, double number) {
  const auto read = verify::parse_cell(text);
  require(read.has_value(), "a number's text is a number: " + text);
  if (std::isfinite(number)) {
    const double most = read->unit / 2 * (1 + 1e-6) + std::abs(number) * 1e-15;
    require(std::abs(read->value - number) <= most, "a number's text is the nearest: " + text);
  } else {
    require(std::isnan(number) ? std::isnan(read->value) : read->value == number, "what is infinite stays so: " + text);
  }
}

void check_cells(const Contents& contents, const torch::PrintedTensor& printed) {
  std::size_t end = 0;
  std::int64_t after = 0;
  for (const torch::PrintedCell& cell : printed.cells) {
    require(cell.offset >= end && cell.position >= after, "cells stand one behind the other");
    end = cell.offset + cell.size;
    after = cell.position + 1;
    require(end <= printed.text.size(), "a cell is in the text");
    std::visit(
        [&](const auto& values) {
          check_text(torch::cell_text(printed, cell),
                     static_cast<double>(values[static_cast<std::size_t>(cell.position)]));
        },
        contents);
  }
}

}  // namespace

void print(std::string_view bytes) {
  Bytes rest(bytes);
  const torch::PrintOptions options = taken_options(rest);
  const std::vector<std::string> suffixes(rest.take<std::uint8_t>() % 3, "grad_fn=<MulBackward0>");
  const Contents contents = taken_contents(rest);
  const torch::PrintedTensor printed = torch::print_tensor(contents, suffixes, options);
  require(printed.text == torch::format_tensor(contents, suffixes, options), "both write the same text");
  require(printed.text.starts_with("tensor(") && printed.text.ends_with(")"), "it is a tensor's text");
  require_clean(printed.text, "a tensor");
  check_cells(contents, printed);
}

}  // namespace attn::fuzz
