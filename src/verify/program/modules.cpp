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

Value composed(const std::string& function, const Passed& given, const Value& x) {
  const Value other = given.get("other", 1);
  if (function == "log_softmax") {
    return call_of("log", {{call_of("softmax", given)}, {}});
  }
  if (function == "linear") {
    const Value product = combined("@", x, call_of("T", {{given.get("weight", 1)}, {}}));
    const Value bias = given.get("bias", 2);
    return bias.tensor ? combined("+", product, bias) : product;
  }
  if (function == "outer" && x.tensor->dim() == 1) {
    return combined("*", unsqueezed(*x.tensor, 1), other);
  }
  if (function == "inner" && other.tensor) {
    return combined("@", x, other.tensor->dim() < 2 ? other : call_of("T", {{other}, {}}));
  }
  const auto norm = [&](const Value& of, const Value& dim) {
    return call_of("norm", {{of}, {{"dim", dim}, {"keepdim", value_of(1)}}});
  };
  if (function == "one_hot" && x.tensor->operands().empty()) {
    const Value classes = given.get("num_classes", 1);
    double most = 0;
    for (std::int64_t i = 0; i < element_count(x.tensor->shape()); ++i) {
      most = std::max(most, x.tensor->value(index_at(i, x.tensor->shape())));
    }
    const Value eye = filled("eye", {{value_of(classes.number ? *classes.number : most + 1)}, {}});
    const Value one_hot = eye.tensor ? picked(*eye.tensor, *x.tensor) : Value{};
    return one_hot.tensor ? renamed(*one_hot.tensor, "F.one_hot(" + x.tensor->words() + ", " +
                                                         std::to_string(one_hot.tensor->size(-1)) + ")")
                          : Value{};
  }
  if (function == "cross_entropy" && x.tensor->dim() == 2 && other.tensor && other.tensor->dim() == 1 &&
      other.tensor->size(0) == x.tensor->size(0)) {
    const Value logs = call_of("log_softmax", {{x}, {{"dim", value_of(-1)}}});
    std::vector<Element> chosen;
    for (std::int64_t i = 0; i < other.tensor->size(0); ++i) {
      const double place = other.tensor->value({i});
      if (place < 0 || place >= static_cast<double>(x.tensor->size(1)) || !logs.tensor) {
        return {};
      }
      chosen.push_back({0, {i, whole(place)}});
    }
    const std::string words = "F.cross_entropy(" + x.tensor->words() + ", " + other.tensor->words() + ")";
    return value_of(mapped({*logs.tensor}, {},
                           {[words](const auto&) { return words; }, [chosen](const Shape&) { return chosen; },
                            [](std::span<const Interval> of) {
                              Interval sum;
                              for (const Interval& one : of) {
                                sum = {sum.low - one.high, sum.high - one.low};
                              }
                              const auto count = static_cast<double>(of.size());
                              return Interval{sum.low / count, sum.high / count};
                            }}));
  }
  if (function == "cosine_similarity" && other.tensor) {
    const Value dim = given.get("dim", 2).number ? given.get("dim", 2) : value_of(1);
    const auto squares_of = [&](const Value& a, const Value& b) {
      return call_of("sum", {{combined("*", a, b)}, {{"dim", dim}}});
    };
    const Value sizes =
        combined("*", call_of("sqrt", {{squares_of(x, x)}, {}}), call_of("sqrt", {{squares_of(other, other)}, {}}));
    const Value made = combined("/", squares_of(x, other), sizes);
    return made.tensor ? renamed(*made.tensor, "F.cosine_similarity(" + x.tensor->words() + ", " +
                                                   other.tensor->words() + ", dim=" + dim.words + ")")
                       : Value{};
  }
  if (function == "normalize") {
    const Value dim = given.get("dim", 2);
    return combined("/", x, norm(x, dim.number ? dim : value_of(-1)));
  }
  return {};
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
    return composed("linear", {{x, module.arguments.plain[0], module.arguments.plain[1]}, {}}, x);
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
