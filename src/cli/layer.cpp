
#include "chapters/layer/layer.hpp"
#include "chapters/chapter.hpp"
#include "chapters/inputs.hpp"
#include "cli/compute.hpp"
#include "cli/option.hpp"
#include "emit/emitters.hpp"
#include "files/file.hpp"
#include "files/read/checkpoint.hpp"
#include "files/read/tokenizer.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

namespace fs = std::filesystem;
using chapters::layer::Layers;

Layers layers_of(const std::string& weights, const files::Checkpoint& checkpoint) {
  try {
    return chapters::layer::layers_of(checkpoint.names());
  } catch (const LessonError& error) {
    throw UsageError("--weights: '" + text::one_line(weights) + "': " + error.what());
  }
}

/// The prefix of the layer's tensors.
const std::string& prefix_of(const Layers& layers, std::int64_t number, const std::string& weights) {
  const auto found = layers.prefixes.find(number);
  if (found == layers.prefixes.end()) {
    const std::string last = std::to_string(layers.prefixes.rbegin()->first);
    throw UsageError("--layer: '" + text::one_line(weights) + "' has no layer " + std::to_string(number) +
                     "; its last is " + last + "; try --layer " + last);
  }
  return found->second;
}

void read_config(GivenLayer& layer, const std::string* config, const fs::path& folder) {
  std::error_code ignored;
  const fs::path beside = folder / "config.json";
  if (config == nullptr && !fs::exists(beside, ignored)) {
    return;
  }
  layer.config = config != nullptr ? *config : beside.string();
  files::Settings settings = reading("--config", [&] { return files::read_settings(layer.config); });
  layer.numbers = std::move(settings.numbers);
  layer.words = std::move(settings.words);
}

/// A weight, whose numbers are read on first use; of a table only the rows that are looked up.
Tensor weight(const std::shared_ptr<files::Checkpoint>& checkpoint, const std::string& name, const Shape& shape,
              bool is_table) {
  const std::string words = "weights[" + emit::string_literal(name) + "]";
  const Facts facts = {.kind = Kind::given, .is_own = true, .is_from_file = true};
  if (!is_table) {
    const auto fill = [checkpoint, name] {
      return reading("--weights", [&] { return Contents(checkpoint->numbers(name)); });
    };
    return leaf(shape, DType::float32, {words, words}, fill, {}, facts);
  }
  const auto fill = [checkpoint, name](const Box& part) {
    const Array rows(reading("--weights", [&] { return checkpoint->rows(name, part[0].begin, part[0].end); }));
    return Contents(cut(rows, {{0, part[0].size()}, part[1]}).own_floats());
  };
  return leaf(shape, DType::float32, {words, words}, fill, {}, facts);
}

/// The tensors that embed tokens, by the model's names for them. They are in the module that has the layers, or in one
/// around it: "transformer.wte.weight" where layers are "transformer.h.0.".
std::map<std::string, std::string> embeddings_of(const chapters::layer::Model& model, const std::string& prefix,
                                                 const std::vector<std::string>& names) {
  std::map<std::string, std::string> found;
  for (std::size_t end = 0; end != std::string::npos; end = prefix.find('.', end)) {
    end += end > 0 ? 1 : 0;
    const std::string outer = prefix.substr(0, end);
    for (const std::string& name : names) {
      if (name.starts_with(outer) && chapters::layer::has_word(model.embeddings, name.substr(outer.size()))) {
        found[name.substr(outer.size())] = name;
      }
    }
  }
  return found;
}

/// Adds the layer's tensors and, with a sentence, those that embed it.
void add_weights(GivenLayer& layer, const std::shared_ptr<files::Checkpoint>& checkpoint, const std::string& prefix,
                 const chapters::layer::Model& model) {
  std::set<std::string> files;
  const std::vector<std::string> names = checkpoint->names();
  const auto add = [&](const std::string& key, const std::string& name, bool is_in_rows) {
    const files::Heading heading = reading("--weights", [&] { return checkpoint->heading(name); });
    layer.weights.emplace(key, weight(checkpoint, name, heading.shape, is_in_rows && heading.shape.size() == 2));
    files.insert(checkpoint->file_of(name).string());
  };
  for (const std::string& name : names) {
    if (name.starts_with(prefix)) {
      add(name.substr(prefix.size()), name, false);
    }
  }
  if (!layer.tokens.empty()) {
    for (const auto& [key, name] : embeddings_of(model, prefix, names)) {
      add(key, name, true);
    }
  }
  layer.files.assign(files.begin(), files.end());
}

/// Finds the tokens of the lesson's sentence. Throws UsageError.
void find_tokens(GivenLayer& layer, const Options& options, const chapters::layer::Model& model,
                 const fs::path& folder) {
  if (model.embeddings.empty() || layer.number > 0) {
    throw UsageError("--sentence: words enter layer 0 of a model that embeds them; layer " +
                     std::to_string(layer.number) + " of " + std::string(model.article.title) +
                     " takes hidden states; give --inputs x.npy instead");
  }
  std::error_code ignored;
  const fs::path beside = folder / "tokenizer.json";
  const std::string* const given = options.given.value_of("--tokenizer");
  if (given == nullptr && !fs::exists(beside, ignored)) {
    throw UsageError("--sentence: there is no tokenizer.json beside '" + text::one_line(layer.source) +
                     "'; add --tokenizer FILE, or give --inputs x.npy instead");
  }
  layer.tokenizer = given != nullptr ? *given : beside.string();
  const auto tokenizer = reading("--tokenizer", [&] { return files::Tokenizer(layer.tokenizer); });
  bool is_first = true;
  for (const std::string& word : chapters::sentence_words(*options.lesson.sentence, chapters::Punctuation::kept)) {
    const auto token = tokenizer.token(word, is_first);
    const bool has_accents = tokenizer.strips_from(word) && !(token && token->is_added);
    if (!token || has_accents) {
      throw UsageError("--sentence: '" + word + "' is not one token of '" + text::one_line(layer.tokenizer) + "'" +
                       (has_accents ? ", which takes accents away"
                                    : ", where it would be '" + tokenizer.spelling(word, is_first) + "'") +
                       "; choose another word, or give --inputs x.npy instead");
    }
    layer.tokens.push_back({word, token->text, token->id});
    is_first = is_first && token->is_added;
  }
}

/// How a program reads the hidden states: as .npy, else it lists them.
LeafWords words_to_read(const std::string& file) {
  if (!files::has_extension(file, ".npy")) {
    return {""};
  }
  const std::string read = "np.load(" + emit::string_literal(file) + ").astype(np.float32)";
  return {"torch.from_numpy(" + read + ")", read};
}

void check_given(const Options& options) {
  if (!options.given.has("--weights") || (!options.lesson.inputs && !options.lesson.sentence)) {
    throw UsageError(
        "layer needs --weights, a .safetensors checkpoint, and --inputs, the hidden states that enter it, or for layer "
        "0 --sentence; try attn-walkthrough layer --weights model.safetensors --inputs x.npy");
  }
}

/// Throws UsageError for a rule that the layer's program does not have.
void check_rule(const Options& options) {
  const chapters::Chapter& chapter = *options.chapters.front();
  const std::vector<const WhatIf*> rules = chapters::what_ifs(chapter);
  if (options.what_if != nullptr && std::ranges::find(rules, options.what_if) == rules.end()) {
    throw UsageError("--what-if: " + std::string(options.what_if->name) + " does not apply to a layer of " +
                     std::string(chapter.article->title) + "; use one of " +
                     text::joined(names_in(rules, &WhatIf::name)));
  }
}

}  // namespace

void settle_layer(Options& options) {
  check_given(options);
  if (const std::string* const inputs = options.given.value_of("--inputs")) {
    options.lesson.inputs->words = words_to_read(*inputs);
  }
  const std::string& weights = *options.given.value_of("--weights");
  const std::string* const number = options.given.value_of("--layer");
  const auto checkpoint = reading("--weights", [&] { return std::make_shared<files::Checkpoint>(weights); });
  const Layers layers = layers_of(weights, *checkpoint);
  GivenLayer& layer = options.lesson.layer.emplace();
  layer.number = number != nullptr ? whole_value(*number) : 0;
  layer.source = weights;
  const std::string& prefix = prefix_of(layers, layer.number, weights);
  read_config(layer, options.given.value_of("--config"), checkpoint->folder());
  try {
    chapters::layer::check_config(*layers.model, layer);
  } catch (const LessonError& error) {
    throw UsageError(std::string("--config: ") + error.what());
  }
  if (layer.config.empty() && !layers.model->assumed.empty()) {
    options.notes.push_back("no config.json beside '" + text::one_line(weights) +
                            "': " + std::string(layers.model->assumed) + " is assumed");
  }
  if (options.lesson.sentence) {
    find_tokens(layer, options, *layers.model, checkpoint->folder());
  }
  add_weights(layer, checkpoint, prefix, *layers.model);
  options.chapters = {&layers.model->article.chapters.front()};
  check_rule(options);
}

}  // namespace attn::cli
