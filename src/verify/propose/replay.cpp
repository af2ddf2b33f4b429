#include "verify/propose/replay.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "torch/distributions.hpp"
#include "torch/generator.hpp"
#include "verify/propose/numpy_generator.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_kept = 64;
constexpr std::size_t most_numbers = 4'096;
constexpr std::size_t most_drawn = 1U << 22U;  ///< by a whole listing

std::size_t count_of(const Shape& shape) { return static_cast<std::size_t>(element_count(shape)); }

/// What torch.rand and its like fill a tensor with.
std::vector<double> draw(torch::Generator& generator, const DrawCall& call) {
  std::vector<float> values(count_of(call.shape));
  switch (call.kind) {
    case DrawCall::Kind::uniform: torch::uniform(generator, values, call.low, call.high, Cpu::standard); break;
    case DrawCall::Kind::linear: {
      const double bound = torch::linear_weight_bound(call.shape[1]);
      torch::uniform(generator, values, -bound, bound, Cpu::standard);
      break;
    }
    case DrawCall::Kind::dropout: {
      const auto keeps = std::make_unique<bool[]>(values.size());
      torch::bernoulli(generator, {keeps.get(), values.size()}, 1 - call.low, call.kernel);
      std::ranges::transform(std::span(keeps.get(), values.size()), values.begin(),
                             [&](bool keep) { return keep ? static_cast<float>(1 / (1 - call.low)) : 0; });
      break;
    }
    case DrawCall::Kind::integers:
      for (float& value : values) {
        value = static_cast<float>(call.low + generator.random() % static_cast<std::uint32_t>(call.high - call.low));
      }
      break;
    default:
      torch::normal(generator, values, Cpu::standard);
      for (float& value : values) {
        value = call.kind == DrawCall::Kind::normal ? static_cast<float>(value * call.high + call.low) : value;
      }
  }
  return {values.begin(), values.end()};
}

/// What np.random.rand and its like fill an array with.
template <class Generator>
std::vector<double> draw(Generator& generator, const DrawCall& call) {
  std::vector<double> values(count_of(call.shape));
  for (double& value : values) {
    switch (call.kind) {
      case DrawCall::Kind::uniform: value = call.low + (call.high - call.low) * generator.uniform(); break;
      case DrawCall::Kind::integers:
        value = call.low + generator.integer(static_cast<std::uint32_t>(call.high - call.low - 1));
        break;
      default: value = call.low + call.high * generator.normal();
    }
  }
  return values;
}

/// "1st"
std::string ordinal(std::size_t n) {
  const std::size_t last = n % 100 / 10 == 1 ? 0 : n % 10;
  return std::to_string(n) + (last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

/// A generator from one seed on.
struct Seeded {
  std::variant<torch::Generator, NumpyGenerator, Pcg64Generator> generator;
  std::string seeding;                       ///< "torch.manual_seed(123)"
  std::map<std::string, std::size_t> calls;  ///< how often each was made
  bool is_certain = true;
};

class Replay {
 public:
  std::vector<Replayed> run(std::span<const DrawCall> calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const DrawCall& call = calls[i];
      if (call.kind == DrawCall::Kind::seed) {
        seed(call);
      } else if (const auto seeded = generators_.find(call.generator);
                 seeded != generators_.end() && seeded->second.is_certain) {
        add(seeded->second, call, "our_draw_" + std::to_string(i));
      }
    }
    return std::move(result_);
  }

 private:
  void seed(const DrawCall& call) {
    generators_.erase(call.generator);
    const auto bits = static_cast<std::uint64_t>(call.seed);
    if (call.generator == "torch") {
      generators_.emplace(call.generator, Seeded{torch::Generator(bits), call.call, {}});
    } else if (call.is_default_rng) {
      generators_.emplace(call.generator, Seeded{Pcg64Generator(bits), call.call, {}});
    } else if (bits <= std::numeric_limits<std::uint32_t>::max()) {
      generators_.emplace(call.generator, Seeded{NumpyGenerator(static_cast<std::uint32_t>(bits)), call.call, {}});
    }
  }

  void add(Seeded& seeded, const DrawCall& call, const std::string& key) {
    const bool is_first = seeded.calls.empty();
    const std::size_t before = seeded.calls[call.call]++;
    drawn_ += call.kind == DrawCall::Kind::unread ? 0 : count_of(call.shape);
    constexpr double most_bound = 1U << 24U;  // up to it floats tell whole numbers apart
    const bool is_readable = call.kind != DrawCall::Kind::integers ||
                             (std::abs(call.low) < most_bound && std::abs(call.high) < most_bound &&
                              call.low == std::floor(call.low) && call.high == std::floor(call.high));
    if (call.kind == DrawCall::Kind::unread || !is_readable || drawn_ > most_drawn) {
      seeded.is_certain = false;
      return;
    }
    const std::string nth = is_first ? call.call : "the " + ordinal(before + 1) + " " + call.call;
    const auto keep = [&](const DrawCall& one, const std::string& part) {
      Replayed drawn{one.shape,
                     std::visit([&](auto& generator) { return draw(generator, one); }, seeded.generator),
                     {},
                     {},
                     key + part};
      if (call.zero_row >= 0 && call.zero_row < call.shape[0]) {
        std::fill_n(drawn.values.begin() + call.zero_row * call.shape[1], call.shape[1], 0);
      }
      drawn.is_sound = call.kind != DrawCall::Kind::dropout;
      const std::string anonymous = nth + part + " after " + seeded.seeding;
      drawn.words = call.name.empty() ? "(" + anonymous + ")" : call.name + part;
      drawn.sentence = call.name.empty()  ? anonymous
                       : !call.of.empty() ? call.name + part + " of " + call.of + ", drawn after " + seeded.seeding
                       : part.empty()     ? call.name + " = " + call.value + ", drawn after " + seeded.seeding
                                          : call.name + part + " of " + call.value + ", drawn after " + seeded.seeding;
      if (result_.size() < most_kept && drawn.values.size() > 1 && drawn.values.size() <= most_numbers) {
        result_.push_back(std::move(drawn));
      }
    };
    keep(call, call.kind == DrawCall::Kind::linear || call.kind == DrawCall::Kind::embedding ? ".weight" : "");
    if (call.has_bias) {
      const double bound = torch::linear_bias_bound(call.shape[1]);
      keep({.kind = DrawCall::Kind::uniform, .shape = {call.shape[0]}, .low = -bound, .high = bound}, ".bias");
    }
  }

  std::map<std::string, Seeded, std::less<>> generators_;
  std::vector<Replayed> result_;
  std::size_t drawn_ = 0;
};

}  // namespace

std::vector<Replayed> replay(std::span<const DrawCall> calls) { return Replay().run(calls); }

std::vector<DrawCall> with_other_dropout(std::span<const DrawCall> calls) {
  std::vector<DrawCall> others(calls.begin(), calls.end());
  bool has_dropout = false;
  for (DrawCall& call : others) {
    has_dropout = has_dropout || call.kind == DrawCall::Kind::dropout;
    call.kernel = call.kernel == DropoutKernel::mkl ? DropoutKernel::standard : DropoutKernel::mkl;
  }
  return has_dropout ? others : std::vector<DrawCall>{};
}

}  // namespace attn::verify
