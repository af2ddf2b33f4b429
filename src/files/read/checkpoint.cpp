#include "files/read/checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <nlohmann/json.hpp>

#include "files/read/formats.hpp"
#include "files/wrong.hpp"
#include "text/numbers.hpp"

namespace attn::files {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* single_file = "model.safetensors";
constexpr const char* index_file = "model.safetensors.index.json";
constexpr const char* accepted_checkpoints =
    "give a .safetensors file, model.safetensors.index.json, or a folder with either";
constexpr const char* download_again = "download it again, with all its files";
constexpr const char* save_model_again =
    "save it with safetensors.torch.save_file(model.state_dict(), 'model.safetensors')";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

void add_settings(const json& object, const std::string& before, int depth, Settings& settings) {
  constexpr int deepest = 8;
  for (const auto& [key, value] : object.items()) {
    const std::string name = before + key;
    if (value.is_structured()) {
      depth < deepest ? add_settings(value, name + ".", depth + 1, settings) : void();
    } else if (value.is_string()) {
      settings.words[name] = value.get<std::string>();
    } else if (value.is_number() || value.is_boolean()) {
      settings.numbers[name] = value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>();
    }
  }
}

}  // namespace

Checkpoint::Checkpoint(const fs::path& path) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  folder_ = is_folder ? path : path.parent_path();
  if (is_folder ? is_file(path / index_file) : has_extension(path, ".json")) {
    open_index(is_folder ? path / index_file : path);
    return;
  }
  if (is_folder && !is_file(path / single_file)) {
    naming(path, [&] {
      throw Wrong("it has neither " + std::string(single_file) + " nor " + index_file, save_model_again,
                  accepted_checkpoints);
    });
  }
  open_single(is_folder ? path / single_file : path);
}

void Checkpoint::open_single(const fs::path& path) {
  for (const Placed& tensor : opened(path).tensors) {
    files_.emplace(tensor.name, path);
  }
}

/// Reads which file has which tensor. The files need not be there until they are asked for.
void Checkpoint::open_index(const fs::path& path) {
  naming(path, [&] {
    const json index = json_object(path);
    const auto map = index.find("weight_map");
    if (map == index.end() || !map->is_object() || map->empty()) {
      throw Wrong("it has no \"weight_map\"", "give model.safetensors.index.json, or a .safetensors file",
                  accepted_checkpoints);
    }
    for (const auto& [name, file] : map->items()) {
      check_name(name);
      if (!file.is_string() || fs::path(file.get<std::string>()).has_parent_path()) {
        throw Wrong("its file for '" + name.substr(0, 100) + "' is not a name in its folder", download_again,
                    accepted_checkpoints);
      }
      files_.emplace(name, path.parent_path() / file.get<std::string>());
    }
  });
}

std::vector<std::string> Checkpoint::names() const {
  std::vector<std::string> names;
  std::ranges::transform(files_, std::back_inserter(names), [](const auto& one) { return one.first; });
  return names;
}

const Checkpoint::Opened& Checkpoint::opened(const fs::path& path) {
  std::unique_ptr<Opened>& file = opened_[path];
  if (!file) {
    file = naming(path, [&] { return std::make_unique<Opened>(path); });
  }
  return *file;
}

const Placed& Checkpoint::placed(const std::string& name) {
  const fs::path& path = files_.at(name);
  const std::vector<Placed>& tensors = opened(path).tensors;
  const auto found = std::ranges::find(tensors, name, &Placed::name);
  if (found == tensors.end()) {
    naming(path, [&] {
      throw Wrong("it has no tensor '" + name + "', but the index says so", download_again, accepted_checkpoints);
    });
  }
  return *found;
}

Heading Checkpoint::heading(const std::string& name) {
  const Placed& tensor = placed(name);
  return {name, tensor.shape, std::string(tensor.encoding->name)};
}

Block<float> Checkpoint::numbers(const std::string& name) {
  const Shape& shape = placed(name).shape;
  return numbers(name, shape, 0);
}

Block<float> Checkpoint::rows(const std::string& name, std::int64_t begin, std::int64_t end) {
  Shape shape = placed(name).shape;
  shape.at(0) = end - begin;
  const std::int64_t first = end > begin ? begin * (element_count(shape) / (end - begin)) : 0;
  return numbers(name, shape, static_cast<std::size_t>(first));
}

Block<float> Checkpoint::numbers(const std::string& name, const Shape& shape, std::size_t first) {
  const Placed& tensor = placed(name);
  const fs::path& path = files_.at(name);
  return naming(path, [&] {
    check_memory(element_count(shape) * element_size(DType::float32));
    Block<float> numbers = Block<float>::unwritten(shape);
    const auto size = static_cast<std::size_t>(tensor.encoding->size);
    std::size_t next = 0;
    std::vector<double> some;
    opened(path).bytes.each_piece(tensor.begin + first * size, numbers.size() * size, [&](std::string_view piece) {
      some.clear();
      append_numbers(piece, *tensor.encoding, some);
      for (const double number : some) {
        const auto value = static_cast<float>(number);
        if (!std::isfinite(value)) {
          const Shape place = index_at(static_cast<std::int64_t>(first + next), tensor.shape);
          throw Wrong(name + shape_text(place) + " is " + text::shortest_text(number),
                      "correct it and write the file again", "all numbers must be finite in float32");
        }
        numbers[next++] = value;
      }
    });
    return numbers;
  });
}

Settings read_settings(const fs::path& path) {
  return naming(path, [&] {
    Settings settings;
    const json config = json_object(path);
    // Models that also see or hear have the settings of their language model within.
    add_settings(config.contains("text_config") && config["text_config"].is_object() ? config["text_config"] : config,
                 "", 0, settings);
    return settings;
  });
}

}  // namespace attn::files
