#pragma once

#include <cstdint>
#include <span>

#include "verify/explain/candidates.hpp"
#include "verify/explain/known_steps.hpp"
#include "verify/explain/likeness.hpp"
#include "verify/explain/pool.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Finds the steps that a page's tensors may be: by their numbers, else by what a page may have done to them, else by
/// the numbers of other kernels.
class CandidateFinder {
 public:
  /// `best` is the explanation among `all` that the page has.
  CandidateFinder(KnownSteps& best, std::span<const KnownSteps> all, const Pool& pool)
      : best_(best), all_(all), pool_(pool) {}

  Candidates find(const Printed& printed, std::span<const Likeness> likenesses);

 private:
  bool find_holding(const Printed& printed, std::span<const Likeness> likenesses, Candidates& found) const;
  void keep_same_layout(const Printed& printed, Candidates& found);
  void find_fits(const Printed& printed, Candidates& found);
  void find_other_shapes(const Printed& printed, std::int64_t& least, Candidates& found);
  void find_elsewhere(const Printed& printed, Candidates& found) const;
  void find_nearest(const Printed& printed, Candidates& found) const;

  KnownSteps& best_;
  std::span<const KnownSteps> all_;
  const Pool& pool_;
  /// Looking for lost rows is for pages with a few; this many cells may be compared for it.
  std::int64_t patience_ = 400'000'000;
};

}  // namespace attn::verify
