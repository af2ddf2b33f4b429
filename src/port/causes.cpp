#include "port/causes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "port/shifts.hpp"
#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "torch/redrawn.hpp"
#include "walk/mistakes.hpp"

namespace attn::port {
namespace {

constexpr std::size_t most_causes = 3;

/// Looks for what explains one step's numbers.
class Search {
 public:
  Search(const Matched& matched, std::span<const Step> steps, const Operands& operands, const Tolerance& tolerance)
      : matched_(matched), step_(*matched.step), steps_(steps), operands_(operands), tolerance_(tolerance),
        right_(*remade({})) {}

  std::vector<Cause> run(const Otherwise& otherwise) {
    if (is_drawn()) {
      look_among_steps();
      look_among_shifts(otherwise.draws);
      look_among_variants(otherwise.variants);
    }
    if (causes_.empty()) {
      look_at_arithmetic();
    }
    if (causes_.empty()) {
      try_mistakes();
    }
    if (causes_.empty()) {
      look_among_steps();
    }
    if (causes_.empty()) {
      look_for_transposition();
    }
    if (causes_.empty()) {
      look_for_a_divisor();
    }
    if (causes_.empty()) {
      look_for_a_factor();
    }
    causes_.resize(std::min(causes_.size(), most_causes));
    return std::move(causes_);
  }

 private:
  bool explains(std::span<const double> numbers, const Tolerance& tolerance) const {
    return numbers.size() == matched_.values.size() && compare(matched_.values, numbers, tolerance).holds();
  }
  bool explains(std::span<const double> numbers) const { return explains(numbers, tolerance_); }

  /// The step's numbers of the port's operands, under rules, the first nearest to the leaves; none where they do not fit.
  std::optional<std::vector<double>> remade(const std::vector<const Mistake*>& mistakes) const {
    return remade(*step_.tensor, mistakes);
  }

  std::optional<std::vector<double>> remade(const Tensor& tensor, const std::vector<const Mistake*>& mistakes) const {
    try {
      Rewriter rewriter([&](const Tensor& was, const Tensor& is) {
        Tensor result = operands_.put_in(was, is, *step_.tensor);
        if (result.id() != is.id()) {
          return result;
        }
        for (const Mistake* mistake : mistakes) {
          result = mistake->rule(was, is);
          if (result.id() != is.id()) {
            break;  // the next rule reads what the operation was made of
          }
        }
        return result;
      });
      return values_of(rewriter(tensor));
    } catch (const ShapeError&) {  // the operations' sizes do not fit each other under these rules
      return std::nullopt;
    }
  }

  bool is_drawn() const { return step_.tensor->operands().empty() || step_.tensor->kind() == Kind::parameter; }

  /// Numbers that all are alike could be anybody's.
  bool says_something() const {
    return std::ranges::any_of(matched_.values, [&](double value) { return value != matched_.values[0]; });
  }

  void look_among_steps() {
    for (const Step& other : steps_) {
      const bool is_other = other.kind == Step::Kind::tensor && other.tensor->id() != step_.tensor->id() &&
                            other.tensor->shape() == step_.tensor->shape() && other.tensor->dtype() == step_.tensor->dtype();
      if (is_other && says_something() && explains(values_of(*other.tensor))) {
        causes_.push_back({{"other-step"},
                           "these are the numbers of " + full_name(other) +
                               (is_drawn() ? ": drawn in another order, or mixed up" : ": mixed up, or a step is left out"),
                           ""});
        return;
      }
    }
  }

  /// The step's own draw, begun some words earlier or later.
  void look_among_shifts(const torch::Draws& draws) {
    const torch::Draw* const draw = port::draw_of(*step_.tensor, draws);
    if (draw == nullptr || !causes_.empty() || !says_something() || matched_.values.size() < fewest_telling(*step_.tensor)) {
      return;
    }
    for (const Shift& shift : shifts_of(*draw, draws, steps_)) {
      const std::optional<Tensor> shifted = torch::redrawn(*draw, draws, shift.words);
      if (shifted && explains(values_of(*shifted))) {
        causes_.push_back({{"draws-shifted"}, sentence_of(shift), ""});
        return;
      }
    }
  }

  /// Fewer than so many numbers may be equal by chance.
  static std::size_t fewest_telling(const Tensor& tensor) { return tensor.dtype() == DType::boolean ? 16 : 1; }

  void look_among_variants(const Variants& variants) {
    if (!causes_.empty() || !variants || !says_something()) {
      return;
    }
    for (const Variant& variant : variants()) {
      const auto same = std::ranges::find_if(variant.steps, [&](const Step& other) {
        return other.kind == Step::Kind::tensor && other.name == step_.name && other.section == step_.section;
      });
      if (same != variant.steps.end() && same->tensor->shape() == step_.tensor->shape() && explains(values_of(*same->tensor))) {
        causes_.push_back({{variant.name}, variant.sentence, ""});
        return;
      }
    }
  }

  void look_at_arithmetic() {
    if (explains(right_, Tolerance{})) {
      causes_.push_back({{"float32-noise"},
                         "float32 noise, at most " + text::shortest_text(std::ceil(compare(matched_.values, right_, {}).greatest_ulps)) +
                             " ulp: another order of summation, or wider arithmetic",
                         ""});
      return;
    }
    std::vector<double> rounded = right_;
    std::ranges::transform(right_, rounded.begin(), [](double value) { return std::round(value * 1e4) / 1e4; });
    if (explains(rounded, {1e-6, 1e-7})) {
      causes_.push_back({{"rounded"}, "the numbers are rounded to the four digits that are printed", ""});
      return;
    }
    struct Format {
      const char* name;
      int bits;
      Tolerance tolerance;  ///< torch.testing.assert_close's
    };
    for (const Format& format : {Format{"float16", 11, {1e-3, 1e-5}}, Format{"bfloat16", 8, {1.6e-2, 1e-5}}}) {
      const auto fits = [&](double value) { return has_bits(value, format.bits); };
      const bool is_telling = std::ranges::count_if(right_, fits) * 2 < std::ssize(right_);
      if (is_telling && std::ranges::all_of(matched_.values, fits) && explains(right_, format.tolerance)) {
        causes_.push_back({{format.name}, std::string("the arithmetic is ") + format.name + "'s", "float32"});
        return;
      }
    }
  }

  /// Whether the number is one of a format with so many significant bits.
  static bool has_bits(double value, int bits) {
    int exponent = 0;
    const double scaled = std::ldexp(std::frexp(value, &exponent), bits);
    return !std::isfinite(value) || scaled == std::nearbyint(scaled);
  }

  /// One mistake, or two at once. Mistakes that change nothing here explain nothing.
  void try_mistakes() {
    const std::vector<Mistake> table = mistakes_in(steps_);
    std::vector<const Mistake*> effective;
    for (const Mistake& mistake : table) {
      const auto numbers = remade({&mistake});
      if (numbers && explains(*numbers)) {
        add({&mistake});
      }
      if (!numbers || !is_like_right(*numbers)) {
        effective.push_back(&mistake);
      }
    }
    for (std::size_t i = 0; i < effective.size() && causes_.empty(); ++i) {
      for (std::size_t j = i + 1; j < effective.size(); ++j) {
        for (const auto& pair : {std::vector{effective[i], effective[j]}, std::vector{effective[j], effective[i]}}) {
          const auto numbers = remade(pair);
          if (numbers && explains(*numbers) && causes_.size() < most_causes) {
            add(pair);
            break;
          }
        }
      }
    }
  }

  bool is_like_right(std::span<const double> numbers) const {
    return numbers.size() == right_.size() && compare(numbers, right_, {0, 0}).holds();
  }

  void add(const std::vector<const Mistake*>& mistakes) {
    Cause cause;
    for (const Mistake* mistake : mistakes) {
      cause.names.push_back(mistake->name);
      cause.sentence += (cause.sentence.empty() ? "" : "; and ") + mistake->sentence;
      cause.instead += (cause.instead.empty() ? "" : "; and ") + mistake->instead;
    }
    causes_.push_back(std::move(cause));
  }

  /// The right numbers, rows as columns.
  void look_for_transposition() {
    const Tensor& tensor = *step_.tensor;
    if (tensor.dim() < 2 || tensor.size(-1) != tensor.size(-2) || !says_something()) {
      return;
    }
    const Tensor right = with_values(tensor, right_);
    if (explains(values_of(contiguous(transpose(right, tensor.dim() - 2, tensor.dim() - 1))))) {
      causes_.push_back({{"transposed"}, "these are the right numbers, transposed", ""});
    }
  }

  /// Softmax of scores that are divided by whatever number: two weights of a row tell which, all others whether.
  void look_for_a_divisor() {
    const Tensor& tensor = *step_.tensor;
    if (tensor.kind() != Kind::softmax || tensor.size(-1) < 2) {
      return;
    }
    const Mistake unscaled = scaled_by_number(1);
    const auto scores = remade(tensor.operands()[0], {&unscaled});
    if (!scores || scores->size() != matched_.values.size()) {
      return;
    }
    double distance = 0;
    double divisor = 0;
    const auto columns = static_cast<std::size_t>(tensor.size(-1));
    for (std::size_t i = 0; i < scores->size(); ++i) {
      const std::size_t first = i / columns * columns;
      const double apart = (*scores)[i] - (*scores)[first];
      const double ratio = std::log(matched_.values[i] / matched_.values[first]);
      if (std::isfinite(ratio) && ratio != 0 && std::abs(apart) > distance) {
        distance = std::abs(apart);
        divisor = apart / ratio;
      }
    }
    // Float32 weights tell some five digits of it.
    const Mistake mistake = scaled_by_number(text::number_of<double>(text::factor_text(divisor)).value_or(divisor));
    const auto numbers = divisor == 0 ? std::nullopt : remade({&mistake});
    if (numbers && explains(*numbers) && !is_like_right(*numbers)) {
      add({&mistake});
    }
  }

  /// All numbers are the right ones times one number.
  void look_for_a_factor() {
    std::size_t largest = 0;
    for (std::size_t i = 0; i < right_.size(); ++i) {
      if (std::isfinite(right_[i]) && std::abs(right_[i]) > std::abs(right_[largest])) {
        largest = i;
      }
    }
    if (right_.size() < 3 || !std::isfinite(right_[largest]) || right_[largest] == 0) {
      return;
    }
    const double factor = matched_.values[largest] / right_[largest];
    std::vector<double> scaled = right_;
    std::ranges::transform(right_, scaled.begin(), [&](double value) { return std::isfinite(value) ? value * factor : value; });
    if (std::isfinite(factor) && factor != 0 && says_something() && explains(scaled)) {
      causes_.push_back({{"factor"}, "each number is the right one times " + text::shortest_text(static_cast<float>(factor)), ""});
    }
  }

  const Matched& matched_;
  const Step& step_;
  std::span<const Step> steps_;
  const Operands& operands_;
  const Tolerance& tolerance_;
  std::vector<double> right_;  ///< what the step makes of the port's operands
  std::vector<Cause> causes_;
};

}  // namespace

std::vector<Cause> causes_of(const Matched& matched, std::span<const Step> steps, const Operands& operands,
                             const Tolerance& tolerance, const Otherwise& otherwise) {
  return Search(matched, steps, operands, tolerance).run(otherwise);
}

}  // namespace attn::port
