#include "verify/port/noise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "tensor/evaluation.hpp"
#include "tensor/operations.hpp"
#include "verify/observed/observed.hpp"

namespace attn::verify {
namespace {

/// x, each number moved up or down by this share of it, as its bits and the salt decide: a part is moved as in the
/// whole.
class Shaken final : public Operation {
 public:
  Shaken(double share, std::uint32_t salt) : share_(share), salt_(salt) {}

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>&, Box& part) const override {
    return std::vector<Need>{{part}};
  }
  Array compute(const std::vector<Tensor>& operands, const Box& /*part*/) const override {
    Block<float> moved = operands[0].own_floats();
    for (float& number : moved) {
      const double factor = is_up(number) ? 1 + share_ : 1 - share_;
      number = static_cast<float>(static_cast<double>(number) * factor);
    }
    return Array(std::move(moved));
  }
  Derivation derive(const std::vector<Tensor>&, const Shape& index) const override {
    return Derivation(Derivation::Rule::copy, {0, index});
  }
  std::string words(const std::vector<std::string>& operands) const override { return operands[0]; }
  Facts facts() const override { return {.kind = Kind::given}; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return ""; }

 private:
  bool is_up(float number) const {
    constexpr std::uint32_t odd = 0x9E3779B1;  // Knuth's multiplicative hash
    std::uint32_t mixed = (std::bit_cast<std::uint32_t>(number) ^ salt_) * odd;
    mixed = (mixed ^ (mixed >> 15U)) * odd;
    return (mixed >> 31U) != 0;
  }

  double share_;
  std::uint32_t salt_;
};

/// How often a result is rounded on the way, for an order of summation that is not known: the errors of n additions
/// grow with the root of n.
double roundings_of(const Tensor& tensor) {
  const Derivation derivation = tensor.operation().derive(tensor.operands(), Shape(tensor.shape().size(), 0));
  return std::max(1.0, std::sqrt(static_cast<double>(derivation.terms.size())) / 4);
}

/// Adds the squares of a tensor's numbers to the sum of each row of this width; of infinite ones nothing is known.
void add_squares(const Array& differences, std::int64_t width, double* sums) {
  const auto contents = differences.contents();
  std::int64_t cell = 0;
  for (const float difference : std::get<Block<float>>(*contents)) {
    sums[cell++ / width] += std::isfinite(difference) ? static_cast<double>(difference) * difference : 0;
  }
}

float noise_of(double squares, std::int64_t cells) {
  constexpr double few = 8;
  return static_cast<float>(few * std::sqrt(squares / static_cast<double>(cells)));
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
        operand = Tensor(std::make_shared<Shaken>(share, salt), {operand}, operand.shape());
      }
    }
    return is.with_operands(std::move(operands));
  });
}

/// Rows of at least some cells, whose errors together are no accident.
Noise::Rows Noise::rows_of(const Tensor& tensor) {
  constexpr std::int64_t least = 16;
  Rows rows;
  for (std::size_t axis = tensor.shape().size(); axis-- > 0 && rows.width < least;) {
    rows.width *= tensor.shape()[axis];
  }
  for (Rewriter& shake : shakers_) {
    rows.differences.push_back(subtract(shake(tensor), tensor));
  }
  rows.noise.assign(verify::at(element_count(tensor.shape()) / rows.width), std::numeric_limits<float>::quiet_NaN());
  return rows;
}

void Noise::compute_row(Rows& rows, std::int64_t row) {
  const Shape& shape = rows.differences[0].shape();
  Box box = box_at(index_at(row * rows.width, shape));
  std::int64_t width = 1;
  for (std::size_t axis = shape.size(); axis-- > 0 && width < rows.width;) {
    box[axis] = {0, shape[axis]};
    width *= shape[axis];
  }
  double squares = 0;
  std::ranges::for_each(rows.differences, [&](const Tensor& one) { add_squares(one.part(box), rows.width, &squares); });
  rows.noise[verify::at(row)] = noise_of(squares, rows.width * std::ssize(rows.differences));
}

void Noise::compute_all(Rows& rows) {
  std::vector<double> squares(rows.noise.size());
  for (const Tensor& one : rows.differences) {
    double* next = squares.data();
    one.each_part([&](const Array& part) {
      add_squares(part, rows.width, next);
      next += element_count(part.shape) / rows.width;
    });
  }
  std::ranges::transform(squares, rows.noise.begin(),
                         [&](double sum) { return noise_of(sum, rows.width * std::ssize(rows.differences)); });
}

double Noise::at(const Tensor& tensor, std::int64_t position) {
  constexpr std::int64_t most_held = std::int64_t{1} << 25;
  constexpr int few_rows = 100;
  if (tensor.operands().empty() || tensor.dtype() != DType::float32) {
    return 0;
  }
  if (held_ > most_held && !known_.contains(tensor.id())) {
    forget();
  }
  Rows& rows = known_.try_emplace(tensor.id()).first->second;
  if (rows.differences.empty()) {
    rows = rows_of(tensor);
  }
  const std::int64_t row = position / rows.width;
  if (std::isnan(rows.noise[verify::at(row)])) {
    const bool is_long = !rows.differences[0].is_at_hand();
    is_long && ++rows.asked < few_rows ? compute_row(rows, row) : compute_all(rows);
  }
  return static_cast<double>(rows.noise[verify::at(row)]);
}

}  // namespace attn::verify
