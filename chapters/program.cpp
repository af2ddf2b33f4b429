#include "chapters/program.hpp"

#include <utility>

#include "chapters/article.hpp"
#include "chapters/own.hpp"

namespace attn::chapters {

Projection::Projection(torch::Torch& torch, Init init, std::int64_t d_in, std::int64_t d_out, bool bias,
                       std::string name, bool requires_grad)
    : name_(std::move(name)) {
  if (init == Init::linear) {
    module_ = torch.linear(d_in, d_out, bias, name_);
    return;
  }
  const Tensor data = init == Init::rand ? torch.rand({d_in, d_out}) : torch.randn({d_in, d_out});
  matrix_ = requires_grad ? parameter(data) : frozen_parameter(data);
}

Projection::Projection(const Tensor& matrix, std::string name) : name_(std::move(name)), matrix_(matrix) {}

Program::Program(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch, Walkthrough& walk)
    : article_(*chapter.article),
      d_in_(lesson.d_in.value_or(chapter.takes.d_in)),
      lesson_(lesson),
      torch_(torch),
      walk_(walk) {}

Tensor Program::show(const std::string& name, const std::string& label, const Tensor& tensor, bool in_article) {
  has_grad_ ? void() : tensor.set_without_grad();
  walk_.show(name, label, tensor, in_article);
  return tensor;
}

Tensor Program::let(const std::string& name, const Tensor& tensor, const std::string& words) {
  has_grad_ ? void() : tensor.set_without_grad();
  walk_.let(name, tensor, words);
  return tensor;
}

Tensor Program::size(const std::string& name, const std::string& label, const Tensor& tensor) {
  walk_.size(name, label, tensor);
  return tensor;
}

Tensor Program::seeded_inputs() {
  check_sentence(lesson_);
  if (lesson_.sentence && !lesson_.inputs) {
    return embedded(torch::tensor(sentence_ids(sentence_of(article_, lesson_))));
  }
  manual_seed();
  if (lesson_.inputs) {
    const Tensor own = own_tensor(*lesson_.inputs, torch_.kernels());
    return own.dim() == 3 ? first_of(own) : own;
  }
  if (lesson_.fixture && lesson_.batch) {
    return first_of(torch_.rand({*lesson_.batch, num_tokens(), d_in_}));
  }
  return has_random_inputs(lesson_) ? torch_.rand({lesson_.tokens.value_or(6), d_in_})
                                    : torch::tensor(toy_embeddings(), torch_.kernels());
}

Tensor Program::first_of(const Tensor& batch) {
  batch_ = batch;
  return index(batch, 0);
}

Tensor Program::inputs() {
  check_sentence(lesson_);
  if (lesson_.sentence && !lesson_.inputs) {
    ids(false);
  }
  return inputs_again();
}

Tensor Program::embedded_sentence(bool in_article) {
  check_sentence(lesson_);
  return show("inputs", "", lesson_.inputs || has_random_inputs(lesson_) ? seeded_inputs() : embedded(ids(in_article)),
              in_article);
}

Tensor Program::token_ids() {
  Vocabulary vocabulary;
  std::vector<std::int64_t> ids;
  for (const GivenToken& token : lesson_.layer->tokens) {
    vocabulary[token.text] = token.id;
    ids.push_back(token.id);
  }
  walk_.text("sentence", "sentence:", *lesson_.sentence, true);
  walk_.text("vocabulary", "", python_dict(vocabulary), true);
  return show("ids", "", torch::tensor(ids, torch_.kernels()));
}

Tensor Program::seeded_again(const Tensor& inputs) {
  if (has_random_inputs(lesson_)) {
    seeded_inputs();  // the same numbers, drawn once more
    return inputs;
  }
  manual_seed();
  return inputs;
}

Tensor Program::second_inputs(const Shape& shape) {
  if (!lesson_.second_inputs) {
    return torch_.rand(shape);
  }
  const GivenTensor& own = *lesson_.second_inputs;
  if (own.shape[1] != shape[1]) {
    throw LessonError("--second-inputs '" + own.source + "' has shape " + shape_text(own.shape) +
                      ", but the inputs have d_in " + std::to_string(shape[1]) + "; it must be [tokens, " +
                      std::to_string(shape[1]) + "]; give --inputs with the same d_in, or another second sequence");
  }
  return own_tensor(own, torch_.kernels());
}

Tensor Program::batch(const Tensor& inputs, std::int64_t copies) {
  return let("batch", batch_ ? *batch_ : stack(inputs, lesson_.batch.value_or(copies)));
}

std::int64_t Program::query(const Tensor& inputs) const { return query_index(article_, lesson_, inputs.size(0)); }

Projections Program::projections(std::int64_t d_in, const ProjectionDefaults& defaults) {
  return let(drawn_projections(d_in, defaults));
}

Projections Program::drawn_projections(std::int64_t d_in, const ProjectionDefaults& defaults) {
  const Init init = lesson_.init.value_or(defaults.init);
  const std::int64_t d_out_kq = lesson_.d_out_kq.value_or(defaults.d_out_kq);
  const std::int64_t d_out_v = lesson_.d_out_v.value_or(defaults.d_out_v);
  const auto draw = [&](std::int64_t d_out, const char* name) {
    return Projection(torch_, init, d_in, d_out, lesson_.qkv_bias, name, defaults.requires_grad);
  };
  const auto shared = [&](std::int64_t d_out) { return d_out / defaults.heads * defaults.kv_heads; };
  std::optional<Projection> W_key;
  if (defaults.key_first) {
    W_key = draw(shared(d_out_kq), "W_key");
  }
  Projection W_query = draw(d_out_kq, "W_query");
  if (!W_key) {
    W_key = draw(shared(d_out_kq), "W_key");
  }
  Projection W_value = draw(shared(d_out_v), "W_value");
  return {std::move(W_query), std::move(*W_key), std::move(W_value)};
}

Projections Program::let(Projections projections) {
  for (const Projection& projection : {projections.W_query, projections.W_key, projections.W_value}) {
    let(projection.name(), projection.weight(), projection.words());
    let_bias(projection);
  }
  return projections;
}

Projection Program::projection(const std::string& name, Init init, std::int64_t d_in, std::int64_t d_out) {
  const Projection projection(torch_, lesson_.init.value_or(init), d_in, d_out, false, name);
  let(name + "_weight", projection.weight(), name);
  return projection;
}

torch::Linear Program::linear(const std::string& name, std::int64_t d_in, std::int64_t d_out) {
  const torch::Linear module = torch_.linear(d_in, d_out, true, name);
  let(name + "_weight", module.weight, name + ".weight");
  let(name + "_bias", *module.bias, name + ".bias");
  return module;
}

torch::Embedding Program::embedding(const std::string& name, std::int64_t rows, std::int64_t dim) {
  const torch::Embedding module = torch_.embedding(rows, dim, name);
  let(name + "_weight", module.weight, name + ".weight");
  return module;
}

void Program::show_weight(const std::string& label, const Projection& projection) {
  show(projection.name(), label, projection.weight());
  let_bias(projection);
}

void Program::let_bias(const Projection& projection) {
  if (projection.bias()) {
    let(projection.name() + "_bias", *projection.bias(), projection.name() + ".bias");
  }
}

/// The sentence, its vocabulary and the ids [n] of its words.
Tensor Program::ids(bool in_article) {
  const std::string sentence = sentence_of(article_, lesson_);
  walk_.text("sentence", "sentence:", sentence, in_article);
  walk_.text("vocabulary", "", python_dict(vocabulary_of(sentence_words(sentence))), in_article);
  return show("ids", "", torch::tensor(sentence_ids(sentence_of(article_, lesson_))), in_article);
}

/// torch.manual_seed, nn.Embedding of the ids, and torch.manual_seed again: ids [n] -> [n, dim].
Tensor Program::embedded(const Tensor& ids) {
  constexpr std::int64_t vocab_size = 50'000;
  manual_seed();
  Tensor inputs = torch_.embedding(vocab_size, d_in_, ids);
  manual_seed();
  return inputs;
}

}  // namespace attn::chapters
