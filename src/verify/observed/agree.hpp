#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/observed/bounds.hpp"
#include "verify/observed/observed.hpp"

/// Whether the numbers that somebody shows are a tensor's: decided here alone, for pages and ports.
namespace attn::verify {

/// Tells how a shown number stands to the right one: `close` is off by one unit of its last digit.
enum class Nearness { same, close, other };

/// Holds a shown number against the right one. If that is known exactly, it must be the same digit by digit, as far as
/// float32 has digits; else the two must meet or, where the number is copied, be the same.
Nearness nearness(const Observed& observed, std::size_t cell, const Interval& right, bool is_copied = false);

/// A shown number that is not the right one.
struct Wrong {
  std::int64_t cell = 0;  ///< its place among the shown ones
  double right = 0;
  bool is_close = false;  ///< off by one unit of its last digit, or by less than float32 loses in this computation
};

struct Agreement {
  bool is_comparable = true;         ///< the shape and the kind of numbers fit, and not too much is wrong
  std::vector<Wrong> wrong = {};     ///< in order
  std::int64_t unknown = 0;          ///< cells whose right number is not known
  bool is_exact = false;             ///< the right numbers are known exactly, and were demanded digit by digit
  std::vector<Interval> right = {};  ///< for each cell; nan where it is not known
  /// log10 of the probability that as many cells of those compared hold by chance.
  double chance = 0;

  std::int64_t close() const { return std::ranges::count_if(wrong, &Wrong::is_close); }
  std::int64_t differing() const { return static_cast<std::int64_t>(wrong.size()) - close(); }
  /// Returns true if all is known and nothing is wrong.
  bool holds() const { return is_comparable && wrong.empty() && unknown == 0; }
};

struct AgreeOptions {
  /// The number of cells that may differ; beyond it, the comparison ends: is_comparable is false.
  std::int64_t most_differing = std::numeric_limits<std::int64_t>::max();
};

/// The most by which float32 changes the shown cells of a tensor that agreed so far: what another order of summation,
/// or float64, may change.
double lost_in(const Observed& observed, const Tensor& tensor, const Agreement& with);

/// Forgets last digits that float32 does not have, and those that another order of summation or numpy's float64 turns:
/// beyond a tie by no more than a few times as much as float32 loses here.
void forget_noise(Agreement& with, const Observed& shown, const Tensor& tensor);

/// Holds what is shown against a tensor. What the bounds have observed is known up to these; all else is known exactly,
/// as far as no leaf has nan.
Agreement agree(const Observed& observed, const Tensor& tensor, Bounds& bounds, const AgreeOptions& options = {});

/// log10 of the probability that numbers drawn at random over their range are the shown ones. Scalars, constants and
/// tensors of two numbers, such as masks, are not evidence: 0.
double chance_of(const Observed& shown);

/// Returns true if coincidence is excluded after comparing with this many tensors.
bool is_excluded(double chance, std::size_t tried);

/// The number of cells that may fail while the rest is still recognised: 15 % of those that are neither infinite nor
/// zero; at least one.
std::size_t few_of(const Observed& observed);

/// Returns true if every number is 0 or 1, or 0 or one other number, as dropout makes of ones.
bool is_binary(const Observed& observed);

}  // namespace attn::verify
