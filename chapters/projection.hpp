#pragma once

#include <memory>
#include <optional>
#include <string>

#include "torch/torch.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// One of W_query, W_key, W_value: nn.Linear, or an nn.Parameter [d_in, d_out] that the input is multiplied
/// with. Draws its numbers when made.
class Projection {
 public:
  Projection(torch::Torch& torch, Init init, std::int64_t d_in, std::int64_t d_out, bool bias, std::string name);

  /// A given matrix [d_in, d_out] that is no parameter.
  Projection(const Tensor& matrix, std::string name);

  /// [..., d_in] -> [..., d_out]
  Tensor operator()(const Tensor& x) const;
  /// From here on this applies the other's weight, and only shows its own.
  void use(const Projection& other) { applied_ = std::make_shared<const Projection>(other); }
  const Tensor& weight() const { return module_ ? module_->weight : *matrix_; }
  /// The weight as the article prints it.
  void show(Walkthrough& walk, const std::string& label) const;
  /// The weight, where the article does not print it, and the bias, if any.
  void show_extra(Walkthrough& walk) const;
  void show_bias(Walkthrough& walk) const;

 private:
  std::string name_;
  std::optional<torch::Linear> module_;
  std::optional<Tensor> matrix_;
  std::shared_ptr<const Projection> applied_;
};

/// The three projections of a lesson.
struct Projections {
  Projection W_query;
  Projection W_key;
  Projection W_value;
  std::int64_t d_out_kq;
  std::int64_t d_out_v;

  void show_extra(Walkthrough& walk) const;
};

/// The projections as the lesson has them: with WhatIf::same_weights, W_key applies W_query's weight.
Projections under_rules(const Lesson& lesson, Projections projections);

/// The article's own sizes and initialisation, where the lesson does not ask for others.
struct ProjectionDefaults {
  Init init;
  std::int64_t d_out_kq;
  std::int64_t d_out_v;
  bool key_first = false;  ///< drawn in the order key, query, value
};

Projections make_projections(const Lesson& lesson, torch::Torch& torch, std::int64_t d_in,
                             const ProjectionDefaults& defaults);

}  // namespace attn::chapters
