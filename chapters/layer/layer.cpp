#include "chapters/layer/layer.hpp"

#include <algorithm>
#include <cmath>

#include "chapters/attention.hpp"
#include "chapters/own.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "torch/torch.hpp"

namespace attn::chapters::layer {
namespace {

/// The variable of a module: "c_attn" of "attn.c_attn".
std::string variable(const std::string& key) { return key.substr(key.rfind('.') + 1); }

std::vector<std::string> keys_of(const std::map<std::string, Tensor, std::less<>>& weights) {
  std::vector<std::string> keys;
  std::ranges::transform(weights, std::back_inserter(keys), [](const auto& one) { return one.first; });
  return keys;
}

/// The settings of a lesson without a layer.
const std::map<std::string, double, std::less<>>& example_numbers() {
  static const std::map<std::string, double, std::less<>> numbers = {
      {"n_head", 3},   {"num_attention_heads", 3}, {"num_key_value_heads", 1},
      {"head_dim", 2}, {"num_heads", 3},           {"n_heads", 3}};
  return numbers;
}

/// A setting, "rope_scaling.factor", which newer configs call "rope_parameters.factor".
template <class Value>
std::optional<Value> setting(const std::map<std::string, Value, std::less<>>& settings, std::string_view key) {
  constexpr std::string_view older = "rope_scaling.";
  auto found = settings.find(key);
  if (found == settings.end() && key.starts_with(older)) {
    found = settings.find("rope_parameters." + std::string(key.substr(older.size())));
  }
  return found == settings.end() ? std::nullopt : std::optional(found->second);
}

const Model& model_of(const Article& article) {
  return *std::ranges::find_if(models(), [&](const Model& model) { return &model.article == &article; });
}

/// The number of the layer in a prefix, the last one: 3 of "model.layers.3."; 0 without one.
std::int64_t number_in(std::string_view prefix) {
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < prefix.size();) {
    const std::size_t end = std::min(prefix.find('.', begin), prefix.size());
    number = text::number_of<std::int64_t>(prefix.substr(begin, end - begin)).value_or(number);
    begin = end + 1;
  }
  return number;
}

/// "GPT-2 (attn.c_attn.weight)"
std::string known_models() {
  std::vector<std::string> known;
  for (const Model& model : models()) {
    known.push_back(std::string(model.article.title) + " (" + std::string(model.mark) + ")");
  }
  return text::joined(known);
}

/// The first names, as many as one line holds.
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t most = 8;
  const bool is_long = names.size() > most;
  names.resize(std::min(names.size(), most));
  return text::joined(names) + (is_long ? " and others" : "");
}

}  // namespace

Layer::Layer(Program& p)
    : p_(p), given_(p.lesson().layer ? &*p.lesson().layer : nullptr), model_(model_of(p.article())) {}

std::string Layer::place() const { return "layer " + std::to_string(given_->number) + " of '" + given_->source + "'"; }

Tensor Layer::hidden_states(const Embed& embed) {
  if (given_ == nullptr || given_->tokens.empty()) {
    return p_.batch(p_.inputs(), 1);
  }
  return p_.batch(p_.show("inputs", "hidden states\n", embed(p_.token_ids())), 1);
}

Tensor Layer::embedding(const std::string& key, const Tensor& ids, const std::string& hint) {
  const auto found = given_->weights.find(key + ".weight");
  if (found == given_->weights.end() || found->second.dim() != 2) {
    throw LessonError("'" + given_->source + "' has no matrix '" + key + ".weight', with which " +
                      std::string(model_.article.title) + " embeds its tokens; words need it; give the whole " +
                      "checkpoint, or the hidden states with --inputs");
  }
  const std::int64_t rows = found->second.size(0);
  for (std::int64_t i = 0; i < ids.size(0); ++i) {
    if (const auto id = static_cast<std::int64_t>(ids.value({i})); id >= rows) {
      throw LessonError("'" + key + ".weight' of '" + given_->source + "' has " + std::to_string(rows) +
                        " rows, and none for number " + std::to_string(id) + ", counted from 0; " + hint);
    }
  }
  return lookup(found->second, ids, variable(key));
}

Tensor Layer::token_embeddings(const std::string& key, const Tensor& ids) {
  const std::string hint = "ids are those of '" + given_->tokenizer + "'; give the tokenizer.json of the same model";
  return p_.show("token_embeddings", "token embeddings\n", embedding(key, ids, hint));
}

Tensor Layer::pos_embeddings(const std::string& key, const Tensor& ids, std::int64_t first) {
  const Tensor position_ids = p_.let("position_ids", torch::token_range(first, ids.size(0), ids));
  return p_.show("pos_embeddings", "position embeddings\n",
                 embedding(key, position_ids, "each token needs one for its position; give fewer words"));
}

Tensor Layer::weight(const std::string& name, const std::string& key, const Shape& shape) {
  if (given_ == nullptr) {
    return p_.let(name, torch::tensor(std::vector<float>(static_cast<std::size_t>(element_count(shape))), shape));
  }
  const auto found = given_->weights.find(key);
  if (found == given_->weights.end()) {
    throw LessonError(place() + " has no tensor '" + key + "', which " + std::string(model_.article.title) +
                      " needs; it has " + text::joined(keys_of(given_->weights)) +
                      "; see that the checkpoint is whole");
  }
  if (found->second.shape() != shape) {
    throw LessonError("'" + key + "' of " + place() + " has shape " + shape_text(found->second.shape()) +
                      ", but inputs, heads and other weights ask for " + shape_text(shape) +
                      "; give hidden states [tokens, d] with the model's d, and the checkpoint's own config");
  }
  asked_.insert(key);
  return p_.let(name, found->second);
}

Tensor Layer::linear(const std::string& name, const std::string& key, const Tensor& x, std::int64_t d_out,
                     const std::string& joint) {
  const Tensor weights =
      weight(names_weight(name) ? name : name + "_weight", key + joint + "weight", {d_out, x.size(-1)});
  const bool has_bias = given_ == nullptr || given_->weights.contains(key + joint + "bias");
  const auto bias = has_bias ? std::optional(weight(name + "_bias", key + joint + "bias", {d_out})) : std::nullopt;
  return attn::linear(x, weights, bias, variable(key));
}

Tensor Layer::conv1d(const std::string& name, const std::string& key, const Tensor& x, std::int64_t d_out) {
  const Tensor weights = weight(name + "_weight", key + ".weight", {x.size(-1), d_out});
  return attn::linear(x, t(weights), weight(name + "_bias", key + ".bias", {d_out}), variable(key));
}

Tensor Layer::layer_norm(const std::string& key, const Tensor& x, double epsilon, const std::string& before) {
  const Tensor weights = weight(before + "norm_weight", key + ".weight", {x.size(-1)});
  const Tensor shifts = weight(before + "norm_bias", key + ".bias", {x.size(-1)});
  const Tensor mean = p_.let(before + "norm_mean", layer_norm_mean(x));
  const Tensor factor = p_.let(before + "norm_factor", layer_norm_factor(x, epsilon));
  const Tensor centred = p_.let(before + "centred", subtract(x, mean));
  const Tensor normalised = p_.let(before + "normalised", multiply(centred, factor));
  return scale_and_shift(normalised, weights, shifts);
}

Tensor Layer::layer_norm_by_hand(const std::string& key, const Tensor& x, double epsilon) {
  const Tensor scales = weight("norm_weight", key + ".scale", {x.size(-1)});
  const Tensor shifts = weight("norm_bias", key + ".shift", {x.size(-1)});
  const Tensor middle = p_.let("norm_mean", mean(x));
  const Tensor spread = p_.let("norm_variance", variance(x));
  const Tensor root = p_.let("norm_root", sqrt(p_.let("norm_variance_eps", add(spread, epsilon))));
  const Tensor centred = p_.let("centred", subtract(x, middle));
  const Tensor normalised = p_.let("normalised", divide(centred, root));
  return add(p_.let("norm_scaled", multiply(scales, normalised)), shifts);
}

Tensor Layer::rms_norm(const std::string& key, const Tensor& x, double epsilon) {
  const Tensor weights = weight("norm_weight", key + ".weight", {x.size(-1)});
  const Tensor squares = p_.let("squares", multiply(x, x));
  const Tensor mean_square = p_.let("mean_square", mean(squares));
  const Tensor raised = p_.let("mean_square_eps", add(mean_square, epsilon));
  const Tensor factor = p_.let("norm_factor", rsqrt(raised));
  return multiply(weights, p_.let("normalised", multiply(x, factor)));
}

void Layer::check_all_used() const {
  if (given_ == nullptr) {
    return;
  }
  for (const auto& [key, tensor] : given_->weights) {
    if (key.starts_with(model_.part) && !asked_.contains(key) && !has_word(model_.ignored, key)) {
      throw LessonError("the attention of " + place() + " has a tensor '" + key + "', which " +
                        std::string(model_.article.title) + " has not; its tensors are " +
                        text::joined(std::vector(asked_.begin(), asked_.end())) +
                        "; this kind of layer is not known here");
    }
  }
}

void Layer::needs_config(const std::string& what) const {
  if (given_ != nullptr && given_->config.empty()) {
    throw LessonError(place() + " has no config.json beside it: " + what + " cannot be known from shapes; " +
                      std::string(model_.article.title) + " needs its config; add --config config.json");
  }
}

double Layer::number(std::string_view key, double usual) const {
  return setting(given_ == nullptr ? example_numbers() : given_->numbers, key).value_or(usual);
}

std::string Layer::word(std::string_view key, const std::string& usual) const {
  return given_ == nullptr ? usual : setting(given_->words, key).value_or(usual);
}

std::int64_t Layer::whole(std::string_view key, std::int64_t usual) const {
  constexpr double most = 1e9;
  const double size = number(key, static_cast<double>(usual));
  if (!(size >= 1 && size <= most && size == std::floor(size))) {
    throw LessonError("'" + config() + "' has " + std::string(key) + " " + text::shortest_text(size) +
                      "; it must be a whole number from 1 on; see that it is the checkpoint's own config");
  }
  return static_cast<std::int64_t>(size);
}

void Layer::expect(std::string_view key, double expected) const {
  refuse_other(key, text::shortest_text(number(key, expected)), text::shortest_text(expected));
}

void Layer::expect(std::string_view key, const std::string& expected) const {
  refuse_other(key, word(key, expected), expected);
}

void Layer::refuse_other(std::string_view key, const std::string& is, const std::string& expected) const {
  if (is != expected) {
    throw LessonError("'" + config() + "' has " + std::string(key) + " " + is + "; only layers with " + expected +
                      " are known here; choose another checkpoint");
  }
}

std::int64_t Layer::num_heads(std::string_view key) const {
  if (p_.lesson().num_heads || number(key, 0) != 0) {
    return p_.num_heads(p_.lesson().num_heads ? 1 : whole(key, 1));
  }
  throw LessonError("the number of heads of " + place() + " cannot be known from shapes; " +
                    (model_.types.empty() ? "the program that made it has it"
                                          : "it is in the model's config.json, as " + std::string(key)) +
                    "; add --num-heads 12" + (model_.types.empty() ? "" : ", or --config config.json"));
}

std::int64_t Layer::num_heads(std::string_view key, std::int64_t columns) const {
  const std::int64_t heads = num_heads(key);
  check_divides(heads, columns, "columns");
  return heads;
}

void Layer::check_divides(std::int64_t heads, std::int64_t count, const std::string& what) const {
  if (count % heads != 0) {
    throw LessonError(std::to_string(heads) + " heads cannot share " + std::to_string(count) + " " + what +
                      " evenly; the numbers of heads are those of the config, or --num-heads; see that they are " +
                      "those of " + (given_ == nullptr ? "the model" : place()));
  }
}

Tensor attend(Program& p, const Tensor& queries, const Tensor& keys, const Tensor& values,
              const std::optional<Tensor>& mask) {
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, transpose(keys, 2, 3)));
  const Tensor scaled_attn_scores = p.show("scaled_attn_scores", "scaled attention scores\n", scale(attn_scores, keys));
  const Tensor seen = mask ? p.show("masked_attn_scores", "masked attention scores\n",
                                    masked_fill(scaled_attn_scores, p.let("mask", *mask), minus_infinity))
                           : scaled_attn_scores;
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(seen));
  return joined_heads(p, matmul(attn_weights, values));
}

Tensor joined_heads(Program& p, const Tensor& contexts) {
  const Tensor context_vec = p.show("context_vec", "context vectors of every head\n", transpose(contexts, 1, 2));
  return p.show("context_vecs", "context vectors\n", join(context_vec));
}

bool has_word(std::string_view list, std::string_view word) {
  return (" " + std::string(list) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

Layers layers_of(const std::vector<std::string>& names) {
  for (const Model& model : models()) {
    Layers found = {&model, {}};
    for (const std::string& name : names) {
      const std::string prefix = name.substr(0, name.size() - std::min(name.size(), model.mark.size()));
      const bool is_mark = name == prefix + std::string(model.mark) && (prefix.empty() || prefix.ends_with('.'));
      if (!is_mark) {
        continue;
      }
      const auto [other, is_new] = found.prefixes.emplace(number_in(prefix), prefix);
      if (!is_new) {
        throw LessonError("it has two layers " + std::to_string(number_in(prefix)) + ": " + other->second +
                          std::string(model.mark) + " and " + name + "; a checkpoint of one model has one of each" +
                          "; save the tensors of one of them as a checkpoint of their own");
      }
    }
    if (!found.prefixes.empty()) {
      return found;
    }
  }
  throw LessonError("its tensors are of no model that is known here: " + some_of(names) + "; known are " +
                    known_models() + "; give a checkpoint of one of these models");
}

void check_config(const Model& model, const GivenLayer& layer) {
  const auto type = layer.words.find("model_type");
  if (type != layer.words.end() && !model.types.empty() && !has_word(model.types, type->second)) {
    throw LessonError("'" + layer.config + "' has model_type " + type->second +
                      ", whose attention is not known here, " + "though its tensors have names as in " +
                      std::string(model.article.title) + "; known are " + std::string(model.types) +
                      "; choose another checkpoint");
  }
}

}  // namespace attn::chapters::layer
