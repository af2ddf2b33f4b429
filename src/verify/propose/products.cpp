#include <limits>

#include "tensor/operations.hpp"
#include "verify/bound/patterns.hpp"
#include "verify/propose/divisors.hpp"
#include "verify/propose/rows.hpp"

namespace attn::verify {
namespace {

constexpr std::int64_t most_rows = 12;

/// a @ b, and of queries and keys what one line makes of it: scaled, masked.
void products(Search& search, const Tensor& a, const Tensor& b, bool is_masked) {
  for (const bool b_transposed : {false, true}) {
    if (product_shape(a.shape(), b.shape(), b_transposed) != search.shape()) {
      continue;
    }
    const Tensor product = *product_of(a, b, b_transposed);
    const bool is_simple = a.operands().empty() && b.operands().empty();
    const Form form = is_simple ? Form::product : Form::several;
    if (search.offer(form, product) || !b_transposed) {
      continue;
    }
    const Divisor root = root_of(a.size(-1));
    search.offer(form, root.of(product));
    if (is_masked) {
      const Tensor masked = masked_fill(product, causal_mask(search.shape()), -std::numeric_limits<float>::infinity());
      search.offer(form, masked);
      search.offer(form, root.of(masked));
    }
  }
}

/// One row of an operand by a matrix: what a query is, and what it has to do with the keys.
void rows_by_matrices(Search& search, const Operands& operands) {
  for (const Tensor& whole : operands.all) {
    if (whole.dim() != 2 || whole.size(0) > most_rows) {
      continue;
    }
    for (std::int64_t i = 0; i < whole.size(0); ++i) {
      const Tensor row = index(whole, i);
      for (const Tensor& other : operands.all) {
        if (other.dim() == 2) {
          products(search, row, other, false);
        }
      }
    }
  }
}

}  // namespace

void propose_products(Search& search, const Operands& operands) {
  if (search.shape().empty()) {
    return;
  }
  const bool is_masked = is_square(search.shape()) &&
                         nearly_all_are(search.target(), Region::above, -std::numeric_limits<double>::infinity());
  for (const Tensor& a : operands.all) {
    for (const Tensor& b : operands.all) {
      products(search, a, b, is_masked);
    }
  }
  if (!search.has(Form::product) && !search.is_near_miss() && search.shape().size() == 1) {
    rows_by_matrices(search, operands);
  }
}

}  // namespace attn::verify
