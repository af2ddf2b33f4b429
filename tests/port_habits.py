"""Names and layouts of attention's tensors in libraries, papers and tutorials, one row each."""

# Where a program scales ("after" the mask, "before" it, the "query", "both" queries and keys), its mask, and how it
# calls what: * is q, k and v, {h} the number of a head, and @ says how a tensor is laid out.
HABITS = {
    "this tool": ("after", "drop",
        "x=batch x2=second_input W*=W_{query} b*=W_{query}_bias Wo=out_proj_weight bo=out_proj_bias *={queries} "
        "*h={queries}_heads kt=keys_transposed mask=mask scores=attn_scores masked=masked_attn_scores "
        "scaled=scaled_attn_scores weights=attn_weights kept=dropout_mask dropped=dropout_attn_weights "
        "ctxh=context_heads ctx=context_vecs out=output"),
    "book": ("after", "drop",
        "x=batch W*=mha.W_{query}.weight b*=mha.W_{query}.bias Wo=mha.out_proj.weight bo=mha.out_proj.bias "
        "mask=mha.mask *h={queries} masked=attn_scores weights=attn_weights ctx=context_vec out=out"),
    "nn.MultiheadAttention": ("query", "inf",
        "x=src x2=memory Wqkv=self_attn.in_proj_weight bqkv=self_attn.in_proj_bias Wo=self_attn.out_proj.weight "
        "bo=self_attn.out_proj.bias *h={q}@n mask=attn_mask mean=attn_output_weights out=attn_output"),
    "nanoGPT": ("before", "keep01",
        "x=x Wqkv=transformer.h.0.attn.c_attn.weight bqkv=transformer.h.0.attn.c_attn.bias "
        "Wo=transformer.h.0.attn.c_proj.weight bo=transformer.h.0.attn.c_proj.bias mask=transformer.h.0.attn.bias@11 "
        "*h={q} scaled=att masked=att_masked weights=att_softmax ctxh=y ctx=y_merged out=y_proj"),
    "GPT-2": ("before", "min",
        "x=hidden_states Wqkv=h.0.attn.c_attn.weight@t bqkv=h.0.attn.c_attn.bias Wo=h.0.attn.c_proj.weight@t "
        "bo=h.0.attn.c_proj.bias *h={query}_states weights=attn_weights out=attn_output"),
    "Llama": ("before", "min",
        "x=hidden_states W*=model.layers.0.self_attn.{q}_proj.weight b*=model.layers.0.self_attn.{q}_proj.bias "
        "Wo=model.layers.0.self_attn.o_proj.weight bo=model.layers.0.self_attn.o_proj.bias *h={query}_states "
        "mask=causal_mask@b1 weights=attn_weights ctxh=attn_output@bthd out=self_attn.o_proj.output"),
    "BERT": ("before", "min",
        "x=hidden_states W*=bert.encoder.layer.0.attention.self.{query}.weight "
        "b*=bert.encoder.layer.0.attention.self.{query}.bias Wo=bert.encoder.layer.0.attention.output.dense.weight "
        "bo=bert.encoder.layer.0.attention.output.dense.bias q=mixed_query_layer *h={query}_layer "
        "mask=extended_attention_mask@b1 masked=attention_scores weights=attention_probs ctx=context_layer "
        "out=attention_output"),
    "DistilBERT": ("query", "min",
        "x=x W*=attention.{q}_lin.weight b*=attention.{q}_lin.bias Wo=attention.out_lin.weight "
        "bo=attention.out_lin.bias *h={q} scores=scores weights=weights ctx=context out=output"),
    "llama.cpp": ("before", "inf",
        "x=inpL W*=blk.0.attn_{q}.weight b*=blk.0.attn_{q}.bias Wo=blk.0.attn_output.weight bo=blk.0.attn_output.bias "
        "*={Q}cur-0 scores=kq-0 mask=KQ_mask weights=kq_soft_max_ext-0 ctxh=kqv-0 ctx=kqv_merged_cont-0 out=kqv_out-0"),
    "ggml": ("before", "inf",
        "x=inp Wqkv=model/h0/attn/c_attn/w bqkv=model/h0/attn/c_attn/b Wo=model/h0/attn/c_proj/w "
        "bo=model/h0/attn/c_proj/b *={Q}cur *h={Q} scores=KQ scaled=KQ_scaled masked=KQ_masked weights=KQ_soft_max "
        "ctxh=KQV ctx=KQV_merged out=cur"),
    "llama2.c": ("before", "inf",
        "x=x W*=w{q} b*=b{q} Wo=wo bo=bo *={q} scaled=att_raw weights=att ctx=xb out=xb2"),
    "llm.c": ("before", "lower",
        "x=inp Wqkv=qkvw bqkv=qkvb Wo=attprojw bo=attprojb qkv=qkv masked=preatt weights=att ctx=atty out=attproj"),
    "Flax": ("query", "keep",
        "x=inputs_q W*=params/MultiHeadDotProductAttention_0/{query}/kernel@dhd "
        "b*=params/MultiHeadDotProductAttention_0/{query}/bias@hd "
        "Wo=params/MultiHeadDotProductAttention_0/out/kernel@hdd bo=params/MultiHeadDotProductAttention_0/out/bias "
        "*h={query}@bthd mask=mask@b1 weights=attn_weights ctxh=x@bthd out=out"),
    "Keras": ("query", "keep",
        "x=query_input W*=multi_head_attention/{query}/kernel:0@dhd b*=multi_head_attention/{query}/bias:0@hd "
        "Wo=multi_head_attention/attention_output/kernel:0@hdd bo=multi_head_attention/attention_output/bias:0 "
        "mask=attention_mask@b1 weights=attention_scores out=attention_output"),
    "TensorFlow tutorial": ("before", "drop01",
        "x=x W*=mha/w{q}/kernel@t b*=mha/w{q}/bias Wo=mha/dense/kernel@t bo=mha/dense/bias *h={q} "
        "mask=look_ahead_mask scores=matmul_qk masked=scaled_attention_logits weights=attention_weights "
        "ctxh=scaled_attention ctx=concat_attention out=output"),
    "Haiku": ("before", "keep",
        "x=x W*=multi_head_attention/{query}/w@t b*=multi_head_attention/{query}/b Wo=multi_head_attention/linear/w@t "
        "bo=multi_head_attention/linear/b *h={query}_heads@bthd masked=attn_logits weights=attn_weights ctx=attn "
        "out=attn_vec"),
    "Gemma": ("query", "min",
        "x=x W*=layer_0/attn/{q}_einsum/w@hDd Wo=layer_0/attn/attn_vec_einsum/w@hdd *h={query}_proj@bthd "
        "scores=logits masked=padded_logits weights=probs ctxh=encoded@bthd out=attn_output"),
    "TransformerLens": ("before", "inf",
        "x=hook_resid_pre W*=blocks.0.attn.W_{Q}@hDd b*=blocks.0.attn.b_{Q}@hd Wo=blocks.0.attn.W_O@hdd "
        "bo=blocks.0.attn.b_O *h=blocks.0.attn.hook_{q}@bthd masked=blocks.0.attn.hook_attn_scores "
        "weights=blocks.0.attn.hook_pattern ctxh=blocks.0.attn.hook_z@bthd out=blocks.0.hook_attn_out"),
    "MLX": ("query", "inf",
        "x=x W*=attention.{query}_proj.weight b*=attention.{query}_proj.bias Wo=attention.out_proj.weight "
        "bo=attention.out_proj.bias *h={queries} mask=mask masked=scores weights=softmax_scores ctx=values_hat "
        "out=out"),
    "burn": ("before", "drop",
        "x=input W*={query}.weight@t b*={query}.bias Wo=output.weight@t bo=output.bias *h={query} mask=mask_attn "
        "scaled=attn_scores weights=weights ctx=context out=output"),
    "candle": ("before", "inf",
        "x=xs W*=layers.0.self_attn.{q}_proj.weight b*=layers.0.self_attn.{q}_proj.bias "
        "Wo=layers.0.self_attn.o_proj.weight bo=layers.0.self_attn.o_proj.bias *h={query}_states "
        "mask=attention_mask@b1 weights=attn_weights ctxh=attn_output out=attn_output_proj"),
    "tinygrad": ("before", "inf",
        "x=x W*=attention.w{q}.weight b*=attention.w{q}.bias Wo=attention.wo.weight bo=attention.wo.bias *h=x{q} "
        "masked=qk weights=softmax ctxh=attn out=output"),
    "Whisper": ("both", "inf",
        "x=x W*=attn.{query}.weight b*=attn.{query}.bias Wo=attn.out.weight bo=attn.out.bias qs=q ks=k vh=v masked=qk "
        "weights=w ctx=wv out=out"),
    "letters": ("before", "drop",
        "x=X W*=W_{Q}@t b*=b_{Q} Wo=W_O@t bo=b_O *h={Q} mask=M scaled=S weights=P ctx=O out=Y"),
    "tutorial": ("before", "drop",
        "x=embeddings W*=weight_{query} b*=bias_{query} Wo=output_weight bo=output_bias *={queries} "
        "*h=split_{queries} mask=causal_mask scores=raw_scores scaled=scaled_scores masked=masked_scores "
        "weights=attention_weights ctxh=head_outputs ctx=concatenated out=final_output"),
    "camel": ("before", "drop",
        "x=inputEmbeddings W*={query}Weight b*={query}Bias Wo=outputWeight bo=outputBias *h={query}Heads "
        "mask=causalMask scores=attnScores scaled=scaledScores masked=maskedScores weights=attnWeights "
        "ctx=contextVectors out=attnOutput"),
    "T5": ("before", "min",
        "x=hidden_states W*=encoder.block.0.layer.0.SelfAttention.{q}.weight "
        "b*=encoder.block.0.layer.0.SelfAttention.{q}.bias Wo=encoder.block.0.layer.0.SelfAttention.o.weight "
        "bo=encoder.block.0.layer.0.SelfAttention.o.bias *h={query}_states masked=scores weights=attn_weights "
        "ctx=attn_output out=attention_output"),
    "timm": ("query", "inf",
        "x=x_in Wqkv=blocks.0.attn.qkv.weight bqkv=blocks.0.attn.qkv.bias Wo=blocks.0.attn.proj.weight "
        "bo=blocks.0.attn.proj.bias *h={q} weights=attn out=blocks.0.attn.proj"),
    "fairseq": ("query", "inf",
        "x=query_in@tbd W*=layers.0.self_attn.{q}_proj.weight b*=layers.0.self_attn.{q}_proj.bias "
        "Wo=layers.0.self_attn.out_proj.weight bo=layers.0.self_attn.out_proj.bias qs=q@n kh=k@n vh=v@n "
        "masked=attn_weights@n weights=attn_probs@n ctxh=attn@n out=attn_output@tbd"),
    "ESPnet": ("before", "min",
        "x=x W*=self_attn.linear_{q}.weight b*=self_attn.linear_{q}.bias Wo=self_attn.linear_out.weight "
        "bo=self_attn.linear_out.bias *h={q} scaled=scores weights=attn ctx=x_att out=linear_out"),
    "diffusers": ("before", "inf",
        "x=hidden_states x2=encoder_hidden_states W*=attn1.to_{q}.weight b*=attn1.to_{q}.bias "
        "Wo=attn1.to_out.0.weight bo=attn1.to_out.0.bias *h={query}@n masked=attention_scores@n "
        "weights=attention_probs@n ctx=hidden_states_attn out=attn1.to_out.0"),
    "xformers": ("before", "inf",
        "x=x W*=to_{q}.weight b*=to_{q}.bias Wo=proj.weight bo=proj.bias *h={q}@bthd mask=attn_bias ctxh=out@bthd "
        "out=proj_out"),
    "lucidrains": ("before", "drop",
        "x=x x2=context W*=to_{q}.weight b*=to_{q}.bias Wo=to_out.weight bo=to_out.bias *h={q} mask=causal_mask "
        "masked=sim weights=attn ctxh=out out=to_out"),
    "vit-pytorch": ("before", "inf",
        "x=x Wqkv=to_qkv.weight bqkv=to_qkv.bias Wo=to_out.0.weight bo=to_out.0.bias *h={q} scaled=dots weights=attn "
        "ctxh=out_heads ctx=out_merged out=to_out"),
    "d2l": ("before", "1e9",
        "x=X W*=attention.W_{q}.weight b*=attention.W_{q}.bias Wo=attention.W_o.weight bo=attention.W_o.bias "
        "*h={queries}@n scaled=scores@n weights=attention_weights@n ctxh=output@n ctx=output_concat out=Y"),
    "OpenNMT": ("query", "1e9",
        "x=inputs Wq=linear_query.weight Wk=linear_keys.weight Wv=linear_values.weight bq=linear_query.bias "
        "bk=linear_keys.bias bv=linear_values.bias Wo=final_linear.weight bo=final_linear.bias qs=query kh=key "
        "vh=value scores=query_key masked=scores weights=attn ctxh=context_original ctx=context out=attn_output"),
    "Annotated Transformer": ("before", "1e9",
        "x=src Wq=self_attn.linears.0.weight Wk=self_attn.linears.1.weight Wv=self_attn.linears.2.weight "
        "bq=self_attn.linears.0.bias bk=self_attn.linears.1.bias bv=self_attn.linears.2.bias "
        "Wo=self_attn.linears.3.weight bo=self_attn.linears.3.bias *h={query} masked=scores weights=p_attn ctxh=x"),
    "GPT-NeoX": ("before", "min",
        "x=hidden_states Wqkv=gpt_neox.layers.0.attention.query_key_value.weight@neox "
        "bqkv=gpt_neox.layers.0.attention.query_key_value.bias@neox Wo=gpt_neox.layers.0.attention.dense.weight "
        "bo=gpt_neox.layers.0.attention.dense.bias *h={query} masked=attn_scores weights=attn_weights "
        "ctxh=attn_output out=attention.dense"),
    "Transformer-XL": ("before", "inf",
        "x=w@tbd Wqkv=dec_attn.qkv_net.weight bqkv=dec_attn.qkv_net.bias Wo=dec_attn.o_net.weight "
        "bo=dec_attn.o_net.bias *h=w_head_{q}@tbhd masked=attn_score@ttbh weights=attn_prob@ttbh ctx=attn_vec@tbd "
        "out=attn_out@tbd"),
    "flash-attn": ("before", "inf",
        "x=x Wqkv=mixer.Wqkv.weight bqkv=mixer.Wqkv.bias Wo=mixer.out_proj.weight bo=mixer.out_proj.bias *h={q}@bthd "
        "scaled=qk ctxh=o@bthd out=out"),
    "Phi": ("before", "inf",
        "x=x Wkv=mixer.Wkv.weight bkv=mixer.Wkv.bias Wq=mixer.Wq.weight bq=mixer.Wq.bias Wo=mixer.out_proj.weight "
        "bo=mixer.out_proj.bias *h={q}@bthd masked=scores weights=attention ctxh=context@bthd out=output"),
    "ViT": ("before", "inf",
        "x=hidden_states W*=vit.encoder.layer.0.attention.attention.{query}.weight "
        "b*=vit.encoder.layer.0.attention.attention.{query}.bias Wo=vit.encoder.layer.0.attention.output.dense.weight "
        "bo=vit.encoder.layer.0.attention.output.dense.bias *h={query}_layer scaled=attention_scores "
        "weights=attention_probs ctx=context_layer out=dense_output"),
    "a head each": ("after", "drop",
        "x=x W*=heads.{h}.{query}.weight b*=heads.{h}.{query}.bias Wo=proj.weight bo=proj.bias *h=heads.{h}.{q} "
        "masked=heads.{h}.wei_masked weights=heads.{h}.wei ctxh=heads.{h}.out ctx=concat out=out"),
    "flat rows": ("before", "1e9",
        "x=x@flat W*=w{q} b*=b{q} Wo=wo bo=bo *={q}@flat scaled=scores weights=probs ctx=ctx@flat out=out@flat"),
    "ONNX": ("before", "inf",
        "x=hidden Wq=onnx::MatMul_216@t Wk=onnx::MatMul_227@t Wv=onnx::MatMul_228@t Wo=onnx::MatMul_250@t "
        "b*=attn.{q}_proj.bias bo=attn.out_proj.bias *=/attn/{q}_proj/Add_output_0 qh=/attn/Transpose_output_0 "
        "kh=/attn/Transpose_1_output_0 vh=/attn/Transpose_2_output_0 scores=/attn/MatMul_output_0 "
        "scaled=/attn/Div_output_0 masked=/attn/Add_output_0 weights=/attn/Softmax_output_0 "
        "ctxh=/attn/MatMul_1_output_0 ctx=/attn/Reshape_3_output_0 out=/attn/out_proj/Add_output_0"),
    "torch.fx": ("before", "drop",
        "x=l_x_ W*=l_self_modules_W_{query}_parameters_weight_ b*=l_self_modules_W_{query}_parameters_bias_ "
        "Wo=l_self_modules_out_proj_parameters_weight_ bo=l_self_modules_out_proj_parameters_bias_ q=linear "
        "k=linear_1 v=linear_2 qh=transpose kh=transpose_1 vh=transpose_2 scores=matmul scaled=truediv "
        "masked=masked_fill_ weights=softmax ctxh=matmul_1 ctx=view_3 out=linear_3"),
    "CUDA": ("before", "inf",
        "x=d_X W*=d_W{q} b*=d_b{q} Wo=d_Wo bo=d_bo *h=d_{Q} scaled=d_S weights=d_P ctxh=d_O out=d_out"),
    "flash-attn packed": ("before", "inf",
        "x=x Wqkv=Wqkv.weight bqkv=Wqkv.bias Wo=out_proj.weight bo=out_proj.bias qkv=qkv@bt3hd ctxh=out@bthd "
        "out=proj_out"),
    "MaxText": ("query", "inf",
        "x=decoder/layers_0/inputs_q W*=params/decoder/layers_0/self_attention/{query}/kernel@dhd "
        "b*=params/decoder/layers_0/self_attention/{query}/bias@hd "
        "Wo=params/decoder/layers_0/self_attention/out/kernel@hdd bo=params/decoder/layers_0/self_attention/out/bias "
        "*h=decoder/layers_0/self_attention/{query}_proj@bthd masked=attn_logits weights=attn_weights "
        "ctxh=wv_product@bthd out=decoder/layers_0/self_attention/out_projection"),
    "shape suffixes": ("before", "keep",
        "x=x_BTD W*=w_{q}_DHK@dhd b*=b_{q}_HK@hd Wo=w_o_HKD@hdd bo=b_o_D *h={q}_BHTK mask=mask_TS scores=logits_BHTS "
        "masked=masked_logits_BHTS weights=probs_BHTS ctxh=o_BTHK@bthd out=out_BTD"),
    "Julia": ("before", "inf",
        "x=x@rev W*=mha.{q}_proj.weight b*=mha.{q}_proj.bias Wo=mha.out_proj.weight bo=mha.out_proj.bias *h={q}@rev "
        "scaled=logits@rev weights=\u03b1@rev ctxh=y@rev out=out@rev"),
    "MATLAB": ("before", "inf",
        "x=X@e0 W*=W{q}@t b*=b{q} Wo=Wo@t bo=bo *={Q}@e0 scaled=attnScores@e0 weights=softmaxScores@e0 "
        "ctx=concatHeads@e0 out=Y@e0"),
    "ne order": ("before", "inf",
        "x=inpL@ne W*=blk.0.attn_{q}.weight b*=blk.0.attn_{q}.bias Wo=blk.0.attn_output.weight bo=blk.0.attn_output.bias "
        "*h={Q}cur-0_(permuted)@ne scores=kq-0@ne scaled=kq_scaled-0@ne masked=kq_masked-0@ne weights=kq_soft_max-0@ne "
        "ctxh=kqv-0@ne ctx=kqv_merged_cont-0@ne out=kqv_out-0@ne"),
    "Swift": ("before", "inf",
        "x=inputTensor W*={query}Projection.weight b*={query}Projection.bias Wo=outputProjection.weight "
        "bo=outputProjection.bias *h={query}Tensor scaled=scaledScoresTensor masked=maskedScoresTensor "
        "weights=attentionProbabilities ctxh=contextTensor out=outputTensor"),
    "Rust ndarray": ("before", "drop",
        "x=input_arr W*=w_{query}@t b*=b_{query} Wo=w_output@t bo=b_output *h={query}_arr scaled=scores_arr "
        "weights=attn_weights_arr ctxh=head_outputs_arr ctx=concat_arr out=output_arr"),
    "numbered": ("before", "inf",
        "x=00_input q=01_q_proj k=02_k_proj v=03_v_proj scores=04_qk scaled=05_scaled masked=06_masked "
        "weights=07_softmax ctxh=08_av ctx=09_merge_heads out=10_out_proj"),
    "OPT": ("query", "min",
        "x=hidden_states W*=model.decoder.layers.0.self_attn.{q}_proj.weight "
        "b*=model.decoder.layers.0.self_attn.{q}_proj.bias Wo=model.decoder.layers.0.self_attn.out_proj.weight "
        "bo=model.decoder.layers.0.self_attn.out_proj.bias *h={query}_states@n masked=attn_weights@n "
        "weights=attn_probs@n ctx=attn_output_reshaped out=model.decoder.layers.0.self_attn"),
    "BLOOM": ("before", "min",
        "x=hidden_states Wqkv=h.0.self_attention.query_key_value.weight@neox "
        "bqkv=h.0.self_attention.query_key_value.bias@neox Wo=h.0.self_attention.dense.weight "
        "bo=h.0.self_attention.dense.bias *h={query}_layer scaled=matmul_result@n masked=attn_weights "
        "weights=attention_probs ctx=context_layer out=output_tensor"),
    "hooks": ("before", "inf",
        "x=model.layers.0.input_layernorm q=model.layers.0.self_attn.q_proj k=model.layers.0.self_attn.k_proj "
        "v=model.layers.0.self_attn.v_proj weights=model.layers.0.self_attn.softmax "
        "out=model.layers.0.self_attn.o_proj"),
    "Keras 3": ("query", "keep",
        "x=inputs W*=layers/multi_head_attention/{query}_dense/vars/0@dhd "
        "b*=layers/multi_head_attention/{query}_dense/vars/1@hd "
        "Wo=layers/multi_head_attention/output_dense/vars/0@hdd bo=layers/multi_head_attention/output_dense/vars/1 "
        "*h={query}@bthd masked=attention_scores_masked weights=final_attn_scores ctxh=attn_output@bthd "
        "out=attention_output"),
    "Go": ("before", "inf",
        "x=embeddedTokens W*=wei{query} b*=bia{query} Wo=weiOutput bo=biaOutput *h=mat{Q} scaled=matQK weights=matSoftmax "
        "ctxh=matHeads ctx=matConcat out=matOutput"),
    "torchtune": ("before", "inf",
        "x=x W*=layers.0.attn.{q}_proj.weight b*=layers.0.attn.{q}_proj.bias Wo=layers.0.attn.output_proj.weight "
        "bo=layers.0.attn.output_proj.bias *h={q} mask=mask ctxh=sdpa_output out=layers.0.attn.output_proj"),
    "DeBERTa": ("before", "min",
        "x=hidden_states W*=deberta.encoder.layer.0.attention.self.{query}_proj.weight "
        "b*=deberta.encoder.layer.0.attention.self.{query}_proj.bias "
        "Wo=deberta.encoder.layer.0.attention.output.dense.weight bo=deberta.encoder.layer.0.attention.output.dense.bias "
        "*h={query}_layer@n masked=attention_scores weights=attention_probs ctx=context_layer out=attention_output"),
    "Equinox": ("before", "keep",
        "x=x@e0 W*=attn.{query}_proj.weight b*=attn.{query}_proj.bias Wo=attn.output_proj.weight "
        "bo=attn.output_proj.bias *h={query}_heads@thd mask=mask masked=logits@e0 weights=weights@e0 ctxh=attn@thd "
        "out=out@e0"),
    "Megatron": ("before", "min",
        "x=hidden_states@tbd Wqkv=encoder.layers.0.self_attention.query_key_value.weight@neox "
        "bqkv=encoder.layers.0.self_attention.query_key_value.bias@neox Wo=encoder.layers.0.self_attention.dense.weight "
        "bo=encoder.layers.0.self_attention.dense.bias *h={query}_layer@tbhd scaled=matmul_result@n "
        "masked=attention_scores weights=attention_probs ctx=context_layer@tbd out=self_attention.dense@tbd"),
    "x-transformers": ("before", "drop",
        "x=x x2=context W*=layers.0.1.to_{q}.weight b*=layers.0.1.to_{q}.bias Wo=layers.0.1.to_out.weight "
        "bo=layers.0.1.to_out.bias *h={q} mask=causal_mask scaled=qk_similarities masked=pre_softmax_attn "
        "weights=post_softmax_attn ctxh=out_per_head out=layers.0.1.to_out"),
    "Mistral": ("before", "inf",
        "x=x@flat W*=layers.0.attention.w{q}.weight b*=layers.0.attention.w{q}.bias Wo=layers.0.attention.wo.weight "
        "bo=layers.0.attention.wo.bias *h=x{q}@bthd scaled=scores weights=scores_softmax ctx=output_heads@flat "
        "out=output@flat"),
    "GPT-J": ("before", "min",
        "x=hidden_states W*=transformer.h.0.attn.{q}_proj.weight b*=transformer.h.0.attn.{q}_proj.bias "
        "Wo=transformer.h.0.attn.out_proj.weight bo=transformer.h.0.attn.out_proj.bias *h={query} "
        "mask=transformer.h.0.attn.bias@11 weights=attn_weights ctx=attn_output_merged out=transformer.h.0.attn.out_proj"),
    "whisper.cpp": ("both", "inf",
        "x=inpL W*=encoder.blocks.0.attn.{query}.weight b*=encoder.blocks.0.attn.{query}.bias "
        "Wo=encoder.blocks.0.attn.out.weight bo=encoder.blocks.0.attn.out.bias qs=Qcur ks=Kcur vh=Vcur "
        "masked=KQ_masked weights=KQ_soft_max ctxh=KQV ctx=KQV_merged out=KQV_out"),
    "TensorRT-LLM": ("before", "inf",
        "x=hidden_states Wqkv=transformer.layers.0.attention.qkv.weight bqkv=transformer.layers.0.attention.qkv.bias "
        "Wo=transformer.layers.0.attention.dense.weight bo=transformer.layers.0.attention.dense.bias "
        "qkv=transformer.layers.0.attention.qkv ctx=context out=transformer.layers.0.attention.dense"),
    "stacked qkv": ("query", "inf",
        "x=x Wqkv=blocks.0.attn.qkv.weight bqkv=blocks.0.attn.qkv.bias Wo=blocks.0.attn.proj.weight "
        "bo=blocks.0.attn.proj.bias qkv=qkv@3bhtd weights=attn ctxh=x_attn out=x_proj"),
    "Alammar": ("before", "inf",
        "x=X W*=W{Q}@t b*=b{Q} Wo=WO@t bo=bO *h={Q}_{h} scaled=S_{h} weights=A_{h} ctxh=Z_{h} ctx=Z out=R"),
    "tensor2tensor": ("query", "min",
        "x=query_antecedent W*=self_attention/multihead_attention/{q}/kernel@t "
        "b*=self_attention/multihead_attention/{q}/bias "
        "Wo=self_attention/multihead_attention/output_transform/kernel@t "
        "bo=self_attention/multihead_attention/output_transform/bias *h={q} masked=logits weights=attention_weights "
        "ctx=combined_heads out=output_transform"),
    "EasyLM": ("before", "inf",
        "x=hidden_states W*=transformer/h/0/attention/w{q}/kernel@t b*=transformer/h/0/attention/w{q}/bias "
        "Wo=transformer/h/0/attention/wo/kernel@t bo=transformer/h/0/attention/wo/bias *h=x{q}@bthd "
        "mask=attention_bias@b1 weights=attn_weights ctxh=attn_output@bthd out=transformer/h/0/attention/wo"),
    "Google BERT": ("before", "1e9",
        "x=from_tensor@flat W*=bert/encoder/layer_0/attention/self/{query}/kernel@t "
        "b*=bert/encoder/layer_0/attention/self/{query}/bias Wo=bert/encoder/layer_0/attention/output/dense/kernel@t "
        "bo=bert/encoder/layer_0/attention/output/dense/bias *h={query}_layer mask=adder@b1 masked=attention_scores "
        "weights=attention_probs ctx=context_layer@flat out=attention_output@flat"),
    "scaled_dot_product_attention": ("before", "inf",
        "x=x_input W*={q}_proj.weight b*={q}_proj.bias Wo=out_proj.weight bo=out_proj.bias *h={query} mask=attn_bias "
        "masked=attn_weight_biased weights=attn_weight ctxh=sdpa ctx=attn_concat out=out_proj"),
    "spreadsheet": ("before", "drop",
        "x=Embeddings@e0 W*=W_{Q}@t b*=b_{Q} Wo=W_O@t bo=b_O *={Q}@e0 scores=QK^T@e0 scaled=QK^T/sqrt(dk)@e0 "
        "masked=masked_QK^T@e0 weights=softmax@e0 ctx=concat(heads)@e0 out=Output@e0"),
    "C struct": ("before", "inf",
        "x=attn.in W*=attn.w{q} b*=attn.b{q} Wo=attn.wo bo=attn.bo *h=attn.{q} masked=attn.scores weights=attn.probs "
        "ctx=attn.ctx out=attn.out"),
    "LitGPT": ("before", "inf",
        "x=x Wqkv=transformer.h.0.attn.qkv.weight bqkv=transformer.h.0.attn.qkv.bias Wo=transformer.h.0.attn.proj.weight "
        "bo=transformer.h.0.attn.proj.bias *h={q} mask=mask@11 masked=scores weights=probs ctxh=y@bthd out=attn_proj_out"),
    "Swin": ("query", "inf",
        "x=x Wqkv=layers.0.blocks.0.attn.qkv.weight bqkv=layers.0.blocks.0.attn.qkv.bias "
        "Wo=layers.0.blocks.0.attn.proj.weight bo=layers.0.blocks.0.attn.proj.bias qs=q kh=k vh=v masked=attn_pre "
        "weights=attn ctx=attn_x out=layers.0.blocks.0.attn.proj"),
    "x-formers": ("before", "inf",
        "x=x W*=in_proj_container.{q}_proj.weight b*=in_proj_container.{q}_proj.bias Wo=proj.weight bo=proj.bias "
        "*h={q}@n mask=att_mask masked=att@n weights=att_softmaxed@n ctxh=y@n ctx=self_att out=self_output"),
    "DeepSpeed inference": ("before", "min",
        "x=input Wqkv=attn_qkvw@t bqkv=attn_qkvb Wo=attn_ow@t bo=attn_ob *h={query}_layer mask=input_mask@b1 "
        "weights=attention_probs ctxh=context_layer@bthd out=attn_output"),
    "vLLM": ("before", "inf",
        "x=hidden_states@flat Wqkv=model.layers.0.self_attn.qkv_proj.weight bqkv=model.layers.0.self_attn.qkv_proj.bias "
        "Wo=model.layers.0.self_attn.o_proj.weight bo=model.layers.0.self_attn.o_proj.bias qkv=qkv@flat *={q}@flat "
        "ctx=attn_output@flat out=output@flat"),
    "haiku code": ("before", "keep",
        "x=query W*=transformer/~/attn/{query}/w@t b*=transformer/~/attn/{query}/b Wo=transformer/~/attn/linear/w@t "
        "bo=transformer/~/attn/linear/b *h={query}_heads@bthd mask=mask@b1 masked=attn_logits weights=attn_weights "
        "ctx=attn out=final_projection"),
    "tf-models": ("query", "keep",
        "x=query W*=self_attention/{query}/kernel:0@dhd b*=self_attention/{query}/bias:0@hd "
        "Wo=self_attention/attention_output/kernel:0@hdd bo=self_attention/attention_output/bias:0 "
        "*h={query}_tensor@bthd weights=attention_scores ctxh=attention_output_heads@bthd out=attention_output"),
    "tf transformer v2": ("query", "1e9",
        "x=query_input W*=self_attention/{query}/kernel@dhd b*=self_attention/{query}/bias@hd "
        "Wo=self_attention/output_transform/kernel@hdd bo=self_attention/output_transform/bias qs=query_scaled@bthd "
        "kh=key@bthd vh=value@bthd mask=bias masked=logits weights=weights ctxh=attention_output_per_head@bthd "
        "out=attention_output"),
    "Equinox code": ("before", "keep",
        "x=x@e0 W*={query}_proj.weight b*={query}_proj.bias Wo=output_proj.weight bo=output_proj.bias "
        "*h={query}_heads@thd masked=logits@e0 weights=weights@e0 ctxh=attn@thd out=attn_projected@e0"),
    "MLX code": ("before", "inf",
        "x=x W*=self_attn.{q}_proj.weight b*=self_attn.{q}_proj.bias Wo=self_attn.o_proj.weight "
        "bo=self_attn.o_proj.bias *h={queries} scaled=scores weights=softmax_scores ctxh=output_heads ctx=output "
        "out=o_proj_output"),
    "burn code": ("before", "drop",
        "x=input W*=mha.{query}.weight@t b*=mha.{query}.bias Wo=mha.output.weight@t bo=mha.output.bias "
        "*h=attention_linear_{query} scaled=attn_scores_scaled masked=attn_scores_masked weights=softmax_weights "
        "ctxh=context_heads_b ctx=reshaped_context out=mha_output"),
    "candle quantized": ("before", "inf",
        "x=layer_in W*=blk.0.attn_{q}.weight b*=blk.0.attn_{q}.bias Wo=blk.0.attn_output.weight "
        "bo=blk.0.attn_output.bias *h={q} scaled=att masked=att_masked weights=att_softmax ctxh=y ctx=y_reshaped "
        "out=attention_wo"),
    "tinygrad BERT": ("before", "min",
        "x=hidden_states W*=self.{query}.weight b*=self.{query}.bias Wo=output.dense.weight bo=output.dense.bias "
        "*=mixed_{query}_layer *h={query}_layer ctxh=context_layer_heads ctx=context_layer out=dense_output"),
    "fairseq2": ("before", "inf",
        "x=seqs W*=self_attn.{q}_proj.weight b*=self_attn.{q}_proj.bias Wo=self_attn.output_proj.weight "
        "bo=self_attn.output_proj.bias *h={q} scaled=weights_raw weights=attn_weights ctxh=attns ctx=attns_flat "
        "out=attn_seqs"),
    "OpenNMT-tf": ("query", "1e9",
        "x=inputs W*=self_attention/linear_{queries}/kernel@t b*=self_attention/linear_{queries}/bias "
        "Wo=self_attention/linear_output/kernel@t bo=self_attention/linear_output/bias qs={queries} "
        "kh=keys vh=values masked=dot weights=attn ctxh=heads ctx=combined out=outputs"),
    "Sockeye": ("query", "1e9",
        "x=inputs@tbd Wo=att_self.ff_out.weight "
        "bo=att_self.ff_out.bias *h={queries}@n mask=bias masked=logits@n weights=probs@n ctxh=contexts_@n "
        "ctx=contexts@tbd out=contexts_out@tbd"),
    "Paddle": ("query", "inf",
        "x=query W*=self_attn.{q}_proj.weight@t b*=self_attn.{q}_proj.bias Wo=self_attn.out_proj.weight@t "
        "bo=self_attn.out_proj.bias *h={q} masked=product weights=weights ctxh=out_h ctx=out_reshaped out=out"),
    "RWKV style": ("before", "inf",
        "x=x W*=att.{query}.weight b*=att.{query}.bias Wo=att.output.weight bo=att.output.bias *h={q} "
        "scaled=qk weights=qk_softmax ctxh=qkv_out out=x_out"),
    "einops": ("before", "drop",
        "x=x W*=to_{queries}.weight b*=to_{queries}.bias Wo=unify_heads.weight bo=unify_heads.bias *h={queries} "
        "scores=dot scaled=dot_scaled masked=dot_masked weights=dot_softmax ctxh=out_bhid ctx=out_concat out=out_unified"),
    "labml": ("before", "inf",
        "x=x W*={query}.linear.weight b*={query}.linear.bias Wo=output.weight bo=output.bias *h={query}@tbhd "
        "masked=scores@ttbh weights=attn@ttbh ctxh=x_heads@tbhd out=output"),
    "ONNX Runtime": ("before", "inf",
        "x=input Wqkv=qkv_weight@t bqkv=qkv_bias Wo=out_proj_weight_ bo=out_proj_bias_ qh=Q_bnsh kh=K_bnsh vh=V_bnsh "
        "scaled=QK_bnss weights=softmax_bnss ctxh=QKV_bnsh ctx=QKV_bsd out=attention_out"),
    "FasterTransformer": ("before", "1e9",
        "x=from_tensor@flat W*=attention.{query}_weight.kernel@t b*=attention.{query}_weight.bias "
        "Wo=attention.attention_output_weight.kernel@t bo=attention.attention_output_weight.bias *h={q}_buf_2 "
        "scaled=qk_buf_raw weights=qk_buf ctxh=qkv_buf ctx=qkv_buf_3@flat out=attention_output@flat"),
    "GPT in 60 lines": ("before", "1e9",
        "x=x Wqkv=blocks.0.attn.c_attn.w@t bqkv=blocks.0.attn.c_attn.b Wo=blocks.0.attn.c_proj.w@t "
        "bo=blocks.0.attn.c_proj.b qkv=x_qkv qh=q_{h} kh=k_{h} vh=v_{h} mask=causal_mask ctxh=out_heads ctx=x_merged "
        "out=x_proj"),
    "nnx": ("query", "keep",
        "x=inputs_q W*=attention/{query}/kernel/value@dhd b*=attention/{query}/bias/value@hd "
        "Wo=attention/out/kernel/value@hdd bo=attention/out/bias/value *h={query}@bthd weights=attention_weights "
        "ctxh=x@bthd out=out"),
    "Flux": ("before", "inf",
        "x=q_in@rev W*=mha.{q}_proj.weight b*=mha.{q}_proj.bias Wo=mha.out_proj.weight bo=mha.out_proj.bias "
        "*h={q}_split@rev scaled=logits@rev weights=attn_score@rev ctxh=x_attn@rev out=y_out@rev"),
    "ANE": ("query", "min",
        "x=hidden_states@bd1t W*=attention.{q}_lin.weight@11c b*=attention.{q}_lin.bias Wo=attention.out_lin.weight@11c "
        "bo=attention.out_lin.bias *={q}@bd1t weights=attn_weights@bkhq ctx=attn@bd1t out=out@bd1t"),
    "DL4J": ("before", "inf",
        "x=input W*=0_W{q}@t b*=0_b{q} Wo=0_Wo@t bo=0_bo *h=projected{Queries}@bhdt weights=attnWeights@t "
        "ctxh=attnResults@bhdt out=layerOut"),
    "hooks in and out": ("after", "drop",
        "x=W_query.input q=W_query.output k=W_key.output v=W_value.output W*=W_{query}.weight b*=W_{query}.bias "
        "Wo=out_proj.weight bo=out_proj.bias weights=dropout.input dropped=dropout.output ctx=out_proj.input "
        "out=out_proj.output"),
    "TF graph": ("query", "1e9",
        "x=input_1:0 W*=multi_head_attention/{query}/kernel:0@dhd b*=multi_head_attention/{query}/bias:0@hd "
        "Wo=multi_head_attention/attention_output/kernel:0@hdd bo=multi_head_attention/attention_output/bias:0 "
        "*h=multi_head_attention/{query}/add:0@bthd qs=multi_head_attention/Mul:0@bthd "
        "weights=multi_head_attention/softmax/Softmax:0 ctxh=multi_head_attention/einsum_1/Einsum:0@bthd "
        "out=multi_head_attention/attention_output/add:0"),
    "numbered modules": ("before", "1e9",
        "x=inputs Wq=multihead_attention/dense/kernel:0@t Wk=multihead_attention/dense_1/kernel:0@t "
        "Wv=multihead_attention/dense_2/kernel:0@t bq=multihead_attention/dense/bias:0 "
        "bk=multihead_attention/dense_1/bias:0 bv=multihead_attention/dense_2/bias:0 *={Q} weights=outputs_softmax "
        "ctxh=outputs_context"),
    "Baichuan": ("before", "min",
        "x=hidden_states Wqkv=model.layers.0.self_attn.W_pack.weight bqkv=model.layers.0.self_attn.W_pack.bias "
        "Wo=model.layers.0.self_attn.o_proj.weight bo=model.layers.0.self_attn.o_proj.bias qkv=proj *h={query}_states "
        "weights=attn_weights ctxh=attn_output@bthd out=attn_output_proj"),
    "stacked kernel": ("before", "1e9", "x=x Wqkv=self_attention/kernel:0@3dd *=W{Q} weights=QK"),
    "French": ("before", "drop",
        "x=entrees W*=poids_{q}@t b*=biais_{q} Wo=poids_sortie@t bo=biais_sortie mask=masque scaled=scores "
        "weights=poids_attention ctx=contexte out=sortie"),
    "numpy functional": ("before", "inf",
        "x=X W*=W_{q} b*=b_{q} Wo=W_o bo=b_o *={Q} scores=QK_T scaled=scaled_QK masked=masked_QK weights=A ctxh=head_outputs "
        "ctx=concat_heads out=Z"),
    "einops per head": ("query", "min",
        "x=x Wqkv=to_qkv.weight bqkv=to_qkv.bias Wo=to_out.weight bo=to_out.bias *h={q} scores=sim masked=sim_masked "
        "weights=attn ctxh=out_per_head ctx=out_rearranged out=out"),
    "acts": ("before", "inf",
        "x=acts/resid W*=params/{query}_proj/w b*=params/{query}_proj/b Wo=params/out_proj/w bo=params/out_proj/b "
        "*h=acts/{query} scaled=acts/attn_logits weights=acts/attn_probs ctxh=acts/attn_mix out=acts/attn_out"),
    "debug_": ("before", "1e9",
        "x=debug_x *h=debug_{q} scores=debug_scores_raw scaled=debug_scores_div masked=debug_scores_masked "
        "weights=debug_probs ctxh=debug_ctx ctx=debug_merged out=debug_final"),
    "numbered steps": ("before", "inf",
        "x=01_input q=02_q k=03_k v=04_v scores=05_scores scaled=06_scaled masked=07_masked weights=08_softmax "
        "ctxh=09_context ctx=10_concat out=11_output"),
    "query_vectors": ("after", "inf",
        "x=input_embeddings W*={query}_weights b*={query}_biases Wo=output_weights bo=output_biases *={query}_vectors "
        "scores=dot_products masked=masked_dot_products scaled=scaled_dot_products weights=attention_distribution "
        "ctxh=weighted_values ctx=concatenated out=final_projection"),
    "suffixes BTC": ("before", "inf",
        "x=x_BTC *h={q}_BHTD scores=s_BHTS scaled=scaled_BHTS masked=masked_BHTS weights=p_BHTS ctxh=o_BHTD ctx=o_BTC out=y_BTC"),
    "Gemma suffixes": ("query", "min",
        "x=x_BTD *h={query}_proj@bthd masked=logits_BNTS weights=probs_BNTS ctxh=encoded_BTNH@bthd out=attn_output_BTD"),
    "camelCase": ("before", "1e9",
        "x=inputMat W*=w{Q} b*=b{Q} Wo=wOut bo=bOut *h={q}Mat scores=rawScores scaled=scaledScores masked=maskedScores "
        "weights=attnProbs ctxh=headOut ctx=concatOut out=finalOut"),
    "with shapes in words": ("after", "drop",
        "x=hidden W*=self.{query}.weight b*=self.{query}.bias Wo=self.out.weight bo=self.out.bias *h={query}_per_head "
        "mask=causal scores=scores_before_mask masked=scores_after_mask scaled=scores_after_scale weights=attention_map "
        "ctxh=context_per_head ctx=context_merged out=projected"),
    "pt files": ("before", "inf",
        "x=ref_hidden_states *h=ref_{query}_states scaled=ref_attn_weights_pre masked=ref_attn_weights_masked "
        "weights=ref_attn_weights_softmax ctxh=ref_attn_output_heads ctx=ref_attn_output_flat out=ref_attn_output"),
}
WORDS = {"{q}": "q k v", "{Q}": "Q K V", "{query}": "query key value", "{queries}": "queries keys values",
         "{Queries}": "Queries Keys Values"}


def slots_of(habit):
    """The name and layout of each slot."""
    found = {}
    for entry in HABITS[habit][2].split():
        slot, _, name = entry.partition("=")
        name, _, how = name.partition("@")
        for i, letter in enumerate("qkv" if "*" in slot else "-"):
            own = name
            for mark, words in WORDS.items():
                own = own.replace(mark, words.split()[i] if "*" in slot else mark)
            found[slot.replace("*", letter)] = (own, how)
    return found
