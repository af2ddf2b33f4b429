#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "text/numbers.hpp"
#include "verify/bound/chance.hpp"
#include "verify/bound/patterns.hpp"
#include "verify/program/values.hpp"
#include "verify/propose/divisors.hpp"
#include "verify/propose/rows.hpp"

namespace attn::verify {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Softmax of a tensor as it is or masked, divided by the root of a size, along the last axis or the one before.
void softmaxes(Search& search, const Tensor& x) {
  if (!may_be_weights(search.target())) {
    return;
  }
  const bool is_masked = is_square(x.shape()) && nearly_all_are(search.target(), Region::above, 0);
  for (const Divisor& divisor : divisors(search.givens())) {
    search.offer(Form::operation, softmax(divisor.of(x)));
    if (is_masked) {
      search.offer(Form::operation, softmax(divisor.of(masked_fill(x, causal_mask(x.shape()), minus_infinity))));
    }
    if (x.dim() >= 2) {
      search.offer(Form::operation, softmax_over(divisor.of(x), x.dim() - 2));
    }
  }
}

/// Rows divided by their sums, whole or masked after softmax.
void shares(Search& search, const Tensor& x) {
  if (!may_be_weights(search.target())) {
    return;
  }
  search.offer(Form::operation, divide(x, sum(x, true)));
  if (is_square(x.shape()) && nearly_all_are(search.target(), Region::above, 0)) {
    const Tensor triangle = masked_fill(x, causal_mask(x.shape()), 0);
    search.offer(Form::operation, divide(triangle, sum(triangle, true)));
  }
}

/// Whether the places are those of the negative numbers: a rectifier hides them, and no mask.
bool hides_the_negative(const std::vector<bool>& places, const Observed& numbers) {
  return std::ranges::equal(places, numbers.cells(),
                            [](bool is_hidden, const Interval& cell) { return is_hidden == (cell.high < 0); });
}

/// What the page calls the mask that hides these places: "line 3", or, of one that is True where nothing is hidden,
/// "line 3 == 0"; empty where it prints none.
std::string mask_words(const Search& search, const std::vector<bool>& places) {
  for (const Leaf& leaf : search.leaves()) {
    const std::vector<Interval> cells = leaf.source.numbers.cells();
    for (const double hides : {1.0, 0.0}) {
      const auto is_hiding = [&](bool is_hidden, const Interval& cell) {
        return (cell.low == hides && cell.high == hides) == is_hidden;
      };
      if (is_binary(leaf.source.numbers) && std::ranges::equal(places, cells, is_hiding)) {
        return leaf.source.words + (hides == 1 ? "" : " == 0");
      }
    }
  }
  return "";
}

/// What a mask leaves: above the diagonal, or wherever the target has the value.
void masked(Search& search, const Tensor& x, const Observed& numbers) {
  for (const float value : {0.0F, minus_infinity}) {
    std::vector<bool> places;
    for (const Interval& cell : search.target().cells()) {
      places.push_back(cell.middle() == static_cast<double>(value));
    }
    const auto count = static_cast<std::size_t>(std::ranges::count(places, true));
    if (count == 0 || count * 10 > places.size() * 9) {
      continue;
    }
    constexpr std::int64_t least_causal = 3;  // a mask of one cell in four may be any
    if (is_square(x.shape()) && x.size(-1) >= least_causal &&
        nearly_all_are(search.target(), Region::above, static_cast<double>(value))) {
      search.offer(Form::operation, masked_fill(x, causal_mask(x.shape()), value));
    } else if (!search.is_near_miss() &&  // an unknown mask accuses nobody
               !(value == 0 && hides_the_negative(places, numbers))) {
      const std::string mask = mask_words(search, places);
      if (count > 1 || !mask.empty()) {  // one cell is an error, and no mask, unless the page prints that
        search.offer(Form::operation, masked_fill(x, mask_at(x.shape(), places, mask.empty() ? "mask" : mask), value));
      }
    }
  }
}

/// Dropped where the target is 0; what lost nothing was multiplied.
void dropouts(Search& search, const Tensor& x) {
  std::vector<bool> kept;
  for (const Interval& cell : search.target().cells()) {
    kept.push_back(!(cell.low <= 0 && cell.high >= 0 && cell.radius() < 1e-3));
  }
  for (const double p : std::ranges::count(kept, false) > 0 ? search.givens().dropouts : std::vector<double>{}) {
    search.offer(Form::operation, dropout(x, mask_at(x.shape(), kept, "mask"), p));
  }
}

void scaled(Search& search, const Tensor& x) {
  for (const Divisor& divisor : divisors(search.givens())) {
    if (divisor.value != 1) {
      search.offer(Form::operation, divisor.of(x));
    }
  }
}

/// Sums and means along each axis, which is kept or not.
void sums(Search& search, const Tensor& x) {
  for (std::int64_t dim = -1; dim >= -x.dim(); --dim) {
    Shape shape = x.shape();
    const auto axis = shape.end() + dim;
    const std::int64_t count = *axis;
    *axis = 1;
    const bool is_kept = shape == search.shape();
    shape.erase(axis);
    if (is_kept || shape == search.shape()) {
      const Tensor total = sum(x, is_kept, dim);
      search.offer(Form::operation, total);
      search.offer(Form::operation, divide(total, static_cast<double>(count), std::to_string(count)));
    }
  }
}

/// The sum of two: embeddings and positions.
void additions(Search& search, const Tensor& x) {
  for (const Leaf& other : search.leaves()) {
    if (other.tensor.id() == x.id()) {
      return;
    }
    if (other.tensor.shape() == x.shape()) {
      search.offer(Form::product, add(other.tensor, x));
    }
  }
}

/// What programs make of each number: exponentials, and what else a layer has.
void functions(Search& search, const Tensor& x) {
  for (const std::string_view function : {"exp", "tanh", "relu", "sigmoid"}) {
    if (const Value made = search.is_near_miss() ? Value{} : call_of(function, {{value_of(x)}, {}}); made.tensor) {
      search.offer(Form::several, *made.tensor);
    }
  }
}

}  // namespace

void propose_operations(Search& search) {
  for (const Leaf& leaf : search.leaves()) {
    sums(search, leaf.tensor);
    const auto is_hidden = [](const Interval& cell) { return std::isinf(cell.low); };
    const bool says_nothing =
        is_constant(leaf.source.numbers) && std::ranges::none_of(leaf.source.numbers.cells(), is_hidden);
    if (leaf.tensor.shape() != search.shape() || search.shape().empty() || says_nothing) {
      continue;
    }
    // Of -inf a softmax is taken; triangles of weights are divided by their sums.
    const bool is_masked = std::ranges::any_of(leaf.source.numbers.cells(), is_hidden);
    (is_masked ? softmaxes : shares)(search, leaf.tensor);
    (is_masked ? shares : softmaxes)(search, leaf.tensor);
    for (const auto propose : {dropouts, scaled, additions, functions}) {
      propose(search, leaf.tensor);
    }
    masked(search, leaf.tensor, leaf.source.numbers);
  }
}

}  // namespace attn::verify
