#include "verify/explain/find_draws.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tensor/kernels.hpp"
#include "text/numbers.hpp"
#include "torch/distributions.hpp"
#include "torch/generator.hpp"
#include "verify/bound/observed.hpp"
#include "verify/explain/evidence.hpp"
#include "verify/propose/seeds.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t block = 16;  ///< this many normals or more are drawn in blocks of this many

/// What a generator draws, before scaling.
struct Draws {
  enum class Kind { uniforms, normals, keeps };

  Kind kind = Kind::uniforms;
  bool are_many = false;  ///< normals: at least one block
  double keep = 0;        ///< Bernoulli variables: the probability of keeping
  DropoutKernel kernel = DropoutKernel::standard;

  bool operator==(const Draws&) const = default;
};

/// How a tensor may have been computed: `low + scale * draw`.
struct Way {
  std::string words;
  Draws draws;
  double low = 0;
  double scale = 1;
  std::int64_t d_out = 0;
  bool is_transposed = false;
};

/// An unknown tensor and the ways that its numbers permit.
struct Candidate {
  const Printed* printed = nullptr;
  std::vector<Way> ways;
};

bool are_within(const Printed& printed, double low, double high) {
  return std::ranges::all_of(printed.cells, [&](const Cell& cell) {
    return cell.value >= low - radius(cell) && cell.value <= high + radius(cell);
  });
}

/// nn.Linear's weight [d_out, d_in], or its transpose, if the numbers are small enough.
void add_linear(const Printed& printed, bool is_transposed, std::vector<Way>& ways) {
  const std::int64_t d_in = printed.shape[is_transposed ? 0 : 1];
  const std::int64_t d_out = printed.shape[is_transposed ? 1 : 0];
  const double bound = torch::linear_weight_bound(d_in);
  if (are_within(printed, -bound, bound)) {
    ways.push_back({"nn.Linear(" + sizes_text({d_in, d_out}) + ").weight" + (is_transposed ? ".T" : ""),
                    {Draws::Kind::uniforms},
                    -bound,
                    2 * bound,
                    d_out,
                    is_transposed});
  }
}

/// nn.Dropout of ones with either kernel: 0, or one other number, 1 / (1 - p).
void add_masks(const Printed& printed, std::vector<Way>& ways) {
  const double kept = std::ranges::max(printed.cells, {}, &Cell::value).value;
  const bool is_mask = kept > 1 && std::ranges::all_of(printed.cells, [&](const Cell& cell) {
                         return cell.value == 0 || cell.value == kept;
                       });
  const double p = std::round((1 - 1 / kept) * 100) / 100;
  const std::string words = "nn.Dropout(" + text::shortest_text(p) + ")(torch.ones(" + sizes_text(printed.shape) + "))";
  for (const DropoutKernel kernel : {DropoutKernel::standard, DropoutKernel::mkl}) {
    if (is_mask) {
      ways.push_back({words, {Draws::Kind::keeps, false, 1 - p, kernel}, 0, kept});
    }
  }
}

std::vector<Way> ways_of(const Printed& printed) {
  std::vector<Way> ways;
  add_masks(printed, ways);
  if (!ways.empty()) {
    return ways;
  }
  const bool is_matrix = printed.shape.size() == 2;
  const std::int64_t d_out = is_matrix ? printed.shape[1] : 0;
  const std::string sizes = std::string("(").append(sizes_text(printed.shape)).append(")");
  if (are_within(printed, 0, 1)) {
    return {{"torch.rand" + sizes, {Draws::Kind::uniforms}, 0, 1, d_out}};
  }
  if (is_matrix) {
    add_linear(printed, false, ways);
    add_linear(printed, true, ways);
  }
  ways.push_back({"torch.randn" + sizes, {Draws::Kind::normals, printed.cells.size() >= block}, 0, 1, d_out});
  return ways;
}

std::vector<Candidate> candidates_of(const Report& report) {
  constexpr std::size_t most_candidates = 8;
  constexpr std::size_t most_cells = 4'096;
  const std::size_t seeds_and_ways = 4 * usual_seeds().size();
  std::vector<Candidate> candidates;
  for (const Finding& finding : report.findings) {
    const Printed& printed = *finding.printed;
    if (candidates.size() < most_candidates && finding.verdict == Verdict::unknown &&
        printed.kind == Printed::Kind::tensor && observed_of(printed) && !printed.shape.empty() &&
        printed.cells.size() <= most_cells && is_excluded(chance_of_agreeing(printed), seeds_and_ways)) {
      candidates.push_back({&printed, ways_of(printed)});
    }
  }
  return candidates;
}

/// The first `count` draws.
std::vector<float> draw(torch::Generator generator, const Draws& draws, std::size_t count) {
  std::vector<float> values(count);
  switch (draws.kind) {
    case Draws::Kind::uniforms: torch::uniform(generator, values, 0, 1, Cpu::standard); break;
    case Draws::Kind::normals: torch::normal(generator, values, Cpu::standard); break;
    case Draws::Kind::keeps:
      const auto keeps = std::make_unique<bool[]>(count);
      torch::bernoulli(generator, {keeps.get(), count}, draws.keep, draws.kernel);
      std::copy_n(keeps.get(), count, values.begin());
      break;
  }
  return values;
}

/// The place of the printed cell for a draw.
std::size_t place_of(const Printed& printed, const Way& way, std::size_t i) {
  if (!way.is_transposed) {
    return i;
  }
  const std::size_t rows = at(printed.shape[0]);
  const std::size_t columns = at(printed.shape[1]);
  return i % rows * columns + i / rows;
}

/// Returns true if the draws are the tensor's first ones.
bool agree(const Printed& printed, const Way& way, std::span<const float> draws) {
  constexpr double rounding = 1e-6;
  for (std::size_t i = 0; i < std::min(draws.size(), printed.cells.size()); ++i) {
    const Cell& cell = printed.cells[place_of(printed, way, i)];
    const double drawn = way.low + way.scale * static_cast<double>(draws[i]);
    if (!(std::abs(cell.value - drawn) <= radius(cell) + rounding)) {
      return false;
    }
  }
  return true;
}

/// The first draws after a seed, each kind drawn once. Most seeds fail at one of them.
class Seeded {
 public:
  explicit Seeded(std::int64_t seed) : seed_(seed), generator_(static_cast<std::uint64_t>(seed)) {}

  /// Returns the seed's draws if they are the printed numbers.
  std::optional<Drawn> find(const Printed& printed, const Way& way) {
    if (!agree(printed, way, first_of(way.draws, printed.cells.size()))) {
      return std::nullopt;
    }
    const std::vector<float> draws = draw(generator_, way.draws, printed.cells.size());
    if (!agree(printed, way, draws)) {
      return std::nullopt;
    }
    Drawn drawn{seed_, printed.shape, std::vector<double>(draws.size()),
                way.words + " after torch.manual_seed(" + std::to_string(seed_) + ")", way.d_out};
    for (std::size_t i = 0; i < draws.size(); ++i) {
      drawn.values[place_of(printed, way, i)] = way.low + way.scale * static_cast<double>(draws[i]);
    }
    return drawn;
  }

 private:
  /// Some of the first of `count` draws. If the last block of many normals is not full, it is drawn again.
  std::span<const float> first_of(const Draws& draws, std::size_t count) {
    constexpr std::size_t few = 4;
    const std::span<const float> values = made(draws, draws.are_many ? block : few);
    return draws.are_many && count % block != 0 ? values.first(std::min(count - block, few)) : values;
  }

  std::span<const float> made(const Draws& draws, std::size_t count) {
    for (const auto& [kind, values] : first_) {
      if (kind == draws) {
        return values;
      }
    }
    return first_.emplace_back(draws, draw(generator_, draws, count)).second;
  }

  std::int64_t seed_;
  torch::Generator generator_;
  std::vector<std::pair<Draws, std::vector<float>>> first_;
};

}  // namespace

std::vector<Drawn> find_draws(const Report& report) {
  std::vector<Candidate> candidates = candidates_of(report);
  std::vector<Drawn> found;
  const auto try_seed = [&](std::int64_t seed) {
    if (candidates.empty()) {
      return;
    }
    Seeded seeded(seed);
    std::erase_if(candidates, [&](const Candidate& candidate) {
      return std::ranges::any_of(candidate.ways, [&](const Way& way) {
        const std::optional<Drawn> drawn = seeded.find(*candidate.printed, way);
        if (drawn) {
          found.push_back(*drawn);
        }
        return drawn.has_value();
      });
    });
  };
  std::ranges::for_each(usual_seeds(), try_seed);
  return found;
}

}  // namespace attn::verify
