#include "files/safetensors.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "files/elements.hpp"
#include "files/file.hpp"
#include "files/safetensors_header.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

constexpr std::size_t length_size = 8;
constexpr std::uint64_t largest_header = 100'000'000;  // the limit in the format's own library
const std::string safetensors_again = "write it again with safetensors.numpy.save_file(tensors, path)";

std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = length_size; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

Element element_of_safetensors(const std::string& dtype) {
  using Kind = Element::Kind;
  constexpr std::pair<std::string_view, Element> known[] = {
      {"BOOL", {Kind::boolean, 1}},         {"I8", {Kind::signed_integer, 1}},    {"I16", {Kind::signed_integer, 2}},
      {"I32", {Kind::signed_integer, 4}},   {"I64", {Kind::signed_integer, 8}},   {"U8", {Kind::unsigned_integer, 1}},
      {"U16", {Kind::unsigned_integer, 2}}, {"U32", {Kind::unsigned_integer, 4}}, {"U64", {Kind::unsigned_integer, 8}},
      {"F16", {Kind::floating, 2}},         {"F32", {Kind::floating, 4}},         {"F64", {Kind::floating, 8}},
      {"BF16", {Kind::brain_floating, 2}},
  };
  for (const auto& [name, element] : known) {
    if (dtype == name) {
      return element;
    }
  }
  throw Wrong("it holds numbers of dtype '" + dtype.substr(0, 20) + "'", "convert it to F32 first", accepted_dtypes);
}

/// A tensor where the header places it: `begin` counts from the header's end.
Placed placed(SafetensorsEntry entry) {
  check_name(entry.name);
  try {
    Shape shape;
    for (const std::uint64_t size : entry.shape) {
      constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      shape.push_back(static_cast<std::int64_t>(std::min(size, largest)));
    }
    const Element element = element_of_safetensors(entry.dtype);
    const auto declared = static_cast<std::uint64_t>(byte_count(shape, element));
    const std::uint64_t begin = entry.offsets[0];
    const std::uint64_t end = entry.offsets[1];
    if (end < begin || end - begin != declared) {
      throw Wrong("its data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "] do not span the " +
                      std::to_string(declared) + " bytes of its shape " + shape_text(shape),
                  safetensors_again);
    }
    return {std::move(entry.name), element, std::move(shape), begin, end - begin};
  } catch (const Wrong& wrong) {
    throw wrong.in(entry.name);
  }
}

/// Throws Wrong if the tensors leave gaps, overlap, or do not end at the file's end.
void check_layout(const std::vector<Placed>& tensors, std::size_t size) {
  std::vector<const Placed*> in_order;
  for (const Placed& tensor : tensors) {
    in_order.push_back(&tensor);
  }
  std::ranges::sort(in_order, {}, [](const Placed* tensor) { return std::pair(tensor->begin, tensor->size); });
  std::uint64_t end = 0;
  for (const Placed* tensor : in_order) {
    if (tensor->begin != end) {
      throw Wrong("'" + tensor->name + "' begins at byte " + std::to_string(tensor->begin) + ", where " +
                      (tensor->begin < end ? "another tensor is" : "the one before ends at " + std::to_string(end)),
                  safetensors_again, "tensors must follow each other without gaps");
    }
    end = tensor->begin + tensor->size;
  }
  if (end != size) {
    throw Wrong((end > size ? "cut short: " : "bytes after its last tensor: ") + std::to_string(end) +
                    " bytes of numbers are declared, but it has " + std::to_string(size),
                safetensors_again);
  }
}

}  // namespace

bool looks_like_safetensors(std::string_view bytes, std::int64_t size) {
  return bytes.size() > length_size && bytes[length_size] == '{' && header_length(bytes) <= largest_header &&
         header_length(bytes) <= static_cast<std::uint64_t>(size) - length_size;
}

std::vector<Placed> safetensors_contents(const Bytes& bytes) {
  if (bytes.size() < length_size) {
    throw Wrong("cut short: it has " + std::to_string(bytes.size()) + " bytes", safetensors_again);
  }
  const std::uint64_t length = header_length(bytes.piece(0, length_size));
  const std::size_t rest = bytes.size() - length_size;
  if (length > largest_header || length > rest || bytes.piece(length_size, 1) != "{") {
    throw Wrong("it does not begin like a .safetensors file: its header would have " + std::to_string(length) +
                    " bytes, and " + std::to_string(rest) + " are there",
                safetensors_again);
  }
  std::vector<Placed> tensors;
  for (SafetensorsEntry& entry : parse_safetensors_header(bytes.piece(length_size, length))) {
    tensors.push_back(placed(std::move(entry)));
  }
  const std::size_t data = length_size + length;
  check_layout(tensors, bytes.size() - data);
  if (tensors.empty()) {
    throw Wrong("it has no tensor", safetensors_again);
  }
  for (Placed& tensor : tensors) {
    tensor.begin += data;
  }
  return tensors;
}

std::vector<Dumped> parse_safetensors(const Bytes& bytes, const Wanted& wanted) {
  std::vector<Dumped> result;
  for (Placed& tensor : safetensors_contents(bytes)) {
    if (wanted({tensor.name, tensor.shape, dtype_name(tensor.element)})) {
      std::vector<double> values = numbers_of(bytes, tensor.begin, tensor.size, tensor.element);
      result.push_back(
          {std::move(tensor.name), std::move(tensor.shape), dtype_name(tensor.element), std::move(values)});
    }
  }
  return result;
}

}  // namespace attn::files
