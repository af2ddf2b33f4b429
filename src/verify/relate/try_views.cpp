#include <algorithm>
#include <string>

#include "verify/relate/vocabulary.hpp"

namespace attn::verify {
namespace {

std::string range_words(std::int64_t begin, std::int64_t count, std::int64_t size) {
  return (begin == 0 ? "" : std::to_string(begin)) + ":" + (begin + count == size ? "" : std::to_string(begin + count));
}

std::string leading_colons(std::size_t axis) {
  std::string words;
  for (std::size_t i = 0; i < axis; ++i) {
    words += ":, ";
  }
  return words;
}

/// x[i], x[:, i], ...
void try_items(Trial& trial, std::size_t s) {
  const Source& source = trial.source(s);
  for (std::size_t axis = 0; axis < source.grid.rank(); ++axis) {
    Shape rest = source.grid.shape;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
    for (std::int64_t i = 0; rest == trial.target().shape && i < source.grid.shape[axis]; ++i) {
      trial.offer(Form::view, item(source.grid, axis, i), {s},
                  [&] { return source.words + "[" + leading_colons(axis) + std::to_string(i) + "]"; });
    }
  }
  // x[i, j]
  if (source.grid.rank() >= 3 &&
      Shape(source.grid.shape.begin() + 2, source.grid.shape.end()) == trial.target().shape) {
    for (std::int64_t i = 0; i < source.grid.shape[0]; ++i) {
      const Grid outer = item(source.grid, 0, i);
      for (std::int64_t j = 0; j < outer.shape[0]; ++j) {
        trial.offer(Form::view, item(outer, 0, j), {s},
                    [&] { return source.words + "[" + std::to_string(i) + ", " + std::to_string(j) + "]"; });
      }
    }
  }
}

/// The only axis along which two shapes differ, or none.
std::optional<std::size_t> differing_axis(const Shape& a, const Shape& b) {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) {
      if (axis) {
        return std::nullopt;
      }
      axis = i;
    }
  }
  return axis;
}

/// x[:, 2:4]
void try_slices(Trial& trial, std::size_t s) {
  const Source& source = trial.source(s);
  const Shape& shape = trial.target().shape;
  if (source.grid.rank() != shape.size()) {
    return;
  }
  const auto axis = differing_axis(shape, source.grid.shape);
  if (!axis || source.grid.shape[*axis] < shape[*axis]) {
    return;
  }
  for (std::int64_t begin = 0; begin + shape[*axis] <= source.grid.shape[*axis]; ++begin) {
    trial.offer(Form::view, sliced(source.grid, *axis, begin, shape[*axis]), {s}, [&] {
      return source.words + "[" + leading_colons(*axis) + range_words(begin, shape[*axis], source.grid.shape[*axis]) +
             "]";
    });
  }
}

std::string transpose_words(const Source& source, std::size_t a, std::size_t b) {
  return source.words +
         (source.grid.rank() == 2 ? ".T" : ".transpose(" + std::to_string(a) + ", " + std::to_string(b) + ")");
}

void try_transposes(Trial& trial, std::size_t s) {
  const Source& source = trial.source(s);
  for (std::size_t a = 0; a + 1 < source.grid.rank(); ++a) {
    for (std::size_t b = a + 1; b < source.grid.rank(); ++b) {
      Shape shape = source.grid.shape;
      std::swap(shape[a], shape[b]);
      if (shape == trial.target().shape) {
        trial.offer(Form::view, transposed(source.grid, a, b), {s}, [&] { return transpose_words(source, a, b); });
      }
    }
  }
}

std::string shape_words(const Shape& shape) {
  const std::string words = shape_text(shape);
  return words.substr(1, words.size() - 2);
}

/// x.view(...), and the heads of x.view(b, n, h, d).transpose(1, 2).
void try_reshaped(Trial& trial, std::size_t s) {
  const Source& source = trial.source(s);
  const Shape& shape = trial.target().shape;
  if (source.grid.cells.size() != trial.target().cells.size() || shape.empty()) {
    return;
  }
  if (source.grid.shape != shape) {
    trial.offer(Form::view, reshaped(source.grid, shape), {s},
                [&] { return source.words + ".view(" + shape_words(shape) + ")"; });
  }
  if (shape.size() >= 3) {
    const std::size_t axis = shape.size() - 3;
    Shape split = shape;
    std::swap(split[axis], split[axis + 1]);
    const std::string axes = std::to_string(axis) + ", " + std::to_string(axis + 1);
    trial.offer(Form::view, transposed(reshaped(source.grid, split), axis, axis + 1), {s},
                [&] { return source.words + ".view(" + shape_words(split) + ").transpose(" + axes + ")"; });
  }
  if (source.grid.rank() >= 3) {
    const std::size_t axis = source.grid.rank() - 3;
    trial.offer(Form::view, reshaped(transposed(source.grid, axis, axis + 1), shape), {s}, [&] {
      return source.words + ".transpose(" + std::to_string(axis) + ", " + std::to_string(axis + 1) + ").view(" +
             shape_words(shape) + ")";
    });
  }
}

/// torch.stack((x, x))
void try_copies(Trial& trial, std::size_t s) {
  const Source& source = trial.source(s);
  const Shape& shape = trial.target().shape;
  if (shape.size() != source.grid.rank() + 1 || shape[0] > 16 ||
      !std::equal(shape.begin() + 1, shape.end(), source.grid.shape.begin())) {
    return;
  }
  Grid copies{shape, {}};
  std::string words;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    copies.cells.insert(copies.cells.end(), source.grid.cells.begin(), source.grid.cells.end());
    words += (i == 0 ? "" : ", ") + source.words;
  }
  trial.offer(Form::view, copies, {s}, [&] { return "torch.stack((" + words + "))"; });
}

/// torch.cat of sources along an axis, or torch.stack of them: finds, piece by piece, a source that is the next.
class Pieces {
 public:
  Pieces(Trial& trial, std::span<const std::size_t> sources) : trial_(trial), sources_(sources) {}

  void try_axis(std::size_t axis, bool is_stack) {
    const Shape& shape = trial_.target().shape;
    std::vector<std::size_t> found;
    std::int64_t at = 0;
    while (at < shape[axis]) {
      const auto next = piece_at(axis, at, is_stack);
      if (!next) {
        return;
      }
      found.push_back(*next);
      at += is_stack ? 1 : trial_.source(*next).grid.shape[axis];
    }
    if (found.size() > 1) {
      offer(axis, is_stack, found);
    }
  }

 private:
  std::optional<std::size_t> piece_at(std::size_t axis, std::int64_t at, bool is_stack) const {
    const Shape& shape = trial_.target().shape;
    for (auto s = sources_.rbegin(); s != sources_.rend(); ++s) {
      const Grid& grid = trial_.source(*s).grid;
      Shape wanted = shape;
      if (is_stack) {
        wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(axis));
      } else if (grid.rank() == shape.size()) {
        wanted[axis] = grid.shape[axis];
      }
      const std::int64_t count = is_stack || grid.rank() != shape.size() ? 1 : grid.shape[axis];
      if (grid.shape != wanted || at + count > shape[axis] || (!is_stack && count == shape[axis])) {
        continue;
      }
      const Grid part = sliced(trial_.target(), axis, at, count);
      if (std::equal(part.cells.begin(), part.cells.end(), grid.cells.begin(), meet)) {
        return *s;
      }
    }
    return std::nullopt;
  }

  void offer(std::size_t axis, bool is_stack, const std::vector<std::size_t>& found) {
    // Each piece was laid on the target already; their numbers are put together as the target has them.
    Grid whole = trial_.target();
    std::string words;
    const Shape strides = row_major_strides(whole.shape);
    std::int64_t at = 0;
    for (const std::size_t s : found) {
      const Grid& grid = trial_.source(s).grid;
      const std::int64_t count = is_stack ? 1 : grid.shape[axis];
      const std::int64_t block = count * strides[axis];
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(grid.cells.size()); ++i) {
        const std::int64_t to = i / block * strides[axis] * whole.shape[axis] + at * strides[axis] + i % block;
        whole.cells[static_cast<std::size_t>(to)] = grid.cells[static_cast<std::size_t>(i)];
      }
      at += count;
      words += (words.empty() ? "" : ", ") + trial_.source(s).words;
    }
    const std::string dim = axis == 0 ? "" : ", dim=" + std::to_string(axis);
    trial_.offer(Form::view, whole, found,
                 [&] { return std::string(is_stack ? "torch.stack((" : "torch.cat((") + words + ")" + dim + ")"; });
  }

  Trial& trial_;
  std::span<const std::size_t> sources_;
};

}  // namespace

void try_equal(Trial& trial) {
  for (std::size_t s = 0; s < trial.sources(); ++s) {
    if (trial.source(s).grid.shape == trial.target().shape) {
      trial.offer(Form::equal, trial.source(s).grid, {s}, [&] { return trial.source(s).words; });
    }
  }
}

void try_views(Trial& trial) {
  std::vector<std::size_t> order(trial.sources());
  for (std::size_t s = 0; s < order.size(); ++s) {
    order[s] = s;
    try_items(trial, s);
    try_slices(trial, s);
    try_transposes(trial, s);
    try_reshaped(trial, s);
    try_copies(trial, s);
  }
  if (trial.is_near_miss()) {
    return;
  }
  Pieces pieces(trial, order);
  for (std::size_t axis = 0; axis < trial.target().rank(); ++axis) {
    pieces.try_axis(axis, false);
    pieces.try_axis(axis, true);
  }
}

}  // namespace attn::verify
