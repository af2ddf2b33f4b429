#include "verify/port/operands.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "tensor/operations.hpp"
#include "verify/observed/observed.hpp"

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

}  // namespace attn::verify
