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

/// Whether any number that the tensor is made from is a reader's own.
bool has_own(const Tensor& tensor);

/// A weight as its step is called, given that name or as a module's state_dict has it: "W_query.weight",
/// "out_proj.bias", "heads.0.W_key.weight" (the section head_1's).
std::string weight_name(std::string_view name);

/// What weights are called, without their sections.
std::span<const std::string_view> weight_names();
/// Whether it is one of these, with or without a section.
bool names_weight(std::string_view name);

/// The last part of a name: "W_query" of "head_1/W_query".
std::string_view without_section(std::string_view name);

/// What became of a reader's weights in a chapter: those that it has not, and its own that stayed as they were drawn.
struct WeightUse {
  std::vector<std::string> unused;
  std::vector<std::string> drawn;
};
/// The walkthrough is the one with the weights.
WeightUse use_of(const Walkthrough& walk, const GivenWeights& weights);

/// The same steps with a reader's own numbers in place of drawn ones. Throws LessonError for a name that no weight of
/// the chapter has, or several have, unless it is in a whole file; for other shapes; where no weight is given at all.
Walkthrough with_own_weights(const Walkthrough& walk, const GivenWeights& weights, const Kernels& kernels);

}  // namespace attn::chapters
