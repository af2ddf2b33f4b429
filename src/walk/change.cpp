#include "walk/change.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "text/numbers.hpp"

namespace attn {
namespace {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::vector<Change> changes(std::span<const Step> as_is, std::span<const Step> changed) {
  const auto is_floats = [](const Step& step) {
    return step.kind == Step::Kind::tensor && step.tensor->dtype() == DType::float32;
  };
  std::map<std::tuple<std::string, std::string>, const Tensor*> others;
  for (const Step& step : changed) {
    if (is_floats(step)) {
      others[{step.section, step.name}] = &*step.tensor;
    }
  }
  std::vector<Change> found;
  for (const Step& step : as_is) {
    const auto other = is_floats(step) ? others.find({step.section, step.name}) : others.end();
    if (other == others.end() || other->second->shape() != step.tensor->shape()) {
      continue;
    }
    Change change = {.name = step.name,
                     .shape = step.tensor->shape(),
                     .as_is = step.tensor->array().contents(),
                     .changed = other->second->array().contents(),
                     .made = other->second};
    const auto is_equal = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!std::equal(change.before.begin(), change.before.end(), change.after.begin(), is_equal)) {
      found.push_back(std::move(change));
    }
  }
  return found;
}

std::vector<Change> named(std::span<const Change> all, std::initializer_list<std::string_view> names) {
  std::vector<Change> wanted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted), [&names](const Change& change) {
    return std::find(names.begin(), names.end(), change.name) != names.end();
  });
  return wanted;
}

bool is_finite(Row row) {
  return std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); });
}

Measured measured(std::span<const Change> some, Measure measure) {
  Measured result;
  for (const Change& change : some) {
    const auto width = static_cast<std::size_t>(change.shape.empty() ? 1 : change.shape.back());
    const auto height = static_cast<std::size_t>(change.shape.size() < 2 ? 1 : change.shape[change.shape.size() - 2]);
    for (std::size_t row = 0; row < change.before.size() / width; ++row) {
      const Row before = Row(change.before).subspan(row * width, width);
      const Row after = Row(change.after).subspan(row * width, width);
      if (is_finite(before) && is_finite(after)) {
        result.before.push_back(measure(before, row % height));
        result.after.push_back(measure(after, row % height));
      } else {
        ++result.left_out;
      }
    }
  }
  return result;
}

std::string decimals(double value, int digits) {
  constexpr double large = 1e7;
  if (std::abs(value) >= large) {
    return text::factor_text(value);
  }
  std::string result = text::number_text(value, std::chars_format::fixed, digits);
  while (result.back() == '0') {
    result.pop_back();
  }
  if (result.back() == '.') {
    result.pop_back();
  }
  return result == "-0" ? "0" : result;
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

std::string mean_from_to(const Measured& rows) {
  if (rows.before.empty()) {
    return "cannot be told, as every row has nan";
  }
  return from_to(mean(rows.before), mean(rows.after)) + (rows.before.size() > 1 ? " on average" : "") +
         (rows.left_out == 0   ? ""
          : rows.left_out == 1 ? ", but for one row with nan"
                               : ", but for " + std::to_string(rows.left_out) + " rows with nan");
}

}  // namespace attn
