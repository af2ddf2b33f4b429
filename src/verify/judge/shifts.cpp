#include "verify/judge/shifts.hpp"

#include <algorithm>
#include <cstdlib>

#include "tensor/operations.hpp"

namespace attn::port {

const torch::Draw* draw_of(const Tensor& tensor, const torch::Draws& draws) {
  const void* const id = data_of(tensor).id();
  const auto found = std::ranges::find_if(draws.draws, [id](const torch::Draw& draw) { return draw.leaf.id() == id; });
  return found == draws.draws.end() ? nullptr : &*found;
}

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

std::string sentence_of(const Shift& shift) {
  const std::int64_t words = std::abs(shift.words);
  const std::string count = words == 1 ? "one random number" : std::to_string(words) + " random numbers";
  return "drawn as if " + count + (shift.words > 0 ? " more" : " fewer") + " of 32 bits had been drawn before" +
         (shift.like.empty() ? "" : ": as many as " + shift.like + " takes");
}

}  // namespace attn::port
