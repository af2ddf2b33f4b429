#include "lesson/likeness.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

#include "lesson/printed.hpp"

namespace attn::render {
namespace {

/// Also tells 0 from -0, which print differently.
bool same(float a, float b) { return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b); }
template <class T>
bool same(T a, T b) {
  return a == b;
}

}  // namespace

std::vector<bool> differences(const Contents& a, const Contents& b) {
  return std::visit(
      [&b]<class T>(const Block<T>& values) {
        const auto& others = std::get<Block<T>>(b);
        std::vector<bool> differ(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          differ[i] = !same(values.data()[i], others.data()[i]);
        }
        return differ;
      },
      a);
}

bool same_numbers(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return false;
  }
  const auto differ = differences(*a.array().contents(), *b.array().contents());
  return std::find(differ.begin(), differ.end(), true) == differ.end();
}

std::string_view likeness(const Step& as_is, const Step& changed, TextOptions options) {
  constexpr std::string_view same_as_before = "same as before";
  switch (as_is.kind) {
    case Step::Kind::tensor:
      if (same_numbers(*as_is.tensor, *changed.tensor)) {
        return same_as_before;
      }
      options.show_grad = false;
      return step_text(as_is, options) == step_text(changed, options) ? "same as before in all printed digits" : "";
    case Step::Kind::size: return as_is.tensor->shape() == changed.tensor->shape() ? same_as_before : "";
    case Step::Kind::text: break;
  }
  return as_is.text == changed.text ? same_as_before : "";
}

std::string_view likeness(const StepPair& pair, const TextOptions& options) {
  const bool are_both = pair.as_is != nullptr && pair.changed != nullptr;
  return are_both ? likeness(*pair.as_is, *pair.changed, options) : "";
}

}  // namespace attn::render
