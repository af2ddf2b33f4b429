#include <algorithm>
#include <array>

#include "chapters/layer/layer.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace attn::chapters::layer {
namespace {

/// A model's only chapter.
constexpr Chapter chapter(const Article* article, void (*run)(Program&), std::string_view special) {
  return {.name = "layer",
          .article = article,
          .run = run,
          .takes = {.batch = true, .heads = true, .shared_d_out = true},
          .init = Init::linear,
          .sizes = "those of the checkpoint",
          .special = special};
}

constexpr std::array gpt2_chapters = {chapter(&gpt2_article, gpt2, "LayerNorm before; a causal mask; the residual")};
constexpr std::array llama_chapters = {
    chapter(&llama_article, llama, "RMSNorm before; rotary embedding; grouped heads; a causal mask; the residual")};

constexpr std::array bert_chapters = {chapter(&bert_article, bert, "no mask; the residual and LayerNorm after")};
constexpr std::array multihead_attention_chapters = {
    chapter(&multihead_attention_article, multihead_attention, "scaled queries; no mask; no norm")};
constexpr std::array gpt_model_chapters = {
    chapter(&gpt_model_article, gpt_model, "LayerNorm before, by hand; a causal mask; the residual")};

Article article(std::string_view name, std::string_view title, std::span<const Chapter> chapters,
                std::span<const Meaning> meanings) {
  return {.name = name,
          .title = title,
          .cpu = Cpu::avx2,
          .generator = "",
          .sentence = "",
          .chapters = chapters,
          .slips = {},
          .meanings = meanings};
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

const Article gpt2_article = article("gpt2", "GPT-2", gpt2_chapters, gpt2_meanings());
const Article llama_article = article("llama", "Llama", llama_chapters, llama_meanings());
const Article bert_article = article("bert", "BERT", bert_chapters, bert_meanings());
const Article multihead_attention_article = article("multihead-attention", "nn.MultiheadAttention",
                                                    multihead_attention_chapters, multihead_attention_meanings());
const Article gpt_model_article = article("gpt-model", "the book's GPTModel", gpt_model_chapters, gpt_model_meanings());

std::span<const Model> models() {
  static const std::array all = {
      Model{.article = gpt2_article,
            .mark = "attn.c_attn.weight",
            .types = "gpt2",
            .part = "attn.",
            .ignored = "attn.bias attn.masked_bias",
            .assumed = "layer_norm_epsilon 1e-05",
            .embeddings = "wte.weight wpe.weight"},
      Model{.article = llama_article,
            .mark = "self_attn.q_proj.weight",
            .types = "llama mistral mixtral qwen2",
            .part = "self_attn.",
            .ignored = "self_attn.rotary_emb.inv_freq",
            .embeddings = "embed_tokens.weight"},
      Model{.article = bert_article,
            .mark = "attention.self.query.weight",
            .types = "bert roberta xlm-roberta camembert electra",
            .part = "attention.",
            .ignored = "",
            .assumed = "layer_norm_eps 1e-12",
            .embeddings = "embeddings.word_embeddings.weight embeddings.token_type_embeddings.weight "
                          "embeddings.position_embeddings.weight embeddings.LayerNorm.weight "
                          "embeddings.LayerNorm.bias embeddings_project.weight embeddings_project.bias"},
      Model{.article = gpt_model_article,
            .mark = "att.W_query.weight",
            .types = "",
            .part = "att.",
            .ignored = "att.mask",
            .embeddings = "tok_emb.weight pos_emb.weight"},
      Model{.article = multihead_attention_article, .mark = "in_proj_weight", .types = "", .part = "", .ignored = ""},
  };
  return all;
}

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    if (list.substr(begin, end - begin) == word) {
      return true;
    }
    begin = end + 1;
  }
  return false;
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
