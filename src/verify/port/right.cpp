#include "verify/port/right.hpp"

#include <bit>
#include <tuple>
#include <type_traits>
#include <variant>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

/// These numbers as a type's; the nearest that int64 has, and 0 for nan.
template <class T>
Contents block(const Shape& shape, const std::vector<double>& values) {
  Block<T> block = Block<T>::unwritten(shape);
  std::ranges::transform(values, block.begin(), [](double value) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      constexpr double end = 0x1.fffffffffffffp62;
      return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -0x1p63, end));
    } else {
      return static_cast<T>(value);
    }
  });
  return block;
}

Contents contents_of(const Shape& shape, DType dtype, const std::vector<double>& values) {
  switch (dtype) {
    case DType::float32: return block<float>(shape, values);
    case DType::boolean: return block<bool>(shape, values);
    case DType::int64: break;
  }
  return block<std::int64_t>(shape, values);
}

/// A leaf with these numbers and the tensor's shape and dtype.
Tensor with_values(const Tensor& like, const SharedNumbers& values) {
  return leaf(
      like.shape(), like.dtype(), like.name(),
      [shape = like.shape(), dtype = like.dtype(), values] { return contents_of(shape, dtype, values); },
      like.kernels());
}

}  // namespace

bool is_made_of(const Tensor& made, const Tensor& other) {
  const auto is_it = [&](const auto& again, const Tensor& tensor, int operations) -> bool {
    return operations > 0 && std::ranges::any_of(tensor.operands(), [&](const Tensor& operand) {
             return operand.id() == other.id() || again(again, operand, operations - 1);
           });
  };
  constexpr int few = 4;
  return is_it(is_it, made, few);
}

void PortOperands::add(const Tensor& tensor, const Laid& laid) {
  const auto [own, is_new] = tensors_.emplace(tensor.id(), with_values(tensor, laid.values));
  if (!is_new && !laid.cells.empty()) {
    std::vector<double> values = values_of(own->second);
    for (const std::int64_t cell : laid.cells) {
      values[static_cast<std::size_t>(cell)] = laid.values[static_cast<std::size_t>(cell)];
    }
    own->second = with_values(tensor, values);
  }
}

void PortOperands::put(const Tensor& tensor, const Tensor& is) { tensors_.insert_or_assign(tensor.id(), is); }

std::optional<Tensor> PortOperands::remade(const Tensor& tensor, const Tensor& judged,
                                           const Rewriter::Rule& rule) const {
  try {
    Rewriter rewriter([&](const Tensor& was, const Tensor& is) {
      const auto own = was.id() == judged.id() ? tensors_.end() : tensors_.find(was.id());
      return own != tensors_.end() ? own->second : rule ? rule(was, is) : is;
    });
    return rewriter(tensor);
  } catch (const ShapeError&) {
    return std::nullopt;
  }
}

namespace {

/// x, each number moved up or down by this share of it, as its bits and the salt decide: a part is moved as in the
/// whole.
Tensor shaken(const Tensor& x, double share, std::uint32_t salt) {
  const auto is_up = [salt](float number) {
    constexpr std::uint32_t odd = 0x9E3779B1;  // Knuth's multiplicative hash
    std::uint32_t mixed = (std::bit_cast<std::uint32_t>(number) ^ salt) * odd;
    mixed = (mixed ^ (mixed >> 15U)) * odd;
    return (mixed >> 31U) != 0;
  };
  const auto moved = [x, share, is_up](const Box& part) {
    Block<float> block = std::get<Block<float>>(*x.part(part).contents());
    for (float& number : block) {
      number = static_cast<float>(static_cast<double>(number) * (is_up(number) ? 1 + share : 1 - share));
    }
    return Contents(std::move(block));
  };
  return leaf(x.shape(), DType::float32, "", moved, x.kernels());
}

/// How often a result is rounded on the way, for an order of summation that is not known: the errors of n additions
/// grow with the root of n.
double roundings_of(const Tensor& tensor) {
  const Derivation derivation = tensor.operation().derive(tensor.operands(), Shape(tensor.shape().size(), 0));
  return std::max(1.0, std::sqrt(static_cast<double>(derivation.terms.size())) / 4);
}

}  // namespace

Noise::Noise(double roundoff) : roundoff_(roundoff) { forget(); }

void Noise::forget() {
  known_.clear();
  seen_.clear();
  held_ = 0;
  shakers_.clear();
  shakers_.push_back(shaker(0x5bd1e995));
  shakers_.push_back(shaker(0xc2b2ae35));
}

Rewriter Noise::shaker(std::uint32_t salt) {
  return Rewriter([this, salt](const Tensor& was, const Tensor& is) {
    seen_.push_back(was);
    held_ += was.is_at_hand() ? element_count(was.shape()) : 0;
    if (was.operands().empty() || was.operation().is_view()) {
      return is;
    }
    // The least step of a float32 is a share of at most twice its rounding.
    const double share = 2 * roundoff_ * roundings_of(was);
    std::vector<Tensor> operands = is.operands();
    for (Tensor& operand : operands) {
      if (operand.dtype() == DType::float32) {
        operand = shaken(operand, share, salt);
      }
    }
    return is.with_operands(std::move(operands));
  });
}

/// Rows of at least some cells, whose errors together are no accident.
Noise::Rows Noise::rows_of(const Tensor& tensor) {
  constexpr std::int64_t least = 16;
  constexpr double few = 8;
  Rows rows;
  for (std::size_t axis = tensor.shape().size(); axis-- > 0 && rows.width < least;) {
    rows.width *= tensor.shape()[axis];
  }
  std::vector<double>& squares = rows.noise;
  squares.resize(verify::at(element_count(tensor.shape()) / rows.width));
  for (Rewriter& shake : shakers_) {
    std::int64_t cell = 0;
    subtract(shake(tensor), tensor).each_part([&](const Array& part) {
      const auto contents = part.contents();
      for (const float difference : std::get<Block<float>>(*contents)) {
        squares[verify::at(cell++ / rows.width)] +=  // of infinite ones nothing is known
            std::isfinite(difference) ? static_cast<double>(difference) * difference : 0;
      }
    });
  }
  const double cells = static_cast<double>(rows.width) * static_cast<double>(shakers_.size());
  std::ranges::transform(squares, squares.begin(), [cells](double sum) { return few * std::sqrt(sum / cells); });
  return rows;
}

double Noise::at(const Tensor& tensor, std::int64_t position) {
  constexpr std::int64_t most_held = std::int64_t{1} << 25;
  if (tensor.operands().empty() || tensor.dtype() != DType::float32) {
    return 0;
  }
  auto found = known_.find(tensor.id());
  if (found == known_.end()) {
    held_ > most_held ? forget() : void();
    found = known_.emplace(tensor.id(), rows_of(tensor)).first;
  }
  return found->second.noise[verify::at(position / found->second.width)];
}

namespace {

bool is_within(Noise& noise, double theirs, double right, const Tensor& tensor, std::int64_t cell,
               const Tolerance& tolerance) {
  return is_held(theirs, right, tolerance) || std::abs(theirs - right) <= noise.at(tensor, cell);
}

}  // namespace

bool is_held(double theirs, double right, const Tolerance& tolerance) {
  return theirs == right || (std::isnan(theirs) && std::isnan(right)) ||
         (std::isfinite(theirs) && std::isfinite(right) &&
          std::abs(theirs - right) <= tolerance.atol + tolerance.rtol * std::abs(right));
}

Comparison compare(std::span<const double> theirs, std::span<const double> right, const Tolerance& tolerance,
                   std::span<const std::int64_t> cells) {
  Comparison result;
  result.cells = static_cast<std::int64_t>(cells.empty() ? right.size() : cells.size());
  for (std::int64_t place = 0; place < result.cells; ++place) {
    const std::int64_t cell = cells.empty() ? place : cells[static_cast<std::size_t>(place)];
    const double here = theirs[static_cast<std::size_t>(cell)];
    const double there = right[static_cast<std::size_t>(cell)];
    result.greatest_right =
        std::isfinite(there) ? std::max(result.greatest_right, std::abs(there)) : result.greatest_right;
    if (here == there || (std::isnan(here) && std::isnan(there))) {
      continue;
    }
    if (!is_held(here, there, tolerance)) {
      result.mismatched.push_back(cell);
    }
    const bool are_numbers = std::isfinite(here) && std::isfinite(there);
    const double difference = are_numbers ? std::abs(here - there) : std::numeric_limits<double>::infinity();
    if (difference > result.greatest_absolute) {
      result.greatest_absolute = difference;
      result.absolute_at = cell;
    }
  }
  return result;
}

bool are_within(Noise& noise, std::span<const double> theirs, std::span<const double> right, const Tensor& tensor,
                const Comparison& comparison, const Tolerance& tolerance) {
  const auto is_near = [&](std::int64_t cell) {
    return is_within(noise, theirs[at(cell)], right[at(cell)], tensor, cell, tolerance);
  };
  return comparison.holds() || (is_near(comparison.absolute_at) && std::ranges::all_of(comparison.mismatched, is_near));
}

SharedNumbers Right::values(const Tensor& tensor) {
  constexpr std::int64_t most_held = std::int64_t{1} << 25;
  auto found = known_.find(tensor.id());
  if (found == known_.end()) {
    if (held_ > most_held) {
      known_.clear();
      held_ = 0;
    }
    held_ += element_count(tensor.shape());
    found = known_.emplace(tensor.id(), Known{tensor, values_of(tensor)}).first;
  }
  return found->second.values;
}

/// Returns true if noise, which takes long for a large tensor, need be asked: it is no tenth of the greatest number.
bool Right::may_be_noise(const Comparison& plain, const Tensor& right) const {
  constexpr std::int64_t many = 100'000;
  const bool is_far_off = element_count(right.shape()) > many && plain.greatest_absolute > plain.greatest_right / 10;
  return tolerance_.grows && !right.operands().empty() && !is_far_off;
}

bool Right::holds(const Laid& theirs, const Tensor& right) {
  const auto count = static_cast<std::int64_t>(theirs.cells.empty() ? theirs.values.size() : theirs.cells.size());
  std::vector<std::int64_t> some;  // cells that refute most of what is large
  for (std::int64_t i = 0; i < count; i += count / 1000 + 1) {
    some.push_back(theirs.cells.empty() ? i : theirs.cells[at(i)]);
  }
  const Comparison sample = verify::compare(theirs.values, values(right), tolerance_, some);
  if (!sample.holds() && !may_be_noise(sample, right)) {
    return false;
  }
  const Comparison plain = verify::compare(theirs.values, values(right), tolerance_, theirs.cells);
  return plain.holds() ||
         (may_be_noise(plain, right) && are_within(noise_, theirs.values, values(right), right, plain, tolerance_));
}

Comparison Right::compare(const Laid& theirs, const Tensor& right) {
  const SharedNumbers numbers = values(right);
  Comparison result = verify::compare(theirs.values, numbers, tolerance_, theirs.cells);
  if (may_be_noise(result, right)) {
    std::erase_if(result.mismatched, [&](std::int64_t cell) {
      return is_within(noise_, theirs.values[at(cell)], numbers[at(cell)], right, cell, tolerance_);
    });
  }
  return result;
}

std::optional<Laid> Right::holding(const Observed& theirs, const Tensor& right) {
  std::optional<Laid> result;
  lay_out(theirs, target_of(right), [&](Laid&& laid) {
    if (!holds(laid, right)) {
      return false;
    }
    result = std::move(laid);
    return true;
  });
  return result;
}

double Right::distance(const Laid& theirs, const Tensor& right) {
  const SharedNumbers numbers = values(right);
  double sum = 0;
  const std::size_t count = theirs.cells.empty() ? numbers.size() : theirs.cells.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t cell = theirs.cells.empty() ? i : at(theirs.cells[i]);
    const double a = theirs.values[cell];
    const double b = numbers[cell];
    const bool are_numbers = std::isfinite(a) && std::isfinite(b);
    sum += a == b         ? 0
           : !are_numbers ? 1
                          : std::abs(a - b) / (std::abs(a) + std::abs(b) + std::numeric_limits<double>::min());
  }
  const bool is_hidden = std::ranges::any_of(theirs.values, is_hiding) && std::ranges::none_of(numbers, is_hiding);
  return (is_hidden ? 1 : 0) + (count == 0 ? 0 : sum / static_cast<double>(count));
}

bool Right::has_layout(const Observed& theirs, const Tensor& right) {
  bool result = theirs.shape == right.shape();
  if (!result) {
    lay_out(theirs, target_of(right), [&result](Laid&&) { return result = true; });
  }
  return result;
}

std::optional<Laid> Right::nearest(const Observed& theirs, const Tensor& right) {
  std::optional<Laid> result;
  std::tuple<std::size_t, bool, double> least;
  lay_out(theirs, target_of(right), [&](Laid&& laid) {
    const std::size_t wrong = verify::compare(laid.values, values(right), tolerance_, laid.cells).mismatched.size();
    if (laid.is_turned && wrong > 0) {
      return false;
    }
    const bool is_slice = !laid.cells.empty();
    const std::tuple likeness{wrong, !laid.is_named, is_slice && wrong > 0 ? distance(laid, right) : 0};
    if (!result || likeness < least) {
      least = likeness;
      result = std::move(laid);
    }
    return false;
  });
  return result;
}

}  // namespace attn::verify
