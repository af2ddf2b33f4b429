#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/rounded_math.hpp"
#include "torch/torch.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes/subjects.hpp"
#include "walk/rotation.hpp"

namespace attn {
namespace {

constexpr const char* adding_line = "inputs + encodings";
constexpr const char* encodings_line = "encodings[:, 0::2] = sin(angles); encodings[:, 1::2] = cos(angles)";
constexpr const char* frequencies_line = "10000 ** (-2 * i / d) for pair i of d columns";

Tensor without_positions(const Tensor& was, const Tensor& is) { return adds_positions(was) ? is.operands()[0] : is; }

Tensor scaled_before_positions(const Tensor& was, const Tensor& is) {
  if (!adds_positions(was)) {
    return is;
  }
  const double root = std::sqrt(static_cast<double>(was.size(-1)));
  return add(divide(is.operands()[0], 1 / root, ""), is.operands()[1]);
}

Tensor sines_first(const Tensor& was, const Tensor& is) {
  if (!interleaves_sines(was) || !is_made_alike(was.operands()[0], is.operands()[0])) {
    return is;
  }
  const Tensor columns = cat(is.operands()[0].operands());
  was.name().empty() ? columns.set_name("sines_and_cosines") : void();
  return columns;
}

Tensor cosines_first(const Tensor& was, const Tensor& is) {
  if (!interleaves_sines(was) || !is_made_alike(was.operands()[0], is.operands()[0])) {
    return is;
  }
  const std::vector<Tensor>& parts = is.operands()[0].operands();
  return view(stack({parts[1], parts[0]}, 2), was.shape());
}

/// The angles of position encodings and of rotations, each with the columns of what they are for.
std::map<const Tensor*, std::int64_t> all_angles(std::span<const Step> steps) {
  std::map<const Tensor*, std::int64_t> columns;
  for (const Step& step : steps) {
    if (!step.tensor) {
      continue;
    }
    if (const Tensor* const angles = angles_of(*step.tensor)) {
      columns[angles] = step.tensor->size(-1);
    } else if (const auto rotation = rotation_of(*step.tensor)) {
      columns[&rotation->cos.operands()[0]] = rotation->x.size(-1);
    }
  }
  return columns;
}

/// Other frequencies, base ** (-factor * i / d), for every list of them in these steps.
Rewriter::Rule with_frequencies(std::span<const Step> steps, std::int64_t base, std::int64_t factor) {
  std::map<const void*, std::int64_t> columns;
  for (const auto& [angles, count] : all_angles(steps)) {
    columns[angles->operands()[1].id()] = count;
  }
  return [columns, base, factor](const Tensor& was, const Tensor& is) {
    const auto found = columns.find(was.id());
    if (found == columns.end()) {
      return is;
    }
    const Tensor others = torch::frequencies(base, found->second, factor);
    return numbers_of(others) == numbers_of(was) ? is : others;  // else the right base would be a mistake
  };
}

/// Other positions of the tokens, of angles, from `first` on: `instead` of each position.
template <class Position>
Rewriter::Rule with_later_positions(std::span<const Step> steps, std::int64_t first, Position instead) {
  std::set<const void*> counted;
  for (const auto& [angles, count] : all_angles(steps)) {
    counted.insert(angles->operands()[0].id());
  }
  return [counted, first, instead](const Tensor& was, const Tensor& is) {
    if (!counted.contains(was.id()) || was.size(0) <= first) {
      return is;
    }
    return made_of(was, [first, instead](Numbers& numbers) {
      for (std::size_t i = static_cast<std::size_t>(first); i < numbers.size(); ++i) {
        numbers[i] = static_cast<float>(instead(numbers[i]));
      }
    });
  };
}

/// Each column c has a frequency of its own, 10000 ** (-2 c / d), in place of one for each two columns.
Tensor with_frequency_by_column(const Tensor& was, const Tensor& is) {
  if (angles_of(was) == nullptr) {
    return is;
  }
  return made_of(was, [d = width_of(was)](Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto column = static_cast<double>(i % d);
      const double angle =
          static_cast<double>(i / d) * rounded::pow(torch::frequency_base, -2 * column / static_cast<double>(d));
      numbers[i] = static_cast<float>(i % d % 2 == 0 ? rounded::sin(angle) : rounded::cos(angle));
    }
  });
}

/// Counts positions from 1; those of learned embeddings as far as there is a row for the last.
Rewriter::Rule counted_from_one(std::span<const Step> steps) {
  std::set<const void*> counted;
  for (const Step& step : steps) {
    if (!step.tensor || !adds_positions(*step.tensor)) {
      continue;
    }
    const Tensor& positions = step.tensor->operands()[1];
    const Tensor* const angles = angles_of(positions);
    if (angles != nullptr) {
      counted.insert(angles->operands()[0].id());
    } else if (positions.operands()[0].size(0) > positions.size(0)) {
      counted.insert(positions.operands()[1].id());
    }
  }
  return [counted](const Tensor& was, const Tensor& is) {
    if (!counted.contains(was.id())) {
      return is;
    }
    return was.dtype() == DType::int64 ? torch::token_range(1, was.size(0), was)
                                       : torch::positions(1, was.size(0), was);
  };
}

/// Adds positions to queries, keys and values instead of the inputs, where all are as long as these.
Rewriter::Rule added_after_projections(std::span<const Step> steps) {
  std::set<const void*> encoded;
  std::set<const void*> shorter;
  const auto is_made_of = [](const Tensor& tensor) {
    return is_product(tensor) && adds_positions(tensor.operands()[0]) && tensor.operands()[1].dim() == 2;
  };
  for (const Step& step : steps) {
    if (step.tensor && is_made_of(*step.tensor)) {
      const Tensor& inputs = step.tensor->operands()[0];
      (inputs.shape() == step.tensor->shape() ? encoded : shorter).insert(inputs.id());
    }
  }
  std::erase_if(encoded, [&shorter](const void* id) { return shorter.contains(id); });
  return [encoded, is_made_of](const Tensor& was, const Tensor& is) {
    if (encoded.contains(was.id())) {
      return is.operands()[0];
    }
    if (!is_made_of(was) || !encoded.contains(was.operands()[0].id())) {
      return is;
    }
    is.set_name(was.name() + "_without_positions");
    return add(is, was.operands()[0].operands()[1]);
  };
}

constexpr MistakeRow usual_position_rows[] = {
    {"no-positions", "no positions are added to the inputs", adding_line, always<without_positions>},
    {"sines-first", "the sines come first and then the cosines; columns should take turns", encodings_line,
     always<sines_first>},
    {"half-exponent", "the exponents of the frequencies are i / d, not 2 i / d", frequencies_line,
     [](Steps steps) { return with_frequencies(steps, torch::frequency_base, 1); }},
    {"positions-from-one", "positions count from 1, not from 0", "torch.arange(n)", counted_from_one},
    {"positions-after-projection", "positions are added to queries, keys and values, not to the inputs", adding_line,
     added_after_projections},
};

constexpr MistakeRow further_position_rows[] = {
    {"cosines-first", "even columns have cosines and odd ones sines: swapped", encodings_line, always<cosines_first>},
    {"inputs-scaled-up", "the inputs are multiplied by the square root of their dimension before positions are added",
     adding_line, always<scaled_before_positions>},
    {"frequency-by-column", "each column has a frequency of its own; columns 2i and 2i + 1 share one", frequencies_line,
     always<with_frequency_by_column>},
};

}  // namespace

std::span<const MistakeRow> position_mistakes_in() { return usual_position_rows; }

std::vector<Mistake> position_mistakes(std::span<const Step> steps) {
  std::vector<Mistake> table = made(further_position_rows, steps);
  for (const std::int64_t base : {100, 1'000, 10'000, 100'000, 500'000, 1'000'000, 10'000'000}) {
    table.push_back({"frequency-base", "the base of the frequencies is " + std::to_string(base), "rope_theta, or 10000",
                     with_frequencies(steps, base, 2), true});
  }
  constexpr std::int64_t most_tokens = 16;
  for (std::int64_t first = 1; first < most_tokens; ++first) {
    const std::string tokens = "the positions of token " + std::to_string(first) + " and later ones ";
    table.push_back({"positions-stay-0", tokens + "are all 0: the offset is left out, a token at a time",
                     "torch.arange(start, start + n)", with_later_positions(steps, first, [](float) { return 0.0F; }),
                     true});
    table.push_back(
        {"positions-restart", tokens + "count from 0 again: the offset is left out", "torch.arange(start, start + n)",
         with_later_positions(steps, first, [first](float at) { return at - static_cast<float>(first); }), true});
    table.push_back(
        {"positions-jump", tokens + "are too large by " + std::to_string(first) + ": the offset counts twice",
         "torch.arange(start, start + n)",
         with_later_positions(steps, first, [first](float at) { return at + static_cast<float>(first); }), true});
  }
  return table;
}

}  // namespace attn
