#include "projection.hpp"

#include <utility>

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

Projections drawn_projections(const Lesson& lesson, torch::Torch& torch, std::int64_t d_in,
                              const ProjectionDefaults& defaults) {
  const Init init = lesson.init.value_or(defaults.init);
  const std::int64_t d_out_kq = lesson.d_out_kq.value_or(defaults.d_out_kq);
  const std::int64_t d_out_v = lesson.d_out_v.value_or(defaults.d_out_v);
  const auto draw = [&](std::int64_t d_out, const char* name) {
    return Projection(torch, init, d_in, d_out, lesson.qkv_bias, name, defaults.requires_grad);
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

}  // namespace attn::chapters
