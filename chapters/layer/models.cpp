
#include "chapters/attention.hpp"
#include "chapters/layer/layer.hpp"
#include "torch/torch.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters::layer {
namespace {

constexpr Meaning normed_before = {
    "normed",
    "The normalised rows with the norm's weight and bias. Queries, keys and values are made of it, not of what "
    "entered: its size does not depend on how deep the layer is."};

/// A layer of GPT-2: LayerNorm before, one projection for queries, keys and values, a causal mask, and the residual.
/// Formula: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019.
void gpt2(Program& p) {
  Layer layer(p);
  layer.expect("scale_attn_weights", 1);
  layer.expect("scale_attn_by_inverse_layer_idx", 0);
  const Tensor hidden_states = layer.hidden_states([&](const Tensor& ids) {
    const Tensor token_embeddings = layer.token_embeddings("wte", ids);
    return add(token_embeddings, layer.pos_embeddings("wpe", ids));
  });
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("n_head", d);

  const Tensor normed =
      p.show("normed", "ln_1\n", layer.layer_norm("ln_1", hidden_states, layer.number("layer_norm_epsilon", 1e-5)));
  const Tensor qkv = p.show("qkv", "c_attn\n", layer.conv1d("qkv", "attn.c_attn", normed, 3 * d));
  const Tensor queries = p.show("queries", "queries\n", slice(qkv, -1, 0, d));
  const Tensor keys = p.show("keys", "keys\n", slice(qkv, -1, d, 2 * d));
  const Tensor values = p.show("values", "values\n", slice(qkv, -1, 2 * d, 3 * d));

  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each head\n", split(keys, num_heads));
  const Tensor values_heads = p.show("values_heads", "values of each head\n", split(values, num_heads));
  const Tensor context_vecs =
      attend(p, queries_heads, keys_heads, values_heads, torch::causal_mask(hidden_states.size(1)));

  const Tensor output = p.show("output", "c_proj\n", layer.conv1d("out_proj", "attn.c_proj", context_vecs, d));
  p.show("residual_sum", "plus what entered the layer\n", add(output, hidden_states));
  layer.check_all_used();
}

constexpr Meaning of_gpt2[] = {
    normed_before,
    {"qkv_weight",
     "The weights of queries, keys and values side by side, in one matrix [d_in, 3 * d]: GPT-2's Conv1D stores a "
     "weight the other way round than nn.Linear."},
    {"queries", "The first third of the columns: the queries of all heads."},
    {"keys", "The second third: the keys of all heads."},
    {"values", "The last third: the values of all heads."},
};

/// A causal mask, or a sliding window where the layer has one that is shorter than the tokens.
Tensor mask_of(const Layer& layer, std::int64_t num_tokens) {
  const std::string type = layer.word("layer_types." + std::to_string(layer.index()), "");
  const bool slides = type.empty() ? layer.number("use_sliding_window", 1) != 0 : type == "sliding_attention";
  const auto window = static_cast<std::int64_t>(slides ? layer.number("sliding_window", 0) : 0);
  return window > 0 && window < num_tokens ? torch::window_mask(num_tokens, window) : torch::causal_mask(num_tokens);
}

/// A layer of Llama, and of models built like it: RMSNorm before, rotary embedding, groups of query heads that share
/// keys and values, a causal mask that may be a sliding window, and the residual. Formula: Touvron et al., "LLaMA",
/// 2023; Jiang et al., "Mistral 7B", 2023.
void llama(Program& p) {
  Layer layer(p);
  layer.needs_config("rope_theta, rms_norm_eps and the number of heads");
  const Tensor hidden_states =
      layer.hidden_states([&](const Tensor& ids) { return layer.token_embeddings("embed_tokens", ids); });
  const std::int64_t num_tokens = hidden_states.size(1);
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("num_attention_heads");
  const std::int64_t num_kv_heads = layer.whole("num_key_value_heads", num_heads);
  const std::int64_t head_dim = layer.whole("head_dim", d / num_heads);
  layer.check_divides(num_kv_heads, num_heads, "query heads");

  const Tensor normed = p.show("normed", "input_layernorm\n",
                               layer.rms_norm("input_layernorm", hidden_states, layer.number("rms_norm_eps", 1e-6)));
  const Tensor queries =
      p.show("queries", "q_proj\n", layer.linear("W_query", "self_attn.q_proj", normed, num_heads * head_dim));
  const Tensor keys =
      p.show("keys", "k_proj\n", layer.linear("W_key", "self_attn.k_proj", normed, num_kv_heads * head_dim));
  const Tensor values =
      p.show("values", "v_proj\n", layer.linear("W_value", "self_attn.v_proj", normed, num_kv_heads * head_dim));
  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each key/value head\n", split(keys, num_kv_heads));
  const Tensor values_heads = p.show("values_heads", "values of each key/value head\n", split(values, num_kv_heads));

  const Tensor positions = p.let("positions", torch::positions(0, num_tokens, queries));
  const Tensor frequencies = rope_frequencies(p, layer, head_dim);
  const Tensor angles = p.let("angles", multiply(positions, frequencies));
  const Tensor cosines = p.show("cos", "cosines\n", cos(angles));
  const Tensor sines = p.show("sin", "sines\n", sin(angles));
  const Tensor rotated_queries =
      p.show("rotated_queries", "rotated queries\n", rotated(queries_heads, cosines, sines, Pairs::halves));
  const Tensor rotated_keys =
      p.show("rotated_keys", "rotated keys\n", rotated(keys_heads, cosines, sines, Pairs::halves));

  const std::int64_t group_size = num_heads / num_kv_heads;
  const Tensor keys_repeated =
      p.show("keys_repeated", "keys for each head\n", repeat_interleave(rotated_keys, group_size, 1));
  const Tensor values_repeated =
      p.show("values_repeated", "values for each head\n", repeat_interleave(values_heads, group_size, 1));
  const Tensor context_vecs = attend(p, rotated_queries, keys_repeated, values_repeated, mask_of(layer, num_tokens));

  const Tensor output = p.show("output", "o_proj\n", layer.linear("out_proj", "self_attn.o_proj", context_vecs, d));
  p.show("residual_sum", "plus what entered the layer\n", add(hidden_states, output));
  layer.check_all_used();
}

constexpr Meaning of_llama[] = {
    {"squares", "RMSNorm measures a row by its squares; no mean is subtracted."},
    {"mean_square", "The mean of each row's squares."},
    {"mean_square_eps", "A small number, eps, is added: it keeps a row of zeros from being divided by 0."},
    {"norm_factor", "1 divided by the root of the mean square."},
    {"normalised", "Each row now has a mean square of nearly 1."},
    {"normed",
     "The normalised rows with the norm's weight; RMSNorm has no bias. Queries, keys and values are made of it, not of "
     "what entered: its size does not depend on how deep the layer is."},
    {"frequencies",
     "How far one position turns each pair of columns, in radians: 1 / theta ** (2 i / d). The first pair turns "
     "fastest; the slow ones tell distant positions apart."},
    {"scaled_frequencies", "For texts longer than those of the first training, the config slows the turns down."},
    {"queries_heads_x_turned|keys_heads_x_turned",
     "The first column of each pair (x, y) after the turn: x cos - y sin. Here x is in the first half of the columns "
     "and y in the second."},
    {"queries_heads_y_turned|keys_heads_y_turned",
     "The second column of each pair (x, y) after the turn: x sin + y cos."},
    {"queries_heads_*|keys_heads_*", "A part of the rotation."},
    {"rotated_queries",
     "Each query turned by its token's position. Turned by the same angle, a query and a key keep their product, so "
     "scores depend on how far apart two tokens are."},
    {"rotated_keys", "Each key turned in the same way. Values are not turned."},
    {"keys_repeated", "Each key head is repeated for the query heads of its group; without groups it stays as it is."},
    {"values_repeated", "Each value head is repeated like the key heads."},
    {"mask", "True where the key is hidden: it comes after the query or, with a sliding window, too far before it."},
};

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

constexpr Meaning of_bert[] = {
    {"token_type_ids", "0 for each token: all are of the first text. A pair of texts has 1 in the second."},
    {"token_type_embeddings", "The learned row for tokens of the first text."},
    {"typed_embeddings", "Token and token type in one vector."},
    {"summed_embeddings", "Token, token type and position in one vector: their sum."},
    {"embeddings_norm_mean", "The mean of each sum's numbers."},
    {"embeddings_norm_factor", "1 divided by the standard deviation of each sum's numbers, with eps under the root."},
    {"embeddings_centred", "Each row with its mean subtracted."},
    {"embeddings_normalised", "Each row divided by its standard deviation."},
    {"embeddings_normed", "The normalised rows with the norm's weight and bias."},
    {"embeddings_project_weight|embeddings_project_bias",
     "The projection of embeddings to the size of the hidden states, where theirs is smaller."},
    {"attn_weights", "Softmax, row by row. Nothing is masked: each token sees those after it too."},
    {"normed",
     "LayerNorm comes after the sum, with a learned weight and bias: what leaves has the same size in each layer."},
};

/// A layer of GPTModel of the book "Build a Large Language Model (From Scratch)": its own LayerNorm before, three
/// projections, a causal mask, and the residual.
void gpt_model(Program& p) {
  Layer layer(p);
  const Tensor hidden_states = layer.hidden_states([&](const Tensor& ids) {
    const Tensor token_embeddings = layer.token_embeddings("tok_emb", ids);
    return add(token_embeddings, layer.pos_embeddings("pos_emb", ids));
  });
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("n_heads", d);

  const Tensor normed = p.show("normed", "norm1\n", layer.layer_norm_by_hand("norm1", hidden_states, 1e-5));
  const Tensor queries = p.show("queries", "queries\n", layer.linear("W_query", "att.W_query", normed, d));
  const Tensor keys = p.show("keys", "keys\n", layer.linear("W_key", "att.W_key", normed, d));
  const Tensor values = p.show("values", "values\n", layer.linear("W_value", "att.W_value", normed, d));
  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each head\n", split(keys, num_heads));
  const Tensor values_heads = p.show("values_heads", "values of each head\n", split(values, num_heads));

  const Tensor attn_scores =
      p.show("attn_scores", "attention scores\n", matmul(queries_heads, transpose(keys_heads, 2, 3)));
  const Tensor mask = p.let("mask", torch::causal_mask(hidden_states.size(1)));
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights =
      p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys_heads)));
  const Tensor context_vecs = joined_heads(p, matmul(attn_weights, values_heads));

  const Tensor output = p.show("output", "out_proj\n", layer.linear("out_proj", "att.out_proj", context_vecs, d));
  p.show("residual_sum", "plus what entered the layer\n", add(output, hidden_states));
  layer.check_all_used();
}

constexpr Meaning of_gpt_model[] = {
    normed_before,
    {"norm_variance", "The mean of the squared differences from the mean, for each token."},
    {"norm_variance_eps", "A small number, eps, is added: it keeps a row of equal numbers from being divided by 0."},
    {"norm_root", "The standard deviation of each token's numbers."},
    {"norm_scaled", "Each column times its learned scale."},
};

/// nn.MultiheadAttention on one sequence, as its query, key and value, without a mask. Its program scales the queries
/// before they meet the keys. Of a batch it multiplies the rows in another order, and last bits may differ.
void multihead_attention(Program& p) {
  Layer layer(p);
  const Tensor hidden_states = layer.hidden_states();
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("num_heads", d);

  const Tensor qkv = p.show("qkv", "in_proj\n", layer.linear("qkv", "in_proj", hidden_states, 3 * d, "_"));
  const Tensor queries = p.show("queries", "queries\n", slice(qkv, -1, 0, d));
  const Tensor keys = p.show("keys", "keys\n", slice(qkv, -1, d, 2 * d));
  const Tensor values = p.show("values", "values\n", slice(qkv, -1, 2 * d, 3 * d));
  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each head\n", split(keys, num_heads));
  const Tensor values_heads = p.show("values_heads", "values of each head\n", split(values, num_heads));

  const Tensor scaled_queries_heads = p.show("scaled_queries_heads", "scaled queries\n", scale_queries(queries_heads));
  const Tensor attn_scores =
      p.show("attn_scores", "attention scores\n", matmul(scaled_queries_heads, transpose(keys_heads, 2, 3)));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(attn_scores));
  const Tensor context_vecs = joined_heads(p, matmul(attn_weights, values_heads));
  p.show("output", "out_proj\n", layer.linear("out_proj", "out_proj", context_vecs, d));
  layer.check_all_used();
}

constexpr Meaning of_multihead_attention[] = {
    {"scaled_queries_heads",
     "Queries are scaled before they meet the keys: the same as scaling the scores, with fewer multiplications."},
    {"attn_weights", "Softmax, row by row. Nothing is masked, as without attn_mask."},
    {"output", "The output projection mixes what the heads have found. Norm and residual are outside of this module."},
};

}  // namespace

std::span<const Model> models() {
  static const Model all[] = {
      {.name = "gpt2",
       .title = "GPT-2",
       .run = gpt2,
       .special = "LayerNorm before; a causal mask; the residual",
       .meanings = of_gpt2,
       .mark = "attn.c_attn.weight",
       .types = "gpt2",
       .part = "attn.",
       .ignored = "attn.bias attn.masked_bias",
       .assumed = "layer_norm_epsilon 1e-05",
       .embeddings = "wte.weight wpe.weight"},
      {.name = "llama",
       .title = "Llama",
       .run = llama,
       .special = "RMSNorm before; rotary embedding; grouped heads; a causal mask; the residual",
       .meanings = of_llama,
       .mark = "self_attn.q_proj.weight",
       .types = "llama mistral mixtral qwen2",
       .part = "self_attn.",
       .ignored = "self_attn.rotary_emb.inv_freq",
       .embeddings = "embed_tokens.weight"},
      {.name = "bert",
       .title = "BERT",
       .run = bert,
       .special = "no mask; the residual and LayerNorm after",
       .meanings = of_bert,
       .mark = "attention.self.query.weight",
       .types = "bert roberta xlm-roberta camembert electra",
       .part = "attention.",
       .assumed = "layer_norm_eps 1e-12",
       .embeddings = "embeddings.word_embeddings.weight embeddings.token_type_embeddings.weight "
                     "embeddings.position_embeddings.weight embeddings.LayerNorm.weight embeddings.LayerNorm.bias "
                     "embeddings_project.weight embeddings_project.bias"},
      {.name = "gpt-model",
       .title = "the book's GPTModel",
       .run = gpt_model,
       .special = "LayerNorm before, by hand; a causal mask; the residual",
       .meanings = of_gpt_model,
       .mark = "att.W_query.weight",
       .part = "att.",
       .ignored = "att.mask",
       .embeddings = "tok_emb.weight pos_emb.weight"},
      {.name = "multihead-attention",
       .title = "nn.MultiheadAttention",
       .run = multihead_attention,
       .special = "scaled queries; no mask; no norm",
       .meanings = of_multihead_attention,
       .mark = "in_proj_weight"},
  };
  return all;
}

}  // namespace attn::chapters::layer
