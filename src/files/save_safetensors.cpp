#include "files/save_safetensors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "render/json.hpp"

namespace attn::render {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t alignment = 8;

const char* safetensors_type(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "BOOL";
    case DType::int64: return "I64";
    case DType::float32: break;
  }
  return "F32";
}

std::int64_t byte_size(const Tensor& tensor) { return element_count(tensor.shape()) * element_size(tensor.dtype()); }

/// Copies the object's members as texts; members without a value are left out.
void add_texts(ordered_json& texts, const ordered_json& object) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      add_texts(texts, value);
    } else if (!value.is_null()) {
      texts[key] = value.is_string() ? value.get<std::string>() : json_text(value, -1);
    }
  }
}

ordered_json metadata(std::span<const ShownChapter> chapters) {
  constexpr std::size_t longest_manifest = std::size_t{1} << 20U;
  ordered_json texts;
  add_texts(texts, chapters[0].about());
  for (const ShownChapter& chapter : chapters.subspan(1)) {
    texts["chapter"] = texts["chapter"].get<std::string>() + "," + chapter.name;
  }
  const std::string manifest = json_text(manifest_of(chapters, "tensor", std::identity()), -1);
  if (manifest.size() <= longest_manifest) {
    texts["manifest"] = manifest;
  }
  return texts;
}

std::vector<SavedTensor> in_order_of_numbers(std::vector<SavedTensor> tensors) {
  std::ranges::stable_sort(tensors, std::greater(),
                           [](const SavedTensor& tensor) { return element_size(tensor.step->tensor->dtype()); });
  return tensors;
}

/// The header, preceded by its length and padded with spaces to where numbers may begin.
std::string header_text(std::span<const ShownChapter> chapters) {
  ordered_json header;
  header["__metadata__"] = metadata(chapters);
  const std::vector<SavedTensor> tensors = saved_tensors(chapters);
  for (const SavedTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", safetensors_type(tensor.step->tensor->dtype())},
                           {"shape", tensor.step->tensor->shape()}};
  }
  std::int64_t end = 0;
  for (const SavedTensor& tensor : in_order_of_numbers(tensors)) {
    const std::int64_t begin = end;
    end += byte_size(*tensor.step->tensor);
    header[tensor.name]["data_offsets"] = {begin, end};
  }
  std::string text = json_text(header, -1);
  text.append((alignment - text.size() % alignment) % alignment, ' ');
  std::string length;
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i) {
    length += static_cast<char>(text.size() >> 8U * i & 0xffU);
  }
  return length + text;
}

}  // namespace

void write_safetensors(const Target& target, std::span<const ShownChapter> chapters) {
  target.append(header_text(chapters));
  for (const SavedTensor& tensor : in_order_of_numbers(saved_tensors(chapters))) {
    stream_bytes(*tensor.step->tensor, target.append);
  }
}

}  // namespace attn::render
