#include "emit/checkpoint.hpp"

#include <string_view>

#include "emit/python.hpp"

namespace attn::emit {
namespace {

constexpr std::string_view reader = R"(
class Weights(dict):
    """The tensors of .safetensors files as float32, each read when it is asked for."""

    def __init__(self, *files):
        for path in files:
            with open(path, "rb") as file:
                size = int.from_bytes(file.read(8), "little")
                for name, entry in json.loads(file.read(size)).items():
                    self[name] = (path, 8 + size, entry)

    def __getitem__(self, name):
        path, data, entry = super().__getitem__(name)
        begin, end = entry["data_offsets"]
        with open(path, "rb") as file:
            file.seek(data + begin)
            numbers = file.read(end - begin)
        if entry["dtype"] == "BF16":  # the upper half of a float32
            values = (np.frombuffer(numbers, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(numbers, {"F16": np.float16, "F32": np.float32, "F64": np.float64}[entry["dtype"]])
        return )";

std::string weights(const std::vector<std::string>& files, std::string_view result) {
  if (files.empty()) {
    return "";
  }
  std::string list;
  for (const std::string& file : files) {
    list += (list.empty() ? "" : ", ") + string_literal(file);
  }
  return std::string(reader) + std::string(result) + "\n\n\nweights = Weights(" + list + ")\n";
}

}  // namespace

std::string pytorch_weights(const std::vector<std::string>& files) {
  return weights(files, "torch.from_numpy(values.astype(np.float32)).reshape(entry[\"shape\"])");
}

std::string numpy_weights(const std::vector<std::string>& files) {
  return weights(files, "values.astype(np.float32).reshape(entry[\"shape\"])");
}

}  // namespace attn::emit
