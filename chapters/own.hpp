#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.hpp"
#include "walk/given.hpp"
#include "walk/walkthrough.hpp"

/// A reader's own numbers in a chapter.
namespace attn::chapters {

/// torch.tensor(name), without the section.
Tensor own_tensor(const GivenTensor& given, const Kernels& kernels);

/// Returns true if any number that the tensor depends on is a reader's own.
bool has_own(const Tensor& tensor);

/// The step name of a weight, given that name or its key in a module's state_dict: "W_query.weight", "out_proj.bias",
/// "heads.0.W_key.weight" (the section head_1's).
std::string weight_name(std::string_view name);

/// The names of weights, without their sections.
std::span<const std::string_view> weight_names();
/// Returns true if it is one of these, with or without a section.
bool names_weight(std::string_view name);

/// The last part of a name: "W_query" of "head_1/W_query".
std::string_view without_section(std::string_view name);

/// How a chapter used a reader's weights: those it does not have, and its own weights that stayed drawn.
struct WeightUse {
  std::vector<std::string> unused;
  std::vector<std::string> drawn;
};
/// `walk` is the walkthrough with the weights in place.
WeightUse use_of(const Walkthrough& walk, const GivenWeights& weights);

/// The same steps with a reader's own numbers in place of drawn ones. Throws LessonError for a name that matches no
/// weight of the chapter or several, except in a whole file; for a wrong shape; and if no weight is given at all.
Walkthrough with_own_weights(const Walkthrough& walk, const GivenWeights& weights, const Kernels& kernels);

}  // namespace attn::chapters
