#pragma once

#include <string_view>

#include "tensor/tensor.hpp"
#include "walk/lesson.hpp"
#include "walk/walkthrough.hpp"

/// The user's own numbers in a chapter.
namespace attn::chapters {

/// torch.tensor(name), without the section.
Tensor own_tensor(const GivenTensor& given, const Kernels& kernels);

/// Returns true if the tensor depends on the user's own numbers.
bool has_own(const Tensor& tensor);

/// A step's tensor that the user may give.
struct Weight {
  std::string name;  ///< with its section
  Tensor tensor;
};

/// The parameters that the chapter shows, and the matrices that its article gives.
std::vector<Weight> weights_of(const Walkthrough& walk);

/// The names of weights, without their sections.
std::span<const std::string_view> weight_names();
/// Returns true for the name of a weight, with or without a section.
bool names_weight(std::string_view name);

/// The last part of a name: "W_query" of "head_1/W_query".
std::string_view without_section(std::string_view name);

/// How a chapter used the user's weights: those that it does not have, and its own weights that stayed drawn.
struct WeightUse {
  std::vector<std::string> unused;
  std::vector<std::string> drawn;
};
/// `walk` is the walkthrough with the weights in place.
WeightUse use_of(const Walkthrough& walk, const GivenWeights& weights);

/// The walkthrough with the user's weights instead of drawn ones. Throws LessonError for a name that matches no weight
/// or several, except in a whole file; for a wrong shape; and if no weight is given at all.
Walkthrough with_own_weights(const Walkthrough& walk, const GivenWeights& weights, const Kernels& kernels);

}  // namespace attn::chapters
