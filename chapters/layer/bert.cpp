#include "chapters/attention.hpp"
#include "chapters/layer/layer.hpp"
#include "torch/torch.hpp"

namespace attn::chapters::layer {
namespace {

/// The first position: RoBERTa and its kin count from the number after that of padding.
std::int64_t first_position(const Layer& layer, const Tensor& ids) {
  layer.needs_config("the model_type, on which positions depend,");
  const std::string type = layer.word("model_type", "bert");
  if (type == "bert" || type == "electra") {
    return 0;
  }
  const auto padding = static_cast<std::int64_t>(layer.number("pad_token_id", 1));
  for (std::int64_t i = 0; i < ids.size(0); ++i) {
    if (static_cast<std::int64_t>(ids.value({i})) == padding) {
      throw LessonError("--sentence has the token of padding, to which " + type +
                        " gives no position of its own; all other tokens have one; leave it out");
    }
  }
  return padding + 1;
}

/// The sum of three embeddings, normed; ELECTRA may project it to another size.
Tensor embedded(Program& p, Layer& layer, const Tensor& ids) {
  const Tensor token_embeddings = layer.token_embeddings("embeddings.word_embeddings", ids);
  const Tensor token_type_ids = p.let("token_type_ids", torch::zero_ids(ids));
  const Tensor token_type_embeddings =
      p.show("token_type_embeddings", "token type embeddings\n",
             layer.embedding("embeddings.token_type_embeddings", token_type_ids, "see that the checkpoint is whole"));
  const Tensor typed_embeddings = p.let("typed_embeddings", add(token_embeddings, token_type_embeddings));
  const Tensor pos_embeddings = layer.pos_embeddings("embeddings.position_embeddings", ids, first_position(layer, ids));
  const Tensor summed_embeddings =
      p.show("summed_embeddings", "sum of embeddings\n", add(typed_embeddings, pos_embeddings));
  const Tensor normed =
      layer.layer_norm("embeddings.LayerNorm", summed_embeddings, layer.number("layer_norm_eps", 1e-12), "embeddings_");
  if (!layer.has("embeddings_project.weight")) {
    return normed;
  }
  p.show("embeddings_normed", "LayerNorm\n", normed);
  return layer.linear("embeddings_project", "embeddings_project", normed, layer.whole("hidden_size", normed.size(-1)));
}

}  // namespace

/// A layer of BERT: every token sees every other; the residual and LayerNorm come after. Formula: Devlin et al.,
/// "BERT", 2018.
void bert(Program& p) {
  Layer layer(p);
  layer.expect("is_decoder", 0);
  layer.expect("position_embedding_type", "absolute");
  const Tensor hidden_states = layer.hidden_states([&](const Tensor& ids) { return embedded(p, layer, ids); });
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("num_attention_heads", d);

  const Tensor queries =
      p.show("queries", "query\n", layer.linear("W_query", "attention.self.query", hidden_states, d));
  const Tensor keys = p.show("keys", "key\n", layer.linear("W_key", "attention.self.key", hidden_states, d));
  const Tensor values = p.show("values", "value\n", layer.linear("W_value", "attention.self.value", hidden_states, d));
  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each head\n", split(keys, num_heads));
  const Tensor values_heads = p.show("values_heads", "values of each head\n", split(values, num_heads));
  const Tensor context_vecs = attend(p, queries_heads, keys_heads, values_heads, {});

  const Tensor output =
      p.show("output", "dense\n", layer.linear("out_proj", "attention.output.dense", context_vecs, d));
  const Tensor residual_sum = p.show("residual_sum", "plus what entered the layer\n", add(output, hidden_states));
  p.show("normed", "LayerNorm\n",
         layer.layer_norm("attention.output.LayerNorm", residual_sum, layer.number("layer_norm_eps", 1e-12)));
  layer.check_all_used();
}

}  // namespace attn::chapters::layer
