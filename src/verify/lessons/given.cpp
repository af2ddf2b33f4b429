#include "verify/lessons/given.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inputs.hpp"

namespace attn::verify {
namespace {

/// The sizes of axes on the page.
std::set<std::int64_t> sizes_in_sight(std::span<const Printed> printed) {
  std::set<std::int64_t> sizes;
  for (const Printed& one : printed) {
    sizes.insert(one.shape.begin(), one.shape.end());
  }
  return sizes;
}

/// "inputs", "line 12's list", "the list in cell 3, line 1"
std::string words_of(const Literal& literal) {
  const std::string line = "line " + std::to_string(literal.place.line);
  return !literal.name.empty()    ? literal.name
         : literal.place.cell > 0 ? "the list in cell " + std::to_string(literal.place.number) + ", " + line
                                  : line + "'s list";
}

/// Returns true if the literal is printed output in a page of text, where a printed tensor between lines of a program
/// looks like a literal. A notebook distinguishes the two.
bool is_printed(const Literal& literal, std::span<const Printed> printed) {
  if (literal.place.cell > 0) {
    return false;
  }
  const auto place_of = [](const auto& one) { return std::pair(one.place.cell, one.place.line); };
  const auto begin = std::ranges::lower_bound(printed, place_of(literal), {}, place_of);
  const auto end = std::ranges::upper_bound(printed, place_of(literal), {}, place_of);
  return std::any_of(begin, end, [](const Printed& one) { return !is_size(one); });
}

/// Returns true if the page prints the drawn tensor.
bool is_shown(const Replayed& drawn, std::span<const Printed> printed) {
  return std::ranges::any_of(printed, [&](const Printed& one) {
    return !is_size(one) && one.shape == drawn.shape &&
           std::ranges::equal(one.cells, drawn.values, [](const Cell& cell, double value) {
             return std::abs(cell.value - value) <= cell.unit / 2 + 1e-6 * std::max(1.0, std::abs(value));
           });
  });
}

}  // namespace

Given given_of(std::span<const Printed> printed, const Listing& listing, std::span<const Replayed> draws) {
  Given given;
  given.written = listing.written;
  const auto add = [&given](const Shape& shape, const std::vector<double>& values, const std::string& words) {
    given.sources.push_back({exactly(shape, values), words, 0, true, true});
  };
  std::vector<double> inputs;
  for (const std::vector<float>& row : chapters::toy_embeddings()) {
    inputs.insert(inputs.end(), row.begin(), row.end());
  }
  const auto is_toy = [&](const Literal& literal) {
    return std::ranges::equal(literal.values, inputs, [](double a, double b) { return std::abs(a - b) < 1e-6; });
  };
  const auto toy = std::ranges::find_if(listing.literals, is_toy);
  const bool has_other = std::ranges::find(listing.literals, "inputs", &Literal::name) != listing.literals.end();
  const std::string toys_name = has_other ? "the articles' inputs" : "inputs";
  add({6, 3}, inputs, toy == listing.literals.end() || toy->name.empty() ? toys_name : toy->name);
  constexpr std::size_t most_literals = 12;
  constexpr std::size_t most_numbers = 4096;
  for (const Literal& literal : listing.literals) {
    if (given.sources.size() < most_literals && !is_toy(literal) && !is_printed(literal, printed) &&
        literal.values.size() > 2 && literal.values.size() <= most_numbers) {
      add(literal.shape, literal.values, words_of(literal));
    }
  }
  for (const Replayed& drawn : draws) {
    add(drawn.shape, drawn.values, drawn.words);
    given.sources.back().is_draw = is_shown(drawn, printed);
    given.sources.back().key = drawn.key;
    given.sources.back().is_sound = drawn.is_sound;
  }
  std::set<std::int64_t> sizes = sizes_in_sight(printed);
  sizes.insert(listing.settings.d_out.begin(), listing.settings.d_out.end());
  for (const Literal& literal : listing.literals) {
    sizes.insert(literal.shape.begin(), literal.shape.end());
  }
  for (std::int64_t size = 2; size <= 8; ++size) {
    if (size != 4 || sizes.contains(size)) {  // otherwise the divisor is the number 2
      given.numbers.sizes.push_back(size);
    }
  }
  constexpr std::size_t most_sizes = 14;
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

void add_draws(std::span<const Drawn> draws, Settings& settings, Given& given) {
  const auto put_first = [](std::vector<std::int64_t>& values, std::int64_t value) {
    std::erase(values, value);
    values.insert(values.begin(), value);
  };
  for (const Drawn& drawn : draws) {
    given.sources.push_back({exactly(drawn.shape, drawn.values), drawn.words, 0, true, true, true, true});
    put_first(settings.seeds, drawn.seed);
    if (drawn.d_out > 0) {
      put_first(settings.d_out, drawn.d_out);
    }
  }
}

void tell_draws(std::span<const Replayed> draws, Report& report) {
  for (Finding& finding : report.findings) {
    const auto drawn = std::ranges::find(draws, finding.relation, &Replayed::words);
    if (finding.verdict == Verdict::follows && drawn != draws.end()) {
      finding.relation = drawn->sentence;
    }
  }
}

}  // namespace attn::verify
