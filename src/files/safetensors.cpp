#include "files/safetensors.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "files/elements.hpp"
#include "files/file.hpp"
#include "files/wrong.hpp"

namespace attn::dump {
namespace {

using nlohmann::json;

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

[[noreturn]] void throw_bad_header(const std::string& what) {
  throw Wrong("its header " + what, safetensors_again,
              R"(a header looks like {"keys": {"dtype": "F32", "shape": [6, 2], "data_offsets": [0, 48]}})");
}

/// The header, and its names in order. Throws Wrong.
json parsed_header(std::string_view text, std::vector<std::string>& names) {
  constexpr std::int64_t times_larger = 16;  // than the text, at most
  constexpr int deepest = 4;                 // deeper lists are not built
  check_memory(times_larger * static_cast<std::int64_t>(text.size()));
  std::set<std::string> known;
  const auto is_kept = [&](int depth, json::parse_event_t event, const json& value) {
    if (event == json::parse_event_t::key && depth == 1) {
      names.push_back(value.get<std::string>());
      if (!known.insert(names.back()).second) {
        throw_bad_header("has two entries named '" + names.back().substr(0, 100) + "'");
      }
    }
    return depth < deepest;
  };
  try {
    return json::parse(text, is_kept);
  } catch (const json::parse_error& error) {
    throw_bad_header("is not JSON from byte " + std::to_string(error.byte) + " on");
  }
}

/// The whole numbers of a list; empty if it is none.
std::optional<std::vector<std::uint64_t>> numbers_in(const json& list) {
  const bool has_numbers = list.is_array() && std::ranges::all_of(list, &json::is_number_unsigned);
  return has_numbers ? std::optional(list.get<std::vector<std::uint64_t>>()) : std::nullopt;
}

/// A tensor where the header places it: `begin` counts from the header's end.
Placed placed(const std::string& name, const json& entry) {
  check_name(name);
  const json dtype = entry.is_object() ? entry.value("dtype", json()) : json();
  const auto sizes = entry.is_object() ? numbers_in(entry.value("shape", json())) : std::nullopt;
  const auto offsets = entry.is_object() ? numbers_in(entry.value("data_offsets", json())) : std::nullopt;
  if (!dtype.is_string() || !sizes || !offsets || offsets->size() != 2 || entry.size() != 3) {
    throw_bad_header("does not say just dtype, shape and data_offsets of '" + name.substr(0, 100) + "'");
  }
  try {
    Shape shape;
    for (const std::uint64_t size : *sizes) {
      constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      shape.push_back(static_cast<std::int64_t>(std::min(size, largest)));
    }
    const Element element = element_of_safetensors(dtype.get<std::string>());
    const auto declared = static_cast<std::uint64_t>(byte_count(shape, element));
    const std::uint64_t begin = (*offsets)[0];
    const std::uint64_t end = (*offsets)[1];
    if (end < begin || end - begin != declared) {
      throw Wrong("its data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "] do not span the " +
                      std::to_string(declared) + " bytes of its shape " + shape_text(shape),
                  safetensors_again);
    }
    return {name, element, std::move(shape), begin, end - begin};
  } catch (const Wrong& wrong) {
    throw wrong.in(name);
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
  std::vector<std::string> names;
  const json header = parsed_header(bytes.piece(length_size, length), names);
  std::erase(names, "__metadata__");
  for (const std::string& name : names) {
    tensors.push_back(placed(name, header[name]));
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

}  // namespace attn::dump
