#include <algorithm>
#include <optional>

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

/// A list of sizes or positions; empty if the JSON is anything else.
std::optional<Shape> integers(const json& list) {
  const auto is_integer = [](const json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() >> 63U == 0;
  };
  return list.is_array() && std::all_of(list.begin(), list.end(), is_integer) ? std::optional(list.get<Shape>())
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
  return within(name, [&]() -> Placed {
    const Encoding& encoding = encoding_of(&Encoding::safetensors, dtype.get<std::string>());
    const std::int64_t declared = byte_count(*sizes, encoding);
    const auto [begin, end] = std::pair((*offsets)[0], (*offsets)[1]);
    if (end < begin || end - begin != declared) {
      throw Wrong("its data_offsets " + shape_text(*offsets) + " do not span the " + std::to_string(declared) +
                      " bytes of its shape " + shape_text(*sizes),
                  safetensors_again);
    }
    return {name, &encoding, *sizes, static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(declared)};
  });
}

/// Parses {"keys": {"dtype": "F32", "shape": [6, 2], "data_offsets": [0, 48]}, ...}, without "__metadata__".
std::vector<Placed> parse_header(const std::string& text) {
  constexpr int most_levels = 4;
  constexpr std::int64_t times_larger = 24;  // parsed JSON takes at most about this many times the text's memory
  check_memory(times_larger * static_cast<std::int64_t>(text.size()));
  std::vector<std::string> names;
  const auto add_name = [&](int depth, json::parse_event_t event, const json& value) {
    if (depth == 1 && event == json::parse_event_t::key) {
      names.push_back(value.get<std::string>());
    }
    return depth < most_levels;
  };
  const json header = json::parse(text, add_name, false);
  if (header.is_discarded()) {
    throw_bad_header("is not JSON");
  }
  std::vector<Placed> tensors;
  for (const std::string& name : names) {
    if (name != "__metadata__") {
      tensors.push_back(placed(name, header[name]));
    }
  }
  return tensors;
}

}  // namespace

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
  if (tensors.empty()) {
    throw Wrong("it has no tensor", safetensors_again);
  }
  for (Placed& tensor : tensors) {
    if (tensor.begin + tensor.size > bytes.size() - data) {
      throw Wrong("cut short: " + std::to_string(tensor.begin + tensor.size) +
                      " bytes of numbers are declared, but it has " + std::to_string(bytes.size() - data),
                  safetensors_again);
    }
    tensor.begin += data;
  }
  return tensors;
}

std::vector<Dumped> parse_safetensors(const Bytes& bytes, const std::string& /*name*/, const Wanted& wanted) {
  std::vector<Dumped> result;
  for (Placed& tensor : safetensors_contents(bytes)) {
    if (wanted({tensor.name, tensor.shape, std::string(tensor.encoding->name)})) {
      std::vector<double> values = numbers_of(bytes, tensor.begin, tensor.size, *tensor.encoding);
      result.push_back(
          {std::move(tensor.name), std::move(tensor.shape), std::string(tensor.encoding->name), std::move(values)});
    }
  }
  return result;
}

}  // namespace attn::files
