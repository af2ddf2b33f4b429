#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "torch/torch.hpp"
#include "walk/lesson.hpp"

namespace attn::chapters {

/// One of W_query, W_key, W_value: nn.Linear, or an nn.Parameter [d_in, d_out] that the input is multiplied
/// with. Draws its numbers when made.
class Projection {
 public:
  Projection(torch::Torch& torch, Init init, std::int64_t d_in, std::int64_t d_out, bool bias, std::string name,
             bool requires_grad = true);

  /// A given matrix [d_in, d_out] that is not a parameter.
  Projection(const Tensor& matrix, std::string name);

  /// [..., d_in] -> [..., d_out]
  Tensor operator()(const Tensor& x) const { return module_ ? (*module_)(x) : matmul(x, *matrix_); }
  /// The article's variable.
  const std::string& name() const { return name_; }
  const Tensor& weight() const { return module_ ? module_->weight : *matrix_; }
  std::optional<Tensor> bias() const { return module_ ? module_->bias : std::nullopt; }
  bool is_module() const { return module_.has_value(); }
  std::int64_t d_out() const { return weight().size(module_ ? 0 : 1); }
  /// The program's expression for the weight: "W_query.weight" for a module.
  std::string words() const { return module_ ? name_ + ".weight" : name_; }

 private:
  std::string name_;
  std::optional<torch::Linear> module_;
  std::optional<Tensor> matrix_;
};

/// The three projections of a lesson.
struct Projections {
  Projection W_query;
  Projection W_key;
  Projection W_value;
};

/// The article's sizes and initialisation, used unless the lesson sets others.
struct ProjectionDefaults {
  Init init;
  std::int64_t d_out_kq;
  std::int64_t d_out_v;
  bool key_first = false;     ///< drawn in the order key, query, value
  bool requires_grad = true;  ///< for nn.Parameter; nn.Linear always requires it
  std::int64_t heads = 1;     ///< heads that share d_out; keys and values have columns for `kv_heads` of them
  std::int64_t kv_heads = 1;
};

Projections drawn_projections(const Lesson& lesson, torch::Torch& torch, std::int64_t d_in,
                              const ProjectionDefaults& defaults);

}  // namespace attn::chapters
