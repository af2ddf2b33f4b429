#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/bound/mapped.hpp"
#include "verify/program/value_parts.hpp"

namespace attn::verify {
namespace {

/// Those that are a function of their input alone, and its name.
constexpr auto rows = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"Dropout", "contiguous"},  // evaluating; while training, the listing's run replaces it
    {"ELU", "elu"},
    {"GELU", "gelu"},
    {"Flatten", "flatten"},
    {"Identity", "contiguous"},
    {"LayerNorm", "layer_norm"},
    {"ReLU", "relu"},
    {"SiLU", "silu"},
    {"Sigmoid", "sigmoid"},
    {"Softmax", "softmax"},
    {"Tanh", "tanh"},
});

}  // namespace

Value log_softmax_of(std::string_view /*function*/, const Passed& given, const Tensor& /*x*/) {
  return call_of("log", {{call_of("softmax", given)}, {}});
}

Value linear_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const Value product = combined("@", value_of(x), call_of("T", {{given.get("weight", 1)}, {}}));
  const Value bias = given.get("bias", 2);
  return bias.tensor ? combined("+", product, bias) : product;
}

Value outer_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  return x.dim() == 1 ? combined("*", unsqueezed(x, 1), given.get("other", 1)) : Value{};
}

Value inner_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const Value other = given.get("other", 1);
  return other.tensor ? combined("@", value_of(x), other.tensor->dim() < 2 ? other : call_of("T", {{other}, {}}))
                      : Value{};
}

Value one_hot_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  if (!x.operands().empty()) {
    return {};
  }
  const Value classes = given.get("num_classes", 1);
  double most = 0;
  for (std::int64_t i = 0; i < element_count(x.shape()); ++i) {
    most = std::max(most, x.value(index_at(i, x.shape())));
  }
  const Value eye = filled("eye", {{value_of(classes.number.value_or(most + 1))}, {}});
  const Value one_hot = eye.tensor ? picked(*eye.tensor, x) : Value{};
  return one_hot.tensor ? renamed(*one_hot.tensor,
                                  "F.one_hot(" + x.words() + ", " + std::to_string(one_hot.tensor->size(-1)) + ")")
                        : Value{};
}

Value cross_entropy_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const Value other = given.get("other", 1);
  if (x.dim() != 2 || !other.tensor || other.tensor->dim() != 1 || other.tensor->size(0) != x.size(0)) {
    return {};
  }
  const Value logs = call_of("log_softmax", {{value_of(x)}, {{"dim", value_of(-1)}}});
  std::vector<Element> chosen;
  for (std::int64_t i = 0; i < other.tensor->size(0); ++i) {
    const double place = other.tensor->value({i});
    if (place < 0 || place >= static_cast<double>(x.size(1)) || !logs.tensor) {
      return {};
    }
    chosen.push_back({0, {i, whole(place)}});
  }
  const std::string words = "F.cross_entropy(" + x.words() + ", " + other.tensor->words() + ")";
  return value_of(mapped({*logs.tensor}, {},
                         {[words](const auto&) { return words; }, [chosen](const Shape&) { return chosen; },
                          [](std::span<const Interval> of) {
                            const Interval mean = mean_of(of);
                            return Interval{-mean.high, -mean.low};
                          }}));
}

Value cosine_similarity_of(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const Value other = given.get("other", 1);
  if (!other.tensor) {
    return {};
  }
  const Value dim = given.get("dim", 2).number ? given.get("dim", 2) : value_of(1);
  const auto summed = [&](const Value& a, const Value& b) {
    return call_of("sum", {{combined("*", a, b)}, {{"dim", dim}}});
  };
  const auto size = [&](const Value& of) { return call_of("sqrt", {{summed(of, of)}, {}}); };
  const Value made = combined("/", summed(value_of(x), other), combined("*", size(value_of(x)), size(other)));
  return made.tensor ? renamed(*made.tensor, "F.cosine_similarity(" + x.words() + ", " + other.tensor->words() +
                                                 ", dim=" + dim.words + ")")
                     : Value{};
}

Value normalized(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const Value dim = given.get("dim", 2).number ? given.get("dim", 2) : value_of(-1);
  return combined("/", value_of(x), call_of("norm", {{value_of(x)}, {{"dim", dim}, {"keepdim", value_of(1)}}}));
}

Value module_of(std::string_view name, const Passed& arguments) {
  const bool is_one = name == "Linear" || name == "Sequential" ||
                      std::ranges::find(rows, name, [](const auto& one) { return one.first; }) != rows.end();
  Value value;
  value.module = is_one ? std::make_shared<const Module>(Module{std::string(name), arguments}) : nullptr;
  return value;
}

Value applied(const Module& module, const Passed& given) {
  if (given.plain.empty()) {
    return {};
  }
  const Value& x = given.plain[0];
  if (module.name == "Linear") {
    return call_of("linear", {{x, module.arguments.get("weight", 0), module.arguments.get("bias", 1)}, {}});
  }
  if (module.name == "Sequential") {
    Value result = x;
    for (const Value& next : module.arguments.plain) {
      result = next.module ? applied(*next.module, {{result}, {}}) : Value{};
    }
    return result;
  }
  const auto function = std::ranges::find(rows, module.name, [](const auto& one) { return one.first; });
  Passed all = module.arguments;
  all.plain.insert(all.plain.begin(), x);
  return call_of(function->second, all);
}

}  // namespace attn::verify
