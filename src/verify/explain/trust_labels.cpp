#include "verify/explain/trust_labels.hpp"

#include <cstddef>
#include <string>

#include "verify/explain/align.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

/// A tensor of so few cells that other steps have its numbers, too, by chance.
bool says_little(const Printed& printed) { return !is_size(printed) && printed.cells.size() <= 2; }

/// The step of the tensor's label and shape in the chapter of what is printed before or after it.
Choice labelled_step(std::span<const Printed> printed, const KnownSteps& known, const Pool& pool,
                     std::span<const Choice> chosen, std::size_t i) {
  const std::string label = plain_label(printed[i].label);
  const auto is_near = [&](std::size_t step) {
    const bool before = i > 0 && chosen[i - 1] && known[*chosen[i - 1]].chapter == known[step].chapter;
    const bool after =
        i + 1 < chosen.size() && chosen[i + 1] && known[*chosen[i + 1]].chapter == known[step].chapter;
    return before || after;
  };
  for (std::size_t step = 0; step < known.steps().size() && !label.empty(); ++step) {
    const KnownStep& here = known[step];
    if (!here.is_size && label_distance(label, here) == 0 && is_near(step) &&
        same_shape(printed[i], pool[here.numbers].shape) && same_kind(printed[i], pool[here.numbers])) {
      return step;
    }
  }
  return std::nullopt;
}

}  // namespace

void trust_labels(std::span<const Printed> printed, const KnownSteps& known, const Pool& pool,
                  std::span<Candidates> found, std::span<Choice> chosen) {
  for (std::size_t i = 0; i < printed.size(); ++i) {
    if (!says_little(printed[i]) || !chosen[i] ||
        label_distance(plain_label(printed[i].label), known[*chosen[i]]) == 0) {
      continue;
    }
    if (const auto step = labelled_step(printed, known, pool, chosen, i)) {
      const Fit fit = fit_same_shape(printed[i], shown_values(printed[i], pool[known[*step].numbers]));
      chosen[i] = step;
      found[i].fits.insert_or_assign(*step, fit);
    }
  }
}

}  // namespace attn::verify
