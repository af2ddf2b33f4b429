#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "files/read/formats.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

using nlohmann::json;

constexpr std::size_t length_size = 8;
constexpr std::uint64_t largest_header = 100'000'000;  // the limit in the format's own library
const std::string safetensors_again = "write it again with safetensors.numpy.save_file(tensors, path)";

[[noreturn]] void throw_bad_header(const std::string& what) {
  throw Wrong("its header " + what, safetensors_again,
              R"(a header looks like {"keys": {"dtype": "F32", "shape": [6, 2], "data_offsets": [0, 48]}})");
}

/// A list of integers; empty if the JSON is anything else.
std::optional<std::vector<std::uint64_t>> integers(const json& list) {
  const auto is_integer = [](const json& value) { return value.is_number_unsigned(); };
  return list.is_array() && std::all_of(list.begin(), list.end(), is_integer)
             ? std::optional(list.get<std::vector<std::uint64_t>>())
             : std::nullopt;
}

/// A tensor where the header places it: `begin` counts from the header's end.
Placed placed(const std::string& name, const json& entry) {
  check_name(name);
  const json known = entry.is_object() ? entry : json::object();
  const auto sizes = integers(known.value("shape", json()));
  const auto offsets = integers(known.value("data_offsets", json()));
  const json dtype = known.value("dtype", json());
  if (known.size() != 3 || !dtype.is_string() || !sizes || !offsets || offsets->size() != 2) {
    throw_bad_header("does not say dtype, shape and data_offsets of '" + name.substr(0, 100) + "', and these alone");
  }
  try {
    const Encoding* encoding = find_encoding(&Encoding::safetensors, dtype.get<std::string>());
    if (encoding == nullptr) {
      throw Wrong("it holds numbers of dtype '" + dtype.get<std::string>().substr(0, 20) + "'",
                  "convert it to F32 first", accepted_dtypes);
    }
    Shape shape;
    for (const std::uint64_t size : *sizes) {
      constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      shape.push_back(static_cast<std::int64_t>(std::min(size, largest)));
    }
    const auto declared = static_cast<std::uint64_t>(byte_count(shape, encoding->element));
    const auto [begin, end] = std::pair((*offsets)[0], (*offsets)[1]);
    if (end < begin || end - begin != declared) {
      throw Wrong("its data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "] do not span the " +
                      std::to_string(declared) + " bytes of its shape " + shape_text(shape),
                  safetensors_again);
    }
    return {name, encoding->element, std::move(shape), begin, end - begin};
  } catch (const Wrong& wrong) {
    throw wrong.in(name);
  }
}

/// Parses {"keys": {"dtype": "F32", "shape": [6, 2], "data_offsets": [0, 48]}, ...}, without "__metadata__".
std::vector<Placed> parse_header(const std::string& text) try {
  constexpr int most_nested = 3;
  constexpr std::int64_t times_larger = 24;  // parsed JSON takes at most about this many times the text's memory
  check_memory(times_larger * static_cast<std::int64_t>(text.size()));
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  const auto check = [&](int depth, json::parse_event_t event, const json& value) {
    using Event = json::parse_event_t;
    if (depth == 1 && event == Event::key) {
      names.push_back(value.get<std::string>());
      if (!seen.insert(names.back()).second) {
        throw_bad_header("has two entries named '" + names.back().substr(0, 100) + "'");
      }
    }
    if (depth == most_nested && (event == Event::object_start || event == Event::array_start)) {
      throw_bad_header("has a list or an object in a list");
    }
    return true;
  };
  const json header = json::parse(text, check);
  std::vector<Placed> tensors;
  for (const std::string& name : names) {
    if (name != "__metadata__") {
      tensors.push_back(placed(name, header[name]));
    }
  }
  return tensors;
} catch (const json::parse_error& error) {
  throw_bad_header("is not JSON from byte " + std::to_string(error.byte) + " on");
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

bool looks_like_safetensors(const Beginning& beginning) {
  if (beginning.bytes.size() <= length_size || beginning.bytes[length_size] != '{') {
    return false;
  }
  const std::uint64_t length = little_endian(beginning.bytes.substr(0, length_size));
  return length <= largest_header && length <= static_cast<std::uint64_t>(beginning.size) - length_size;
}

std::vector<Placed> safetensors_contents(const Bytes& bytes) {
  if (bytes.size() < length_size) {
    throw Wrong("cut short: it has " + std::to_string(bytes.size()) + " bytes", safetensors_again);
  }
  const std::uint64_t length = little_endian(bytes.piece(0, length_size));
  const std::size_t rest = bytes.size() - length_size;
  if (length > largest_header || length > rest || bytes.piece(length_size, 1) != "{") {
    throw Wrong("it does not begin like a .safetensors file: its header would have " + std::to_string(length) +
                    " bytes, and " + std::to_string(rest) + " are there",
                safetensors_again);
  }
  std::vector<Placed> tensors = parse_header(bytes.piece(length_size, length));
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

std::vector<Dumped> parse_safetensors(const Bytes& bytes, const std::string& /*name*/, const Wanted& wanted) {
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
