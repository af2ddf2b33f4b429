#include "chapters/own.hpp"

#include <algorithm>
#include <unordered_set>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "walk/lesson.hpp"

namespace attn::chapters {
namespace {

std::vector<std::string> names_of(const std::vector<Weight>& weights) {
  std::vector<std::string> names;
  for (const Weight& weight : weights) {
    names.push_back(weight.name);
  }
  return names;
}

/// The weight with that name; null if there is none.
const Weight* find(const std::vector<Weight>& weights, const std::string& name) {
  const auto has_name = [&](const Weight& weight) { return weight.name == name; };
  if (const auto exact = std::ranges::find_if(weights, has_name); exact != weights.end()) {
    return &*exact;
  }
  const auto is_in_section = [&](const Weight& weight) { return without_section(weight.name) == name; };
  const auto found = std::ranges::find_if(weights, is_in_section);
  if (std::ranges::count_if(weights, is_in_section) > 1) {
    throw LessonError("--weights: several weights here are named '" + name + "'; name one with its section; try " +
                      found->name + "=FILE");
  }
  return found == weights.end() ? nullptr : &*found;
}

/// The numbers of the transposed matrix.
GivenTensor transposed(const GivenTensor& given) {
  GivenTensor result = given;
  result.shape = {given.shape[1], given.shape[0]};
  result.values = [rows = given.shape[0], columns = given.shape[1], read = given.values] {
    const auto given_values = read();
    auto values = std::make_shared<std::vector<float>>();
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t row = 0; row < rows; ++row) {
        values->push_back((*given_values)[static_cast<std::size_t>(row * columns + column)]);
      }
    }
    return values;
  };
  return result;
}

/// The numbers in the weight's own layout, transposed if the given name implies the other layout.
GivenTensor in_layout_of(const GivenTensor& given, const Weight& weight) {
  const bool is_linear = data_of(weight.tensor).operation().facts().fan_in > 0;
  const auto own = is_linear ? GivenTensor::Layout::rows : GivenTensor::Layout::columns;
  const bool is_other = given.shape.size() == 2 && given.layout != GivenTensor::Layout::as_is && given.layout != own;
  return is_other ? transposed(given) : given;
}

void check_shape(const GivenTensor& given, const Weight& weight) {
  const Shape& shape = weight.tensor.shape();
  if (given.shape == shape) {
    return;
  }
  const bool is_transposed = shape.size() == 2 && given.shape == Shape{shape[1], shape[0]};
  throw LessonError("--weights: '" + given.name + "' of '" + given.source + "' has shape " + shape_text(given.shape) +
                    ", but " + weight.name + " here has shape " + shape_text(shape) + "; " +
                    (is_transposed ? "transpose it" : "give --inputs, or sizes, that fit"));
}

/// The user's numbers as a tensor of the weight's kind.
Tensor in_place_of(const Tensor& weight, const GivenTensor& given, const Kernels& kernels) {
  const Tensor own = own_tensor(given, kernels);
  if (!weight.operation().is_parameter()) {
    return own;
  }
  return weight.operation().is_trainable() ? parameter(own) : frozen_parameter(own);
}

}  // namespace

std::vector<Weight> weights_of(const Walkthrough& walk) {
  std::vector<Weight> weights;
  for (const Step& step : walk.steps()) {
    if (step.kind == Step::Kind::tensor && names_weight(step.name) &&
        (step.tensor->operation().is_parameter() || step.tensor->operands().empty())) {
      weights.push_back({full_name(step), *step.tensor});
    }
  }
  return weights;
}

Tensor own_tensor(const GivenTensor& given, const Kernels& kernels) {
  const auto fill = [shape = given.shape, values = given.values] {
    Block<float> contents(shape);
    std::ranges::copy(*values(), contents.begin());
    return Contents(std::move(contents));
  };
  const bool is_listed = given.words.pytorch.empty();
  const LeafWords listed = "torch.tensor(" + std::string(without_section(given.name)) + ")";
  return leaf(given.shape, DType::float32, is_listed ? listed : given.words, fill, kernels,
              {.kind = Kind::given, .is_own = true, .is_from_file = !given.source.starts_with("--")});
}

bool has_own(const Tensor& tensor) {
  std::unordered_set<const void*> seen;
  bool has = false;
  for_each_source(tensor, seen, [&](const Tensor& source) { has = has || source.operation().facts().is_own; });
  return has;
}

std::string_view without_section(std::string_view name) { return name.substr(name.rfind('/') + 1); }

std::span<const std::string_view> weight_names() {
  static constexpr std::array<std::string_view, 11> names = {"W_query",         "W_key",         "W_value",
                                                             "W_query_bias",    "W_key_bias",    "W_value_bias",
                                                             "out_proj_weight", "out_proj_bias", "pos_embedding_weight",
                                                             "target",          "sinks"};
  return names;
}

bool names_weight(std::string_view name) {
  return std::ranges::find(weight_names(), without_section(name)) != weight_names().end();
}

WeightUse use_of(const Walkthrough& walk, const GivenWeights& weights) {
  WeightUse use;
  const std::vector<Weight> ours = weights_of(walk);
  for (const GivenTensor& given : weights.tensors) {
    if (find(ours, given.name) == nullptr) {
      use.unused.push_back(given.name);
    }
  }
  for (const Weight& weight : ours) {
    if (!has_own(weight.tensor)) {
      use.drawn.push_back(weight.name);
    }
  }
  return use;
}

Walkthrough with_own_weights(const Walkthrough& walk, const GivenWeights& weights, const Kernels& kernels) {
  const std::vector<Weight> ours = weights_of(walk);
  if (ours.empty()) {
    throw LessonError(
        "--weights: this chapter has no weights; use a chapter with W_query, W_key and W_value; try trainable");
  }
  std::map<const void*, Tensor> instead;
  for (const GivenTensor& given : weights.tensors) {
    const Weight* const weight = find(ours, given.name);
    if (weight == nullptr && weights.is_whole_file) {
      continue;
    }
    if (weight == nullptr) {
      throw LessonError("--weights: no weight here is named '" + given.name + "'; this chapter has " +
                        text::joined(names_of(ours)));
    }
    const GivenTensor own = in_layout_of(given, *weight);
    check_shape(own, *weight);
    if (!instead.emplace(weight->tensor.id(), in_place_of(weight->tensor, own, kernels)).second) {
      throw LessonError("--weights: " + weight->name +
                        " is given twice; give one tensor for each weight; leave one of them out");
    }
  }
  if (instead.empty()) {
    throw LessonError("--weights: '" + weights.source + "' has no tensor that is a weight here; this chapter has " +
                      text::joined(names_of(ours)) + "; rename its tensors, or try " + ours[0].name + "=FILE");
  }
  return walk.rewritten([&instead](const Tensor& was, const Tensor& is) {
    const auto found = instead.find(was.id());
    return found == instead.end() ? is : found->second;
  });
}

}  // namespace attn::chapters
