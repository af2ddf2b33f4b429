#include "verify/port/wrong_part.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "text/lines.hpp"
#include "verify/port/functions.hpp"

namespace attn::verify {

std::optional<Laid> wrong_part(const Laid& theirs, const Tensor& step, std::span<const std::int64_t> wrong,
                               std::int64_t heads) {
  Shape shape = step.shape();
  std::vector<std::string> words = axis_words(shape.size());
  if (!theirs.cells.empty() || shape.size() < 2) {
    return std::nullopt;
  }
  if (shape.size() == 3 && heads > 1 && shape[2] % heads == 0 && shape[2] > heads) {
    shape = {shape[0], shape[1], heads, shape[2] / heads};
    words = {words[0], words[1], "head", words[2]};
  }
  const Shape strides = row_major_strides(shape);
  std::vector<std::size_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::stable_partition(axes.begin(), axes.end(),
                        [&](std::size_t axis) { return words[axis] != "token" && words[axis] != "row"; });
  for (const std::size_t axis : axes) {
    if (words[axis] == "column") {
      continue;
    }
    const auto entry_of = [&](std::int64_t cell) { return cell / strides[axis] % shape[axis]; };
    std::set<std::int64_t> entries;
    for (const std::int64_t cell : wrong) {
      entries.insert(entry_of(cell));
    }
    if (entries.empty() || std::ssize(entries) == shape[axis]) {
      continue;
    }
    Laid part = theirs;
    for (std::int64_t cell = 0; cell < std::ssize(theirs.values); ++cell) {
      entries.contains(entry_of(cell)) ? part.cells.push_back(cell) : void();
    }
    std::vector<std::string> numbers;
    for (const std::int64_t entry : entries) {
      numbers.push_back(std::to_string(entry));
    }
    part.words = words[axis] + " " + text::joined(numbers);
    return part;
  }
  return std::nullopt;
}

}  // namespace attn::verify
