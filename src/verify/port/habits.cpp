#include "verify/port/habits.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>

namespace attn::verify {
namespace {

constexpr std::string_view any_scores =
    "attn_scores scaled_attn_scores biased_attn_scores masked_attn_scores attn_scores_2 scaled_attn_scores_2";
constexpr std::string_view any_weights =
    "attn_weights dropout_attn_weights masked_simple_norm attn_weights_mean attn_weights_2 masked_simple";
constexpr std::string_view scores_or_weights =
    "attn_scores scaled_attn_scores biased_attn_scores masked_attn_scores attn_scores_2 scaled_attn_scores_2 "
    "attn_weights "
    "dropout_attn_weights";
constexpr std::string_view weights_or_scores =  // which variables are reused for
    "attn_weights dropout_attn_weights masked_simple_norm attn_weights_mean attn_weights_2 masked_simple "
    "masked_attn_scores scaled_attn_scores attn_scores";
constexpr std::string_view any_context =
    "context_vecs context_heads context_vec joined_heads all_context_vecs context_vec_2";
constexpr std::string_view any_output =
    "output context_vecs context_vec context_heads joined_heads all_context_vecs context_vec_2";

const std::vector<Habit>& habits() {
  static const std::vector<Habit> table = {
      {"q query queries q_proj q_lin q_linear q_layer to_q query_proj query_layer query_states query_projection "
       "query_dense linear_q attn_q "
       "qcur c_q mixed_query_layer q_heads q_head qs q_mat query_heads query_scaled scaled_query queries_scaled "
       "queries_split q_split q_scaled scaled_q "
       "q_states q_vec xq x_q q_einsum "
       "q_net q_fc fc_q proj_q qproj q_tensor q_out q_transform query_linear linear_query linear_queries query_vec "
       "query_vectors query_matrix "
       "query_tensor query_transform query_out query_split split_query split_queries queries_heads hook_q qh",
       "queries queries_heads scaled_queries scaled_queries_heads query_2 query", "W_query"},
      {"k key keys k_proj k_lin k_linear k_layer to_k key_proj key_layer key_states key_projection key_dense linear_k "
       "attn_k kcur c_k "
       "mixed_key_layer k_heads k_head ks k_mat key_heads keys_split k_split k_scaled scaled_k key_scaled scaled_key "
       "keys_scaled k_states k_vec xk x_k "
       "k_einsum k_net k_fc fc_k "
       "proj_k kproj k_tensor k_out k_transform key_linear linear_key linear_keys key_vec key_vectors key_matrix "
       "key_tensor key_transform "
       "key_out key_split split_key split_keys keys_heads hook_k kh",
       "keys keys_heads scaled_keys scaled_keys_heads keys_transposed key_2", "W_key"},
      {"v value values v_proj v_lin v_linear v_layer to_v value_proj value_layer value_states value_projection "
       "value_dense linear_v "
       "vcur c_v mixed_value_layer v_heads v_head vs v_mat value_heads values_split v_split v_states v_vec xv x_v "
       "v_einsum v_net v_fc fc_v "
       "proj_v vproj v_tensor v_transform value_linear linear_value linear_values value_vec value_vectors "
       "value_matrix value_tensor "
       "value_transform value_split split_value split_values values_heads hook_v vh",
       "values values_heads value_2", "W_value"},
      {"v_out value_out values_out out_v attn_v v_attn",  // of the projection, or of weights @ values
       "values values_heads value_2 context_heads context_vecs context_vec joined_heads all_context_vecs context_vec_2",
       "W_value"},
      {"wq w_q w_query wquery weight_query weight_q query_w q_w weights_q", "queries queries_heads", "W_query"},
      {"wk w_k w_key wkey weight_key weight_k key_w k_w weights_k", "keys keys_heads", "W_key"},
      {"wv", "W_value context_vecs context_heads", "W_value"},
      {"w_v w_value wvalue weight_value weight_v value_w v_w weights_v", "", "W_value"},
      {"bq b_q b_query q_b bias_q query_b", "W_query_bias"},
      {"bk b_k b_key k_b bias_k key_b", "W_key_bias"},
      {"bv b_v b_value v_b bias_v value_b", "W_value_bias"},
      {"bo b_o b_out o_b bias_o out_b proj_b attprojb", "out_proj_bias"},
      {"wo w_o wout w_out weight_o weight_out out_w o_w w_proj proj_w w_output output_w w_concat attprojw "
       "attn_vec_einsum",
       "output", "out_proj"},
      {"kt k_t keys_t key_t k_transposed key_transposed keys_trans k_trans", "keys_transposed"},
      {"qkv", "context_heads context_vecs", "", "W_query W_key W_value"},  // fused, or softmax(Q K^T) V
      {"c_attn in_proj to_qkv wqkv w_qkv qkv_proj query_key_value attn_qkv qkv_linear fused_qkv qkv_layer w_pack "
       "mixed_x_layer mixed_qkv qkv_net qkvw qkv_w "
       "qkvb qkv_b qkv_out qkv_einsum qkv_combined qkv_fused",
       "qkv", "qkv", "W_query W_key W_value"},
      {"kv to_kv wkv w_kv kv_proj key_value c_kv kv_net kvw kv_w kvb kv_b", "", "", "W_key W_value"},
      {"scores score attn_scores raw_scores qk qkt qk_t q_k kq dots dot dot_products dot_prod sim "
       "similarity similarities energy "
       "energies e s logits attn_logits attention_logits attn_raw att_scores att_raw raw unscaled_scores omega "
       "compatibility affinity "
       "affinities wei_raw kq_raw att_logits preatt pre_att pre_softmax presoftmax qk_scores score_matrix scores_raw "
       "qk_dot qk_product "
       "matmul_qk qk_matmul query_key attention_logit attn_dots att_score raw_attention hook_attn_scores",
       any_scores},
      {"attention_scores attention_score attn_score qk_buf",
       scores_or_weights},  // Keras, Flux and FasterTransformer call the weights so
      {"scaled scaled_scores scaled_attn_scores scaled_attention_scores scaled_dots scores_scaled kq_scaled "
       "scaled_logits scaled_energy "
       "s_scaled scaled_qk att_scaled scaled_sim scaled_attention_logits qk_scaled logits_scaled scaled_dot_products",
       "scaled_attn_scores scaled_attn_scores_2"},
      {"masked masked_scores masked_attn_scores masked_attention_scores masked_logits scores_masked masked_energy "
       "masked_dots kq_masked "
       "s_masked att_masked masked_sim scores_after_mask attn_masked masked_s padded_logits logits_masked "
       "masked_attn_logits "
       "masked_attention_logits masked_qk qk_masked wei_masked",
       "masked_attn_scores scaled_attn_scores masked_simple ?attn_scores"},
      {"attn_weights attention_weights attn_weight attention_weight attn_w final_attn_scores", weights_or_scores},
      {"w",
       "attn_weights dropout_attn_weights masked_simple_norm attn_weights_mean attn_weights_2 masked_simple batch "
       "inputs"},
      {"weights probs prob probabilities p "
       "attn_probs attention_probs "
       "attn_prob attention_prob alpha alphas a softmax attn_softmax kq_soft_max kq_soft_max_ext soft_max "
       "attn_output_weights attn_map "
       "attention_map attention_matrix normalized_weights att_weights wei attn_dist attention_distribution "
       "score_weights softmaxed "
       "att_probs att_softmax p_attn pattern hook_pattern attn_pattern attention_pattern softmax_scores softmax_out "
       "softmax_output softmax_weights "
       "scores_softmax softmax_qk soft",
       any_weights},
      {"att attn attention",
       "attn_weights attn_scores scaled_attn_scores masked_attn_scores dropout_attn_weights attn_weights_mean "
       "masked_simple_norm output "
       "context_vecs context_heads"},
      {"dropped dropped_weights dropout_weights attn_weights_dropped dropped_attn dropped_probs attn_dropout attn_drop "
       "p_drop p_dropped "
       "weights_dropped dropout_attn_weights probs_dropped attn_probs_dropped",
       "dropout_attn_weights attn_weights"},
      {"dropout_mask keep_mask drop_mask keep kept dropped_mask", "dropout_mask"},
      {"mask masque maske mascara causal_mask attn_mask attention_mask tril triu look_ahead_mask lookahead_mask "
       "kq_mask masks additive_mask "
       "mask_bool "
       "extended_attention_mask attn_bias future_mask causal bias mask_attn mask_causal mask_tril tril_mask triu_mask "
       "causal_bias mask_bias "
       "subsequent_mask tgt_mask src_mask causal_attention_mask attn_mask_bool attention_bias mask_adder adder",
       "mask mask_simple alibi_bias"},
      {"m", "mask masked_attn_scores scaled_attn_scores mask_simple"},
      {"context ctx context_layer context_vec context_vecs context_vector context_vectors ctx_vec ctx_vecs z zs "
       "head_out head_output "
       "head_outputs heads_out head_outs kqv kqv_merged kqv_merged_cont concat concatenated merged merged_heads "
       "concat_heads joined joined_heads "
       "attended av pv weighted_sum weighted_values heads o_heads context_merged merged_context ctx_merged "
       "context_heads xb "
       "atty values_hat "
       "value_hat encoded context_original contexts concat_attention concat_output concat_out concat_context "
       "output_concat out_concat combined "
       "combined_heads merge_heads heads_merged heads_concat context_states attended_values attn_ctx attention_context "
       "weighted_v "
       "scaled_attention output_heads heads_output out_reshaped y_reshaped output_reshaped attn_output_reshaped "
       "out_heads out_merged hook_z contexte contexto kontext",
       any_context},
      {"attn_vec attn_vecs",
       "context_vecs context_heads context_vec joined_heads all_context_vecs context_vec_2 output"},
      {"o", "context_vecs output context_heads context_vec joined_heads all_context_vecs", "out_proj"},
      {"out output outputs y result res attn_output attn_out attention_output attn_outputs self_attn_output kqv_out "
       "final final_output proj_out "
       "projected projected_out out_projected xb2 mha_out mha_output self_attention_output o_proj_out "
       "output_projection attproj final_out "
       "layer_output projected_context projected_context_layer attn_result attn_final hook_attn_out sortie salida "
       "ausgabe",
       any_output, "out_proj", "", true},
      {"self_attn self_attention", any_output, "", "", true},
      {"out_proj o_proj c_proj proj projection to_out dense out_lin output_dense attn_output_dense output_proj proj_o "
       "linear_out linear_o "
       "final_linear fc_out fc_o attn_proj wo_proj out_linear output_linear o_net o_fc proj_out_linear linear_final "
       "out_projection attn_output_proj attn_out_proj attention_out_proj attention_output_proj output_transform "
       "attn_output_projected attn_proj_out",
       "output ?context_vecs", "out_proj", "", true},
      {"x xs h cur", "batch inputs output context_vecs context_vec context_heads joined_heads queries keys values"},
      {"input inputs from_tensor layer_in query_input query_antecedent embeddings embedding embedded hidden_states "
       "hidden_state hidden src inp inpl emb x_in "
       "embeds "
       "input_embeddings batch entree entrees entrada entradas eingabe",
       "batch inputs"},
      {"x2 y_in context_in memory encoder_hidden_states encoder_output second_inputs kv_input source second_input",
       "second_input"},
      {"d_q d_queries d_query",
       "grad_queries ?queries ?queries_heads ?scaled_queries ?scaled_queries_heads ?query_2 ?query", "W_query"},
      {"d_k d_keys d_key", "grad_keys ?keys ?keys_heads ?scaled_keys ?scaled_keys_heads ?keys_transposed ?key_2",
       "W_key"},
      {"d_v d_values d_value", "grad_values ?values ?values_heads ?value_2", "W_value"},
      {"d_s d_scores d_logits",
       "grad_attn_scores grad_masked_attn_scores grad_scaled_attn_scores ?attn_scores ?scaled_attn_scores "
       "?masked_attn_scores"},
      {"d_p d_probs d_attn", "grad_attn_weights ?attn_weights ?dropout_attn_weights"},
      {"d_o", "grad_context_vecs ?context_vecs ?output ?context_heads ?context_vec ?joined_heads", "out_proj"},
      {"d_out",
       "grad_context_vecs ?output ?context_vecs ?context_vec ?context_heads ?joined_heads ?all_context_vecs "
       "?context_vec_2",
       "out_proj", "", true},
      {"dq grad_q q_grad grad_query query_grad queries_grad dqueries dquery", "grad_queries"},
      {"dk grad_k k_grad grad_key key_grad keys_grad dkeys dkey", "grad_keys"},
      {"dv grad_v v_grad grad_value value_grad values_grad dvalues dvalue", "grad_values"},
      {"ds dscores grad_scores scores_grad dattn_scores attn_scores_grad dlogits grad_logits dpreatt",
       "grad_attn_scores grad_masked_attn_scores grad_scaled_attn_scores"},
      {"dp datt dattn dweights grad_attn attn_grad attn_weights_grad dattn_weights dprobs grad_probs",
       "grad_attn_weights"},
      {"dout dcontext dctx grad_context context_grad context_vecs_grad grad_out grad_output doutput",
       "grad_context_vecs"},
      {"dwq d_wq dw_q grad_wq wq_grad w_q_grad grad_w_q w_query_grad w_query_weight_grad q_proj_weight_grad",
       "grad_W_query"},
      {"dwk d_wk dw_k grad_wk wk_grad w_k_grad grad_w_k w_key_grad w_key_weight_grad k_proj_weight_grad", "grad_W_key"},
      {"dwv d_wv dw_v grad_wv wv_grad w_v_grad grad_w_v w_value_grad w_value_weight_grad v_proj_weight_grad",
       "grad_W_value"},
      {"pe positional_encoding positional_encodings position_encoding position_encodings pos_encoding pos_enc "
       "sinusoids "
       "sinusoidal sinusoidal_embeddings",
       "encodings"},
      {"token_embeddings token_embedding tok_embeddings tok_embeds tok_emb wte word_embeddings embed_tokens "
       "inputs_embeds",
       "token_embeddings inputs batch"},
      {"position_embedding position_embeddings positional_embedding positional_embeddings pos_emb pos_embeds wpe",
       "pos_embeddings"},
      {"embedded_inputs encoded_inputs input_embeddings_with_positions x_pos x_pe embeddings_with_positions",
       "inputs_with_positions"},
      {"slopes slope alibi_slopes head_slopes", "slopes"},
      {"alibi alibi_mask alibi_bias alibi_biases linear_bias linear_biases position_bias distance_bias relative_bias",
       "alibi_bias"},
      {"biased biased_scores biased_attn_scores biased_attention_scores scores_biased scores_with_bias "
       "scores_with_alibi",
       "biased_attn_scores"},
      {"sinks sink attention_sinks attn_sinks sink_logits s_aux", "sinks"},
      {"scores_with_sinks logits_with_sink logits_with_sinks combined_scores combined_logits", "scores_with_sink"},
      {"weights_with_sinks probs_with_sink probs_with_sinks combined_weights combined_probs", "weights_with_sink"},
      {"distances distance relative_positions relative_distances relative_distance", "distances"},
      {"normed norm norm1 norm_1 ln ln1 ln_1 layernorm layer_norm layernorm1 input_layernorm attn_norm attention_norm "
       "pre_norm prenorm x_norm normed_x norm_x h_norm normed_hidden_states norm_out ln_out ln1_out norm1_out attn_ln "
       "self_attn_layer_norm layer_norm1 norm_input hook_normalized",
       "normed", "norm"},
      {"residual resid residual_sum residual_out resid_mid hook_resid_mid x_after hidden_states_out added "
       "attn_residual "
       "after_attn after_attention x_residual resid_out",
       "residual_sum"},
      {"rotated_queries q_rot q_rope q_rotated q_embed query_rotated q_rotary rope_q rotary_q xq_out query_rot "
       "hook_rot_q qcur_rope roped_q q_pe",
       "rotated_queries"},
      {"rotated_keys k_rot k_rope k_rotated k_embed key_rotated k_rotary rope_k rotary_k xk_out key_rot hook_rot_k "
       "kcur_rope roped_k k_pe",
       "rotated_keys"},
      {"frequencies inv_freq freqs freq theta thetas", "frequencies"},
      {"cos freqs_cos cos_cached cos_table", "cos"},
      {"sin freqs_sin sin_cached sin_table", "sin"},
      {"k_cache cache_k key_cache cached_k cached_keys", "cached_keys keys"},
      {"v_cache cache_v value_cache cached_v cached_values", "cached_values values"},
      {"keys_repeated k_repeated repeated_keys k_expanded keys_expanded k_rep repeat_k", "keys_repeated"},
      {"values_repeated v_repeated repeated_values v_expanded values_expanded v_rep repeat_v", "values_repeated"},
      {"scale scaling scale_factor norm_factor sqrt_d sqrt_dk sqrt_d_k sqrt_head_dim inv_sqrt_d softmax_scale d_sqrt",
       "scale sqrt_head_dim one_over_sqrt_head_dim"},
  };
  return table;
}

const std::map<std::string, const Habit*, std::less<>>& by_word() {
  static const auto index = [] {
    std::map<std::string, const Habit*, std::less<>> result;
    for (const Habit& habit : habits()) {
      for (const std::string& word : words_in(habit.words)) {
        result.emplace(word, &habit);
      }
    }
    return result;
  }();
  return index;
}

/// Rows by words written as one: "causalmask".
const std::map<std::string, const Habit*, std::less<>>& by_letters() {
  static const auto index = [] {
    std::map<std::string, const Habit*, std::less<>> result;
    for (const auto& [word, habit] : by_word()) {
      std::string letters = word;
      std::erase(letters, '_');
      result.emplace(letters, habit);
    }
    return result;
  }();
  return index;
}

}  // namespace

const Habit* habit_of(const std::string& word) {
  const auto found = by_word().find(word);
  if (found != by_word().end()) {
    return found->second;
  }
  constexpr std::size_t fewest = 5;  // letters that are no chance
  const auto run_together = word.size() < fewest ? by_letters().end() : by_letters().find(word);
  return run_together == by_letters().end() ? nullptr : run_together->second;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) {
      words.emplace_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return words;
}

}  // namespace attn::verify
