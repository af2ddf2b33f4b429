#include "files/saved.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <variant>

#include <nlohmann/json.hpp>

namespace attn::render {
namespace {

std::string saved_name(const ShownChapter& chapter, const Step& step, bool is_one_of_several) {
  return (is_one_of_several ? chapter.name + "/" : "") + full_name(step);
}

std::string_view numpy_type(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "|b1";
    case DType::int64: return "<i8";
    case DType::float32: break;
  }
  return "<f4";
}

}  // namespace

std::vector<SavedTensor> saved_tensors(std::span<const ShownChapter> chapters) {
  std::vector<SavedTensor> tensors;
  for (const ShownChapter& chapter : chapters) {
    for (const Step& step : chapter.all_steps) {
      if (step.kind == Step::Kind::tensor) {
        tensors.push_back({saved_name(chapter, step, chapters.size() > 1), &step});
      }
    }
  }
  return tensors;
}

nlohmann::ordered_json manifest_of(std::span<const ShownChapter> chapters, const std::string& place_key,
                                   const std::function<std::string(const std::string& name)>& place_of) {
  nlohmann::ordered_json manifests = nlohmann::ordered_json::array();
  for (const ShownChapter& chapter : chapters) {
    nlohmann::ordered_json manifest = chapter.about();
    manifest["steps"] = nlohmann::ordered_json::array();
    for (const Step& step : chapter.all_steps) {
      if (step.kind != Step::Kind::tensor) {
        continue;
      }
      manifest["steps"].push_back({
          {"section", step.section},
          {"name", step.name},
          {"label", step.label},
          {"expression", step.tensor->expression()},
          {"inputs", step.tensor->inputs()},
          {"shape", step.tensor->shape()},
          {"dtype", dtype_name(step.tensor->dtype())},
          {place_key, place_of(saved_name(chapter, step, chapters.size() > 1))},
      });
    }
    manifests.push_back(std::move(manifest));
  }
  return chapters.size() > 1 ? manifests : manifests[0];
}

std::string npy_header(const Tensor& tensor) {
  constexpr std::size_t alignment = 64;
  constexpr std::size_t before_text = 10;
  std::string text = "{'descr': '" + std::string(numpy_type(tensor.dtype())) +
                     "', 'fortran_order': False, 'shape': " + tuple_text(tensor.shape()) + ", }";
  text.append(alignment - 1 - (before_text + text.size()) % alignment, ' ');
  text += '\n';
  const std::size_t size = text.size();
  return std::string("\x93NUMPY\x01\0", before_text - 2) + static_cast<char>(size & 0xffU) +
         static_cast<char>(size >> 8U) + text;
}

namespace {

void use_bytes(const Array& array, const Sink& use) {
  static_assert(std::endian::native == std::endian::little && sizeof(bool) == 1);
  const auto contents = array.contents();
  std::visit(
      [&](const auto& values) {
        use({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(*values.data())});
      },
      *contents);
}

}  // namespace

void stream_bytes(const Tensor& tensor, const Sink& use) {
  tensor.each_part([&](const Array& rows) { use_bytes(rows, use); });
}

}  // namespace attn::render
