#include "files/write/save.hpp"

#include <algorithm>
#include <bit>
#include <variant>

#include <zlib.h>
#include <nlohmann/json.hpp>

#include "render/json.hpp"
#include "render/writers.hpp"

namespace attn::render {
namespace {

using files::little_endian_bytes;
using nlohmann::ordered_json;

std::string saved_name(const ShownChapter& chapter, const Step& step, bool is_one_of_several) {
  return (is_one_of_several ? chapter.name + "/" : "") + full_name(step);
}

const Step& only_tensor(std::span<const ShownChapter> chapters) {
  return *std::ranges::find(chapters[0].steps, Step::Kind::tensor, &Step::kind);
}

constexpr std::uint64_t in_zip64 = 0xffff'ffff;  // from here on a size or a position stands in a field of 64 bits

std::string bytes2(std::uint64_t number) { return little_endian_bytes(number, 2); }
std::string bytes4(std::uint64_t number) { return little_endian_bytes(number, 4); }
std::string bytes8(std::uint64_t number) { return little_endian_bytes(number, 8); }

/// Writes a zip archive of stored files.
class ZipWriter {
 public:
  explicit ZipWriter(const Sink& sink) : sink_(sink) {}

  void add(const std::string& name, const Tensor& tensor) {
    const std::string npy = npy_header(tensor);
    const std::uint64_t size =
        npy.size() + static_cast<std::uint64_t>(element_count(tensor.shape()) * element_size(tensor.dtype()));
    uLong checksum = crc32(0, nullptr, 0);
    const auto add_to_checksum = [&](std::string_view bytes) {
      checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    };
    add_to_checksum(npy);
    stream_bytes(tensor, add_to_checksum);

    const bool is_large = size >= in_zip64;
    const bool is_far = position_ >= in_zip64;
    const std::string sizes = is_large ? bytes8(size) + bytes8(size) : "";
    const std::string short_size = bytes4(is_large ? in_zip64 : size);
    const std::string version = bytes2(is_large ? 45 : 20);
    // No flags, stored, at midnight of 1 January 1980, as numpy does.
    const std::string facts =
        bytes2(0) + bytes2(0) + bytes2(0) + bytes2(0x21) + bytes4(checksum) + short_size + short_size;
    const std::string far = sizes + (is_far ? bytes8(position_) : "");
    directory_ += "PK\x01\x02" + bytes2(0) + version + facts + bytes2(name.size()) + extra_size(far) + bytes2(0) +
                  bytes2(0) + bytes2(0) + bytes4(0) + bytes4(is_far ? in_zip64 : position_) + name + extra(far);
    ++count_;
    write("PK\x03\x04" + version + facts + bytes2(name.size()) + extra_size(sizes) + name + extra(sizes) + npy);
    stream_bytes(tensor, [this](std::string_view numbers) { write(numbers); });
  }

  void finish() {
    const std::uint64_t begin = position_;
    const std::uint64_t size = directory_.size();
    std::uint64_t count = count_;
    write(directory_);
    if (count >= 0xffff || begin >= in_zip64) {
      const std::string end = bytes8(position_);
      write("PK\x06\x06" + bytes8(44) + bytes2(45) + bytes2(45) + bytes4(0) + bytes4(0) + bytes8(count) +
            bytes8(count) + bytes8(size) + bytes8(begin));
      write("PK\x06\x07" + bytes4(0) + end + bytes4(1));
    }
    count = std::min<std::uint64_t>(count, 0xffff);
    write("PK\x05\x06" + bytes4(0) + bytes2(count) + bytes2(count) + bytes4(size) + bytes4(std::min(begin, in_zip64)) +
          bytes2(0));
  }

 private:
  static std::string extra_size(const std::string& wide) { return bytes2(wide.empty() ? 0 : 4 + wide.size()); }
  static std::string extra(const std::string& wide) {
    return wide.empty() ? "" : bytes2(1) + bytes2(wide.size()) + wide;
  }

  void write(std::string_view bytes) {
    sink_(bytes);
    position_ += bytes.size();
  }

  const Sink& sink_;
  std::string directory_;
  std::uint64_t count_ = 0;
  std::uint64_t position_ = 0;
};

constexpr std::size_t alignment = 8;

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
    header[tensor.name] = {{"dtype", saved_encoding(*tensor.step->tensor).safetensors},
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
  return files::little_endian_bytes(text.size(), sizeof(std::uint64_t)) + text;
}

}  // namespace

const files::Encoding& saved_encoding(const Tensor& tensor) {
  return files::encoding_of(&files::Encoding::name, dtype_name(tensor.dtype()));
}

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

ordered_json manifest_of(std::span<const ShownChapter> chapters, const std::string& place_key,
                         const std::function<std::string(const std::string& name)>& place_of) {
  ordered_json manifests = ordered_json::array();
  for (const ShownChapter& chapter : chapters) {
    ordered_json manifest = chapter.about();
    manifest["steps"] = ordered_json::array();
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
  constexpr std::size_t header_alignment = 64;
  constexpr std::size_t before_text = 10;
  const files::Encoding& encoding = saved_encoding(tensor);
  std::string text = "{'descr': '" + std::string(encoding.size == 1 ? "|" : "<") + std::string(encoding.numpy) +
                     "', 'fortran_order': False, 'shape': " + tuple_text(tensor.shape()) + ", }";
  text.append(header_alignment - 1 - (before_text + text.size()) % alignment, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\0", before_text - 2) + files::little_endian_bytes(text.size(), 2) + text;
}

void stream_bytes(const Tensor& tensor, const Sink& use) {
  static_assert(std::endian::native == std::endian::little && sizeof(bool) == 1);
  tensor.each_part([&](const Array& rows) {
    const auto contents = rows.contents();
    std::visit(
        [&](const auto& values) {
          use({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(*values.data())});
        },
        *contents);
  });
}

void write_one_npy(const Sink& sink, std::span<const ShownChapter> chapters) {
  const Tensor& tensor = *only_tensor(chapters).tensor;
  sink(npy_header(tensor));
  stream_bytes(tensor, sink);
}

void write_one_csv(const Sink& sink, std::span<const ShownChapter> chapters) {
  write_csv_rows(sink, only_tensor(chapters));
}

void write_npz(const Sink& sink, std::span<const ShownChapter> chapters) {
  ZipWriter zip(sink);
  for (const SavedTensor& saved : saved_tensors(chapters)) {
    zip.add(saved.name + ".npy", *saved.step->tensor);
  }
  zip.finish();
}

void write_safetensors(const Sink& sink, std::span<const ShownChapter> chapters) {
  sink(header_text(chapters));
  for (const SavedTensor& tensor : in_order_of_numbers(saved_tensors(chapters))) {
    stream_bytes(*tensor.step->tensor, sink);
  }
}

}  // namespace attn::render
