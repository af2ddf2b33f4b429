#include "verify/relate/operands.hpp"

#include <optional>

#include "verify/relate/arithmetic.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_inputs = 4;
constexpr std::size_t most_weights = 9;
constexpr std::int64_t most_products = 20'000;

/// The bias that a module prints after its weight.
std::optional<std::size_t> bias_after(std::span<const Source> sources, std::size_t weight, std::int64_t size) {
  const std::size_t next = weight + 1;
  const bool fits = next < sources.size() && sources[next].grid.shape == Shape{size} && sources[weight].position > 0;
  return fits ? std::optional(next) : std::nullopt;
}

void add_projection(std::span<const Source> sources, std::size_t x, std::size_t w, bool is_transposed, Operands& to) {
  const Grid& inputs = sources[x].grid;
  const Grid& weights = sources[w].grid;
  if (inputs.shape[1] != weights.shape[is_transposed ? 1 : 0] ||
      static_cast<std::int64_t>(inputs.cells.size()) * weights.shape[is_transposed ? 0 : 1] > most_products) {
    return;
  }
  const std::string words = sources[x].words + " @ " + sources[w].words + (is_transposed ? ".T" : "");
  to.projected.push_back({x, w, is_transposed, to.all.size()});
  to.all.push_back({product(inputs, weights, is_transposed), words, {x, w}});
  if (const auto bias = is_transposed ? bias_after(sources, w, weights.shape[0]) : std::nullopt) {
    to.projected.push_back({x, w, is_transposed, to.all.size()});
    to.all.push_back({added(to.all[to.all.size() - 1].grid, sources[*bias].grid),
                      words + " + " + sources[*bias].words,
                      {x, w, *bias}});
  }
}

}  // namespace

Operands operands_of(std::span<const Source> sources) {
  Operands result;
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> weights;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    result.all.push_back({sources[i].grid, sources[i].words, {i}});
    if (sources[i].grid.rank() != 2) {
      continue;
    }
    const bool is_given = sources[i].position == 0;
    if (inputs.size() < most_inputs && (is_given || sources[i].grid.shape[0] != sources[i].grid.shape[1])) {
      inputs.push_back(i);
    }
    if (sources[i].position > 0) {
      weights.push_back(i);
    }
  }
  if (weights.size() > most_weights) {
    weights.erase(weights.begin(), weights.end() - static_cast<std::ptrdiff_t>(most_weights));
  }
  for (const std::size_t x : inputs) {
    for (const std::size_t w : weights) {
      if (x != w) {
        add_projection(sources, x, w, false, result);
        add_projection(sources, x, w, true, result);
      }
    }
  }
  return result;
}

std::string factor_words(const Operand& operand) {
  return operand.sources.size() > 1 ? "(" + operand.words + ")" : operand.words;
}

}  // namespace attn::verify
