#include "walk/effects.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "text/numbers.hpp"

namespace attn {

namespace {

using Row = std::span<const float>;

bool is_finite(Row row) {
  return std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); });
}

/// The number with at most `digits` decimals; large numbers have only the digits that float32 holds.
std::string decimals(double value, int digits) {
  constexpr double large = 1e7;
  if (std::abs(value) >= large) {
    return text::factor_text(value);
  }
  std::string result = text::number_text(value, std::chars_format::fixed, digits);
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.') {
    result.pop_back();
  }
  return result == "-0" ? "0" : result;
}

}  // namespace

std::vector<Change> changes(std::span<const Step> as_is, std::span<const Step> changed) {
  const auto is_floats = [](const Step& step) {
    return step.kind == Step::Kind::tensor && step.tensor->dtype() == DType::float32;
  };
  std::vector<Change> found;
  for (const StepPair& pair : pairs_of(as_is, changed)) {
    const bool are_both = pair.as_is != nullptr && pair.changed != nullptr;
    if (!are_both || !is_floats(*pair.as_is) || !is_floats(*pair.changed) ||
        pair.as_is->tensor->shape() != pair.changed->tensor->shape()) {
      continue;
    }
    Change change = {.shape = pair.as_is->tensor->shape(),
                     .as_is = pair.as_is->tensor->array().contents(),
                     .changed = pair.changed->tensor->array().contents(),
                     .was = &*pair.as_is->tensor,
                     .made = &*pair.changed->tensor};
    const auto is_equal = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!std::equal(change.before.begin(), change.before.end(), change.after.begin(), is_equal)) {
      found.push_back(std::move(change));
    }
  }
  return found;
}

std::vector<Change> filtered(std::span<const Change> all, bool (*is_such)(const Tensor& was)) {
  std::vector<Change> wanted;
  std::ranges::copy_if(all, std::back_inserter(wanted), [&](const Change& change) { return is_such(*change.was); });
  return wanted;
}

std::string from_to(double before, double after) {
  const auto words = [&](const std::string& from, const std::string& to) {
    return (after > before ? "grows from " : "falls from ") + from + " to " + to;
  };
  for (int digits = 2; digits <= 7; ++digits) {
    const std::string from = decimals(before, digits);
    const std::string to = decimals(after, digits);
    if (from != to) {
      return words(from, to);
    }
  }
  const std::string from = text::factor_text(before);
  const std::string to = text::factor_text(after);
  return from != to ? words(from, to) : "stays " + decimals(after, 2);
}

std::string mean_from_to(std::span<const Change> some, Measure measure) {
  double before = 0;
  double after = 0;
  std::size_t rows = 0;
  std::size_t left_out = 0;
  for (const Change& change : some) {
    const auto width = static_cast<std::size_t>(change.shape.empty() ? 1 : change.shape.back());
    const auto height = static_cast<std::size_t>(change.shape.size() < 2 ? 1 : change.shape[change.shape.size() - 2]);
    const std::size_t earlier = width > height ? width - height : 0;
    for (std::size_t row = 0; row < change.before.size() / width; ++row) {
      const Row was = change.before.subspan(row * width, width);
      const Row is = change.after.subspan(row * width, width);
      if (is_finite(was) && is_finite(is)) {
        before += measure(was, was, earlier + row % height);
        after += measure(is, was, earlier + row % height);
        ++rows;
      } else {
        ++left_out;
      }
    }
  }
  if (rows == 0) {
    return "is unknown, because every row contains nan";
  }
  return from_to(before / static_cast<double>(rows), after / static_cast<double>(rows)) +
         (rows > 1 ? " on average" : "") +
         (left_out == 0   ? ""
          : left_out == 1 ? ", except for one row with nan"
                          : ", except for " + std::to_string(left_out) + " rows with nan");
}

bool are_finite(std::span<const Change> some) {
  return std::ranges::all_of(some,
                             [](const Change& change) { return is_finite(change.before) && is_finite(change.after); });
}

std::string changed_by_up_to(const std::string& what, std::span<const Change> some) {
  if (!are_finite(some)) {
    return what + " change, and some are inf or nan";
  }
  double moved = 0;
  for (const Change& change : some) {
    for (std::size_t i = 0; i < change.before.size(); ++i) {
      moved = std::max(moved, std::abs(static_cast<double>(change.before[i]) - static_cast<double>(change.after[i])));
    }
  }
  const std::string words = decimals(moved, 4);
  return what + " change by up to " + (words == "0" ? text::factor_text(moved) : words);
}

namespace {

/// Section, name, kind, and number of such steps before.
using StepKey = std::tuple<std::string, std::string, Step::Kind, int>;

std::vector<StepKey> step_keys(std::span<const Step> steps) {
  std::map<StepKey, int> count;
  std::vector<StepKey> keys;
  for (const Step& step : steps) {
    const int seen = count[{step.section, step.name, step.kind, 0}]++;
    keys.emplace_back(step.section, step.name, step.kind, seen);
  }
  return keys;
}

}  // namespace

std::vector<StepPair> pairs_of(std::span<const Step> as_is, std::span<const Step> changed) {
  const std::vector<StepKey> as_is_keys = step_keys(as_is);
  const std::vector<StepKey> changed_keys = step_keys(changed);
  std::vector<StepPair> pairs;
  std::size_t next = 0;
  for (std::size_t i = 0; i < as_is.size(); ++i) {
    const auto found =
        std::find(changed_keys.begin() + static_cast<std::ptrdiff_t>(next), changed_keys.end(), as_is_keys[i]);
    if (found == changed_keys.end()) {
      pairs.push_back({&as_is[i], nullptr});
      continue;
    }
    for (const auto place = static_cast<std::size_t>(found - changed_keys.begin()); next < place; ++next) {
      pairs.push_back({nullptr, &changed[next]});
    }
    pairs.push_back({&as_is[i], &changed[next++]});
  }
  for (; next < changed.size(); ++next) {
    pairs.push_back({nullptr, &changed[next]});
  }
  return pairs;
}

}  // namespace attn
