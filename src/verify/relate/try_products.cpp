#include <algorithm>
#include <string>

#include "verify/relate/arithmetic.hpp"
#include "verify/relate/vocabulary.hpp"

namespace attn::verify {
namespace {

std::vector<std::size_t> all_sources(const Operand& a, const Operand& b) {
  std::vector<std::size_t> result = a.sources;
  for (const std::size_t source : b.sources) {
    if (std::find(result.begin(), result.end(), source) == result.end()) {
      result.push_back(source);
    }
  }
  return result;
}

/// Whether a @ b, or a @ b.T, has the shape.
bool fits(const Shape& a, const Shape& b, bool b_transposed, const Shape& shape) {
  if (a.empty() || b.empty() || (a.size() == 1 && b.size() == 1) || (b_transposed && b.size() < 2) ||
      (b.size() > 2 && b.size() != a.size())) {
    return false;
  }
  const std::size_t rows = b_transposed ? b.size() - 1 : b.size() - std::min<std::size_t>(2, b.size());
  if (a.back() != b[rows] || (a.size() == 1 && b.size() > 2)) {
    return false;
  }
  for (std::size_t axis = 0; axis + 2 < b.size(); ++axis) {
    if (a[axis] != b[axis]) {
      return false;
    }
  }
  const std::size_t outer = a.size() - 1;
  if (shape.size() != outer + (b.size() > 1 ? 1 : 0) || !std::equal(a.begin(), a.end() - 1, shape.begin())) {
    return false;
  }
  return b.size() == 1 || shape.back() == b[b_transposed ? b.size() - 2 : b.size() - 1];
}

void try_product(Trial& trial, const Operand& a, const Operand& b) {
  for (const bool b_transposed : {false, true}) {
    if (!fits(a.grid.shape, b.grid.shape, b_transposed, trial.target().shape) ||
        !trial.may_spend(static_cast<std::int64_t>(trial.target().cells.size()) * a.grid.shape.back())) {
      continue;
    }
    const auto numbers = trial.product_that_holds(a.grid, b.grid, b_transposed);
    if (!numbers) {
      continue;
    }
    const std::string transpose = b.grid.rank() > 2 ? ".transpose(-2, -1)" : ".T";
    const Form form = a.sources.size() + b.sources.size() > 2 ? Form::several : Form::product;
    trial.offer(form, *numbers, all_sources(a, b),
                [&] { return factor_words(a) + " @ " + factor_words(b) + (b_transposed ? transpose : ""); });
  }
}

constexpr std::int64_t most_rows = 12;

/// One row of an operand by a matrix: what a query is, and what it has to do with the keys.
void try_rows(Trial& trial, const Operands& operands) {
  if (trial.target().rank() != 1) {
    return;
  }
  for (const Operand& whole : operands.all) {
    if (whole.grid.rank() != 2 || whole.grid.shape[0] > most_rows) {
      continue;
    }
    for (std::int64_t i = 0; i < whole.grid.shape[0]; ++i) {
      const Operand row{item(whole.grid, 0, i), factor_words(whole) + "[" + std::to_string(i) + "]", whole.sources};
      for (const Operand& other : operands.all) {
        if (other.grid.rank() == 2) {
          try_product(trial, row, other);
        }
      }
    }
  }
}

}  // namespace

void try_products(Trial& trial, const Operands& operands) {
  if (trial.target().shape.empty()) {
    return;
  }
  for (const Operand& a : operands.all) {
    for (const Operand& b : operands.all) {
      try_product(trial, a, b);
    }
  }
  if (!trial.has(Form::product) && !trial.is_near_miss()) {
    try_rows(trial, operands);
  }
}

}  // namespace attn::verify
