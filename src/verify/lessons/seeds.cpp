#include "verify/lessons/seeds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "torch/mersenne_twister.hpp"
#include "torch/redrawn.hpp"
#include "torch/reseeded.hpp"
#include "torch/torch.hpp"
#include "verify/observed/agree.hpp"

namespace attn::verify {
namespace {

constexpr std::int64_t small_seeds = 2'048;   ///< those below it are usual
constexpr std::int64_t most_seeds = 100'000;  ///< those below it are tried
constexpr std::size_t most_work = 8'000'000;  ///< operands read for usual seeds, and again for all others
constexpr std::size_t words_per_operand = 4;  ///< drawn in the time in which an operand is read
constexpr std::array<std::int64_t, 25> liked_seeds = {
    2'222,   3'141,   3'333,   3'407,   4'242,     4'444,      5'555,      6'666,  7'777,
    8'888,   9'999,   10'000,  12'345,  31'337,    54'321,     65'536,     99'999, 123'123,
    123'456, 271'828, 314'159, 424'242, 1'234'567, 12'345'678, 123'456'789};

/// Between which numbers float32 gives one that was computed in float64.
Interval about(double value) {
  const double rounding = 2e-6 * std::max(1.0, std::abs(value));
  return {value - rounding, value + rounding};
}

/// Elements at a few cells of a printed tensor, the same in several drawings.
struct Probe {
  const Printed* printed;
  const Observed* shown;
  std::vector<std::pair<torch::Reseeded::Id, std::size_t>> cells = {};  ///< with their places
  std::vector<std::size_t> drawings = {};
  std::size_t words = 0;
  std::size_t work = 0;  ///< for one seed
};

class SeedSearch {
 public:
  explicit SeedSearch(std::span<const Drawing> drawings) : drawings_(drawings) {
    begin(0);
    for (std::size_t i = 0; i < drawings.size(); ++i) {
      add_probe(i);
    }
    std::ranges::stable_sort(probes_, {}, &Probe::work);
  }

  /// Tries the seeds in order; after one that is found, all of them again for tensors that were not yet affordable.
  void try_all(std::span<const std::int64_t> seeds) {
    for (std::size_t i = 0; i < most_found && find_one(seeds); ++i) {
    }
  }
  std::vector<Revealed> found() && { return std::move(found_); }

 private:
  static constexpr std::size_t most_found = 8;

  void add_probe(std::size_t drawing);
  std::vector<const Probe*> affordable(std::size_t seeds);
  bool find_one(std::span<const std::int64_t> seeds);
  bool passes(const Probe& probe);
  bool is_confirmed(const Drawing& drawing, std::int64_t seed) const;
  bool take(std::int64_t seed);

  /// Begins a seed with all words that any probe needs.
  void begin(std::int64_t seed) {
    begun_words_.resize(torch::Reseeded::most_words);
    torch::MersenneTwister(static_cast<std::uint32_t>(seed)).fill(begun_words_);
    elements_.begin(begun_words_);
  }

  std::span<const Drawing> drawings_;
  std::map<const Printed*, Observed> observed_;
  torch::Reseeded elements_;
  std::vector<Probe> probes_;
  std::vector<std::uint32_t> begun_words_;
  std::vector<Revealed> found_;
  std::size_t tried_ = 0;
  std::size_t most_wrong_ = 1;  ///< cells of a probe
};

/// Returns false if no seed has any of the numbers that are still open.
bool SeedSearch::find_one(std::span<const std::int64_t> seeds) {
  most_wrong_ = seeds.size() > usual_seeds().size() ? 0 : 1;
  const std::vector<const Probe*> probes = affordable(seeds.size());
  std::size_t words = 0;
  for (const Probe* const probe : probes) {
    words = std::max(words, probe->words);
  }
  torch::Seeds lanes{};
  std::vector<std::uint32_t> drawn(lanes.size() * words);
  for (std::size_t i = 0; i < seeds.size() && !probes.empty(); ++i, ++tried_) {
    const std::size_t lane = i % lanes.size();
    if (lane == 0) {
      for (std::size_t k = i; k < std::min(i + lanes.size(), seeds.size()); ++k) {
        lanes[k - i] = static_cast<std::uint32_t>(seeds[k]);
      }
      torch::first_words(lanes, drawn);
    }
    elements_.begin(std::span(drawn).subspan(lane * words, words));
    if (std::ranges::any_of(probes, [&](const Probe* probe) { return passes(*probe); }) && take(seeds[i])) {
      return true;
    }
  }
  return false;
}

/// Returns the probes that so many seeds can be tried with, of the cheapest tensors.
std::vector<const Probe*> SeedSearch::affordable(std::size_t seeds) {
  begin(0);
  elements_.take_work();
  std::vector<const Probe*> chosen;
  std::size_t work = 0;
  std::size_t words = 0;
  for (const Probe& probe : probes_) {
    passes(probe);
    const std::size_t all_work = work + elements_.take_work() + probe.cells.size();
    const std::size_t all_words = std::max(words, probe.words);
    if ((all_work + all_words / words_per_operand) * seeds <= most_work) {
      work = all_work;
      words = all_words;
      chosen.push_back(&probe);
    }
  }
  return chosen;
}

/// Enters all drawings that hold with a seed. Returns false if none does.
bool SeedSearch::take(std::int64_t seed) {
  begin(seed);
  std::set<const Printed*> explained;
  for (const Probe& probe : probes_) {
    if (passes(probe) && is_confirmed(drawings_[probe.drawings.front()], seed)) {
      explained.insert(probe.printed);
      std::ranges::transform(probe.drawings, std::back_inserter(found_), [&](std::size_t drawing) {
        return Revealed{drawing, seed};
      });
    }
  }
  std::erase_if(probes_, [&](const Probe& probe) { return explained.contains(probe.printed); });
  return !explained.empty();
}

/// Chooses cells whose numbers differ and tell something: three, or many of a dropout mask.
void SeedSearch::add_probe(std::size_t drawing) {
  const auto& [printed, tensor, draws] = drawings_[drawing];
  if (!observed_.contains(printed)) {
    observed_.emplace(printed, shown_of(*printed).value());
  }
  const Observed& observed = observed_.at(printed);
  const bool is_mask = is_binary(observed);
  const std::size_t wanted = is_mask ? 24 : 3;
  std::set<double> values;
  Probe probe{printed, &observed};
  for (std::size_t i = observed.size(); i-- > 0 && probe.cells.size() < wanted;) {
    const double value = observed.values[i];
    const bool says_little = !std::isfinite(value) || value == 0 || value == 1;
    if (is_mask || (!says_little && values.insert(value).second)) {
      const std::int64_t place = shown_position(observed, tensor.shape(), static_cast<std::int64_t>(i));
      const auto id = elements_.add(tensor, index_at(place, tensor.shape()), *draws);
      if (!id) {
        return;
      }
      probe.cells.emplace_back(*id, i);
      probe.words = std::max(probe.words, elements_.words(*id));
    }
  }
  const auto same = std::find_if(probes_.rbegin(), probes_.rend(), [&](const Probe& other) {
    return other.printed == probe.printed && other.cells == probe.cells;
  });
  if (same != probes_.rend()) {
    same->drawings.push_back(drawing);
  } else if (probe.words > 0 && is_excluded(chance_of(observed), 1)) {
    elements_.begin(begun_words_);
    passes(probe);
    probe.work = elements_.take_work();
    probe.drawings = {drawing};
    probes_.push_back(std::move(probe));
  }
}

bool SeedSearch::passes(const Probe& probe) {
  std::size_t wrong = 0;
  for (const auto& [id, cell] : probe.cells) {
    wrong += nearness(*probe.shown, cell, about(elements_.value(id))) == Nearness::same ? 0U : 1U;
    if (wrong > most_wrong_ || (wrong > 0 && probe.cells.size() < 3)) {
      return false;
    }
  }
  return true;
}

bool SeedSearch::is_confirmed(const Drawing& drawing, std::int64_t seed) const {
  const Observed& observed = observed_.at(drawing.printed);
  Bounds bounds;
  const AgreeOptions options{.most_differing = static_cast<std::int64_t>(few_of(observed))};
  const Agreement agreement = agree(observed, torch::redrawn(drawing.tensor, *drawing.draws, seed), bounds, options);
  const auto probes = std::ranges::count(probes_, drawing.printed, &Probe::printed);
  return agreement.is_comparable && is_excluded(agreement.chance, tried_ * static_cast<std::size_t>(probes));
}

}  // namespace

std::span<const std::int64_t> usual_seeds() {
  static const auto seeds = [] {
    std::vector<std::int64_t> result(small_seeds);
    std::iota(result.begin(), result.end(), 0);
    result.insert(result.end(), liked_seeds.begin(), liked_seeds.end());
    return result;
  }();
  return seeds;
}

std::vector<Revealed> find_seeds(std::span<const Drawing> drawings, std::span<const std::int64_t> first,
                                 bool only_first) {
  SeedSearch search(drawings);
  search.try_all(first);
  if (!only_first) {
    search.try_all(usual_seeds());
    std::vector<std::int64_t> others(at(most_seeds - small_seeds));
    std::iota(others.begin(), others.end(), small_seeds);
    search.try_all(others);
  }
  return std::move(search).found();
}

std::vector<Source> find_draws(std::span<const Printed* const> unexplained) {
  using torch::Torch;
  constexpr std::size_t most_drawings = 4'000;
  std::deque<Torch> programs;
  std::vector<Drawing> drawings;
  for (const Printed* const printed : unexplained) {
    const auto shown = drawings.size() < most_drawings && !has_gap(*printed) ? shown_of(*printed) : std::nullopt;
    const auto add = [&](const auto& draw) {
      Torch& program = programs.emplace_back(Kernels{}, DropoutKernel::standard, Torch::Mode::compute);
      drawings.push_back({printed, draw(program), &program.draws()});
    };
    const Shape& shape = printed->shape;
    if (!shown || shape.empty()) {
      continue;
    }
    if (const double kept = std::ranges::max(shown->values); is_binary(*shown) && kept > 1) {
      const double p = std::round((1 - 1 / kept) * 100) / 100;
      add([&](Torch& program) { return program.dropout(torch::ones(shape), p).output; });
      continue;
    }
    add([&](Torch& program) { return program.rand(shape); });
    add([&](Torch& program) { return program.randn(shape); });
    if (shape.size() == 2) {
      add([&](Torch& program) { return program.linear(shape[1], shape[0], true, "").weight; });
      add([&](Torch& program) { return t(program.linear(shape[0], shape[1], true, "").weight); });
    }
  }
  std::vector<Source> result;
  for (const auto& [drawing, seed] : find_seeds(drawings)) {
    const auto& [printed, tensor, draws] = drawings[drawing];
    const std::string words = tensor.expression() + " after torch.manual_seed(" + std::to_string(seed) + ")";
    const Observed drawn = {.shape = tensor.shape(), .values = values_of(torch::redrawn(tensor, *draws, seed))};
    result.push_back({drawn, words, {}, true});
  }
  return result;
}

}  // namespace attn::verify
