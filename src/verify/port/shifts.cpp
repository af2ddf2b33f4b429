#include "verify/port/shifts.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tensor/operations.hpp"
#include "torch/redrawn.hpp"
#include "verify/port/seeds.hpp"

namespace attn::verify {
namespace {

/// How many 32-bit words after the program's draw this one begins; negative: before.
struct Shift {
  std::int64_t words;
  std::string like;  ///< the step that draws as many words; may be empty
};

/// The call that drew the tensor or its parameter's data; null without one.
const torch::Draw* draw_of(const Tensor& tensor, const torch::Draws& draws) {
  const void* const id = data_of(tensor).id();
  const auto found = std::ranges::find_if(draws.draws, [id](const torch::Draw& draw) { return draw.leaf.id() == id; });
  return found == draws.draws.end() ? nullptr : &*found;
}

/// One word, two, and as many as each other draw takes: drawn in excess, or left out.
std::vector<Shift> shifts_of(const torch::Draw& draw, const torch::Draws& draws, std::span<const Step> steps) {
  std::vector<Shift> shifts;
  const auto add = [&shifts](std::int64_t words, const std::string& like) {
    const bool is_known = std::ranges::any_of(shifts, [words](const Shift& shift) { return shift.words == words; });
    if (words > 0 && !is_known) {
      shifts.push_back({words, like});
      shifts.push_back({-words, like});
    }
  };
  add(1, "");
  add(2, "");
  for (const torch::Draw& other : draws.draws) {
    const auto step = std::ranges::find_if(steps, [&](const Step& one) {
      return one.kind == Step::Kind::tensor && draw_of(*one.tensor, draws) == &other;
    });
    if (other.leaf.id() != draw.leaf.id()) {
      add(static_cast<std::int64_t>(other.count), step == steps.end() ? "" : full_name(*step));
    }
  }
  return shifts;
}

/// "drawn as if 9 random numbers more of 32 bits had been drawn before: as many as W_query takes"
std::string sentence_of(const Shift& shift) {
  const std::int64_t words = std::abs(shift.words);
  const std::string count = words == 1 ? "one random number" : std::to_string(words) + " random numbers";
  return "drawn as if " + count + (shift.words > 0 ? " more" : " fewer") + " of 32 bits had been drawn before" +
         (shift.like.empty() ? "" : ": as many as " + shift.like + " takes");
}

/// The step's own draw, started some words earlier or later.
std::optional<Cause> shifted(const Matched& matched, std::span<const Step> steps, const torch::Draws& draws,
                             const Explains& explains) {
  const torch::Draw* const draw = draw_of(*matched.step->tensor, draws);
  constexpr std::size_t fewest_bits = 16;  // that are not equal by coincidence
  if (draw == nullptr ||
      (matched.step->tensor->dtype() == DType::boolean && matched.laid->values.size() < fewest_bits)) {
    return std::nullopt;
  }
  for (const Shift& shift : shifts_of(*draw, draws, steps)) {
    const std::optional<Tensor> other = torch::redrawn(*draw, draws, shift.words);
    if (other && explains(values_of(*other))) {
      return Cause{{"draws-shifted"}, sentence_of(shift), ""};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Cause> drawn_otherwise(const Matched& matched, std::span<const Step> steps, const Otherwise& otherwise,
                                     Right& right, const Explains& explains) {
  const Step& step = *matched.step;
  if (auto cause = shifted(matched, steps, otherwise.draws, explains)) {
    return cause;
  }
  for (const Variant& variant : otherwise.variants ? otherwise.variants() : std::vector<Variant>{}) {
    const auto same = std::ranges::find_if(variant.steps, [&](const Step& other) {
      return other.kind == Step::Kind::tensor && other.name == step.name && other.section == step.section;
    });
    if (same != variant.steps.end() && same->tensor->shape() == step.tensor->shape() &&
        explains(values_of(*same->tensor))) {
      return Cause{{variant.name}, variant.sentence, ""};
    }
  }
  const auto seed = seed_of(*matched.theirs, *step.tensor, otherwise.draws, right);
  return seed ? std::optional(Cause{{"seed"}, "drawn with seed " + std::to_string(*seed), ""}) : std::nullopt;
}

}  // namespace attn::verify
