#include "verify/judge/sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <variant>

#include "tensor/evaluation.hpp"

namespace attn::verify {

Sample::Sample(const Tensor& like, std::span<const std::int64_t> wrong) {
  constexpr std::int64_t together = 8;  // rows of one box
  const Shape& shape = like.shape();
  const std::int64_t count = element_count(shape);
  if (count <= evaluation().large || like.dim() < 2) {
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
  std::vector<double> result;
  for (const Box& box : boxes_) {
    std::visit([&](const auto& values) { result.insert(result.end(), values.begin(), values.end()); },
               *tensor.part(box).contents());
  }
  return result;
}

std::vector<double> Sample::numbers(std::span<const double> all) const {
  std::vector<double> result;
  result.reserve(cells_.size());
  for (const std::int64_t cell : cells_) {
    result.push_back(all[static_cast<std::size_t>(cell)]);
  }
  return result;
}

bool Sample::refutes(const Tensor& tensor, std::span<const double> theirs, std::span<const std::int64_t> wrong,
                     const Tolerance& tolerance, bool may_be_partial) const {
  if (empty()) {
    return false;
  }
  const std::vector<double> here = numbers(theirs);
  std::vector<double> there = numbers(tensor);
  for (std::size_t i = 0; i < there.size(); ++i) {
    there[i] = std::isnan(there[i]) && here[i] == 0 ? 0 : there[i];  // nan_to_num
  }
  const Comparison plain = compare(here, there, tolerance);
  if (plain.holds() || plain.is_near()) {
    return false;
  }
  const auto is_wrong = [&](std::int64_t cell) { return std::ranges::binary_search(wrong, cell); };
  const auto spoils = [&](std::int64_t place) { return !is_wrong(cells_[static_cast<std::size_t>(place)]); };
  if (!may_be_partial || std::ranges::any_of(plain.mismatched, spoils)) {
    return true;
  }
  constexpr std::int64_t many = 1000;
  const std::int64_t sampled = std::ranges::count_if(cells_, is_wrong);
  return sampled >= many && std::ssize(plain.mismatched) * 2 > sampled;
}

}  // namespace attn::verify
