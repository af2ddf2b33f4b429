#include "cli/given.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inputs.hpp"

namespace attn::cli {
namespace {

/// The sizes of axes on the page.
std::set<std::int64_t> sizes_in_sight(std::span<const verify::Printed> printed) {
  std::set<std::int64_t> sizes;
  for (const verify::Printed& one : printed) {
    sizes.insert(one.shape.begin(), one.shape.end());
  }
  return sizes;
}

}  // namespace

verify::Given given_of(std::span<const verify::Printed> printed, const verify::Listing& listing) {
  verify::Given given;
  const auto add = [&given](const Shape& shape, std::span<const double> values, const std::string& words) {
    verify::Grid grid{shape, {}};
    for (const double value : values) {
      grid.cells.push_back({value, value});
    }
    given.sources.push_back({std::move(grid), words, 0, true, true});
  };
  std::vector<double> inputs;
  for (const std::vector<float>& row : chapters::toy_embeddings()) {
    inputs.insert(inputs.end(), row.begin(), row.end());
  }
  add({6, 3}, inputs, "inputs");
  constexpr std::size_t most_literals = 12;
  constexpr std::size_t most_numbers = 4096;
  for (const verify::Literal& literal : listing.literals) {
    const bool is_toy =
        std::ranges::equal(literal.values, inputs, [](double a, double b) { return std::abs(a - b) < 1e-6; });
    if (given.sources.size() < most_literals && !is_toy && literal.values.size() > 2 &&
        literal.values.size() <= most_numbers) {
      add(literal.shape, literal.values,
          literal.name.empty() ? "line " + std::to_string(literal.place.line) + "'s list" : literal.name);
    }
  }
  for (std::int64_t size = 2; size <= 8; ++size) {
    given.numbers.sizes.push_back(size);
  }
  constexpr std::size_t most_sizes = 14;
  std::set<std::int64_t> sizes = sizes_in_sight(printed);
  sizes.insert(listing.settings.d_out.begin(), listing.settings.d_out.end());
  for (const std::int64_t size : sizes) {
    if (size > 8 && given.numbers.sizes.size() < most_sizes) {
      given.numbers.sizes.push_back(size);
    }
  }
  given.numbers.dropouts = listing.settings.dropouts;
  for (const double usual : {0.5, 0.1, 0.2}) {
    if (std::ranges::find(given.numbers.dropouts, usual) == given.numbers.dropouts.end()) {
      given.numbers.dropouts.push_back(usual);
    }
  }
  std::erase_if(given.numbers.dropouts, [](double p) { return p <= 0 || p >= 1; });
  return given;
}

void add_draws(std::span<const verify::Drawn> draws, verify::Settings& settings, verify::Given& given) {
  const auto put_first = [](std::vector<std::int64_t>& values, std::int64_t value) {
    std::erase(values, value);
    values.insert(values.begin(), value);
  };
  for (const verify::Drawn& drawn : draws) {
    verify::Grid grid{drawn.shape, {}};
    for (const double value : drawn.values) {
      grid.cells.push_back({value, value});
    }
    given.sources.push_back({std::move(grid), drawn.words, 0, true, true});
    put_first(settings.seeds, drawn.seed);
    if (drawn.d_out > 0) {
      put_first(settings.d_out, drawn.d_out);
    }
  }
}

}  // namespace attn::cli
