#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "verify/propose/value_parts.hpp"

namespace attn::verify {
namespace {

/// Those that are a function of their input alone, and its name.
constexpr auto rows = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"ELU", "elu"},
    {"GELU", "gelu"},
    {"Identity", "contiguous"},
    {"LayerNorm", "layer_norm"},
    {"ReLU", "relu"},
    {"Sigmoid", "sigmoid"},
    {"Softmax", "softmax"},
    {"Tanh", "tanh"},
});

}  // namespace

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
    const Value& bias = module.arguments.plain[1];
    const Value product = combined("@", x, call_of("T", {{module.arguments.plain[0]}, {}}));
    return bias.tensor ? combined("+", product, bias) : product;
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
