#include "verify/port/sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>
#include <unordered_set>
#include <variant>

#include "tensor/evaluation.hpp"
#include "verify/observed/observed.hpp"

namespace attn::verify {

bool is_long(const Tensor& tensor) {
  bool result = false;
  std::unordered_set<const void*> seen;
  for_each_source(tensor, seen, [&result](const Tensor& source) {
    result = result || element_count(source.shape()) > evaluation().large;
  });
  return result;
}

namespace {

std::vector<double> numbers_at(std::span<const std::int64_t> cells, std::span<const double> all) {
  std::vector<double> result;
  result.reserve(cells.size());
  std::ranges::transform(cells, std::back_inserter(result), [all](std::int64_t cell) { return all[at(cell)]; });
  return result;
}

}  // namespace

Sample::Sample(const Tensor& like, std::span<const std::int64_t> wrong) {
  constexpr std::int64_t together = 8;  // rows of one box
  const Shape& shape = like.shape();
  const std::int64_t count = element_count(shape);
  constexpr std::int64_t many = 100'000;  // too many to try each explanation on all
  if (like.dim() < 2 || !(is_long(like) || (!wrong.empty() && count > many))) {
    return;
  }
  const std::int64_t width = shape.back();
  const std::int64_t height = shape[shape.size() - 2];
  const std::int64_t matrices = count / (width * height);
  std::set<std::int64_t> firsts;  // rows, counted through all matrices
  const auto take = [&](std::int64_t row) {
    firsts.insert(row / height * height + row % height / together * together);
  };
  for (const std::int64_t matrix : {std::int64_t{0}, matrices / 2, matrices - 1}) {
    for (const std::int64_t row : {std::int64_t{0}, height / 2, height - 1}) {
      take(matrix * height + row);
    }
  }
  for (std::size_t part = 0; part < 4 && !wrong.empty(); ++part) {
    take(wrong[(wrong.size() - 1) * part / 3] / width);
  }
  const Shape outer(shape.begin(), shape.end() - 2);
  for (const std::int64_t first : firsts) {
    const std::int64_t row = first % height;
    Box box = box_at(index_at(first / height, outer));
    box.push_back({row, std::min(height, row + together)});
    box.push_back({0, width});
    for (std::int64_t cell = 0; cell < box[outer.size()].size() * width; ++cell) {
      cells_.push_back(first * width + cell);
    }
    boxes_.push_back(std::move(box));
  }
}

std::vector<double> Sample::numbers(const Tensor& tensor) const {
  std::vector<double> result(cells_.size());
  auto end = result.end();
  every_box(tensor, [&end](std::span<const std::int64_t>, const std::vector<double>& numbers) {
    end = std::ranges::copy_backward(numbers, end).out;
    return true;
  });
  return result;
}

std::vector<double> Sample::numbers(std::span<const double> all) const { return numbers_at(cells_, all); }

bool Sample::every_box(const Tensor& tensor, const Use& use) const {
  std::size_t end = cells_.size();
  return std::ranges::all_of(boxes_.rbegin(), boxes_.rend(), [&](const Box& box) {
    return std::visit(
        [&](const auto& values) {
          end -= values.size();
          return use(std::span(cells_).subspan(end, values.size()), {values.begin(), values.end()});
        },
        *tensor.part(box).contents());
  });
}

bool Sample::is_equal(const Tensor& tensor, std::span<const double> all) const {
  return every_box(tensor, [all](std::span<const std::int64_t> cells, const std::vector<double>& numbers) {
    return compare(numbers, numbers_at(cells, all), {0, 0, false}).holds();
  });
}

bool Sample::refutes(const Tensor& tensor, std::span<const double> theirs, const Tolerance& tolerance) const {
  return !every_box(tensor, [&](std::span<const std::int64_t> cells, std::vector<double> there) {
    const std::vector<double> here = numbers_at(cells, theirs);
    for (std::size_t i = 0; i < there.size(); ++i) {
      there[i] = std::isnan(there[i]) && here[i] == 0 ? 0 : there[i];  // nan_to_num
    }
    const Comparison plain = compare(here, there, tolerance);
    return plain.holds() || plain.is_near();
  });
}

}  // namespace attn::verify
