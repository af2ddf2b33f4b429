#include "cli/layer.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "chapter.hpp"
#include "cli/own_tensors.hpp"
#include "cli/usage_error.hpp"
#include "emit/python.hpp"
#include "files/checkpoint.hpp"
#include "files/file.hpp"
#include "layer/layer.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "walk/lesson.hpp"

namespace attn::cli {
namespace {

namespace fs = std::filesystem;
using chapters::layer::Layers;

Layers layers_of(const std::string& weights, const dump::Checkpoint& checkpoint) {
  try {
    return chapters::layer::layers_of(checkpoint.names());
  } catch (const LessonError& error) {
    throw UsageError("--weights: '" + text::one_line(weights) + "': " + error.what());
  }
}

/// "0 to 11"; "0, 2, 5"
std::string numbers_of(const Layers& layers) {
  const std::int64_t first = layers.prefixes.begin()->first;
  const std::int64_t last = layers.prefixes.rbegin()->first;
  if (last - first + 1 == std::ssize(layers.prefixes)) {
    return first == last ? std::to_string(first) : std::to_string(first) + " to " + std::to_string(last);
  }
  std::vector<std::string> numbers;
  for (const auto& [number, prefix] : layers.prefixes) {
    numbers.push_back(std::to_string(number));
  }
  return text::joined(numbers);
}

/// The prefix of the layer's tensors.
const std::string& prefix_of(const Layers& layers, std::int64_t number, const std::string& weights) {
  const auto found = layers.prefixes.find(number);
  if (found == layers.prefixes.end()) {
    const auto count = std::ssize(layers.prefixes);
    throw UsageError("--layer: '" + text::one_line(weights) + "' has no layer " + std::to_string(number) + "; it has " +
                     (count == 1 ? "one layer, " : std::to_string(count) + " layers, ") + numbers_of(layers) +
                     "; try --layer " + std::to_string(layers.prefixes.rbegin()->first));
  }
  return found->second;
}

void read_config(GivenLayer& layer, const std::optional<std::string>& config, const fs::path& folder) {
  std::error_code ignored;
  const fs::path beside = folder / "config.json";
  if (!config && !fs::exists(beside, ignored)) {
    return;
  }
  layer.config = config ? *config : beside.string();
  dump::Settings settings = reading("--config", [&] { return dump::read_settings(layer.config); });
  layer.numbers = std::move(settings.numbers);
  layer.words = std::move(settings.words);
}

/// A weight: its numbers are read on first use.
Tensor weight(const std::shared_ptr<dump::Checkpoint>& checkpoint, const std::string& name, const Shape& shape) {
  const std::string words = "weights[" + emit::string_literal(name) + "]";
  const auto fill = [checkpoint, name] {
    return reading("--weights", [&] { return Contents(checkpoint->numbers(name)); });
  };
  return leaf(shape, DType::float32, {words, words}, fill, {},
              {.kind = Kind::given, .is_own = true, .is_from_file = true});
}

void add_weights(GivenLayer& layer, const std::shared_ptr<dump::Checkpoint>& checkpoint, const std::string& prefix,
                 std::vector<std::string>& notes) {
  std::set<std::string> files;
  std::set<std::string> dtypes;
  for (const std::string& name : checkpoint->names()) {
    if (name.starts_with(prefix)) {
      const dump::Heading heading = reading("--weights", [&] { return checkpoint->heading(name); });
      layer.weights.emplace(name.substr(prefix.size()), weight(checkpoint, name, heading.shape));
      files.insert(checkpoint->file_of(name).string());
      dtypes.insert(heading.dtype);
    }
  }
  layer.files.assign(files.begin(), files.end());
  dtypes.erase("float32");
  if (!dtypes.empty()) {
    notes.push_back("weights of '" + text::one_line(layer.source) + "' are " +
                    text::joined(std::vector(dtypes.begin(), dtypes.end()), " and ") +
                    ", read exactly and computed as float32");
  }
}

/// How a program reads the hidden states: as .npy, else it lists them.
LeafWords words_to_read(const std::string& file) {
  if (!dump::has_extension(file, ".npy")) {
    return {""};
  }
  const std::string read = "np.load(" + emit::string_literal(file) + ").astype(np.float32)";
  return {"torch.from_numpy(" + read + ")", read};
}

void check_given(const Typed& typed) {
  if (!typed.weights) {
    throw UsageError(
        "layer needs a checkpoint; give --weights with a .safetensors file, its index, or their folder; try "
        "attn-walkthrough layer --weights model.safetensors --inputs x.npy");
  }
  if (!typed.inputs) {
    throw UsageError(
        "layer needs the hidden states that enter it, which no checkpoint has; give a file [tokens, d] or [batch, "
        "tokens, d]; add --inputs x.npy");
  }
}

/// Throws UsageError for a rule that the layer's program does not have.
void check_rule(const Options& options) {
  const chapters::Chapter& chapter = *options.chapters.front();
  const std::vector<const WhatIf*> rules = chapters::what_ifs(chapter);
  if (options.what_if != nullptr && std::ranges::find(rules, options.what_if) == rules.end()) {
    std::vector<std::string> names;
    std::ranges::transform(rules, std::back_inserter(names),
                           [](const WhatIf* rule) { return std::string(rule->name); });
    throw UsageError("--what-if: " + std::string(options.what_if->name) + " does not apply to a layer of " +
                     std::string(chapter.article->title) + "; use one of " + text::joined(names) + "; try " + names[0]);
  }
}

}  // namespace

bool is_about_layer(const Options& options) { return options.name == "layer" || options.typed.layer; }

void settle_layer(Options& options) {
  check_given(options.typed);
  options.lesson.inputs->words = words_to_read(*options.typed.inputs);
  const std::string& weights = *options.typed.weights;
  const auto checkpoint = reading("--weights", [&] { return std::make_shared<dump::Checkpoint>(weights); });
  const Layers layers = layers_of(weights, *checkpoint);
  GivenLayer& layer = options.lesson.layer.emplace();
  layer.number = options.typed.layer.value_or(0);
  layer.source = weights;
  const std::string& prefix = prefix_of(layers, layer.number, weights);
  read_config(layer, options.typed.config, checkpoint->folder());
  try {
    chapters::layer::check_config(*layers.model, layer);
  } catch (const LessonError& error) {
    throw UsageError(std::string("--config: ") + error.what());
  }
  if (layer.config.empty() && !layers.model->assumed.empty()) {
    options.notes.push_back("no config.json beside '" + text::one_line(weights) +
                            "': " + std::string(layers.model->assumed) + " is assumed");
  }
  add_weights(layer, checkpoint, prefix, options.notes);
  options.chapters = {&layers.model->article.chapters.front()};
  check_rule(options);
}

}  // namespace attn::cli
