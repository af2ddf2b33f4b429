#include <algorithm>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/propose/rows.hpp"

namespace attn::verify {
namespace {

Shape without(Shape shape, std::size_t axis) {
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

/// x[i], x[:, i], ..., and x[i, j].
void items(Search& search, const Tensor& x) {
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
    for (std::int64_t i = 0; without(x.shape(), axis) == search.shape() && i < x.shape()[axis]; ++i) {
      search.offer(Form::view, index(x, i, static_cast<std::int64_t>(axis)));
    }
  }
  if (x.dim() >= 3 && Shape(x.shape().begin() + 2, x.shape().end()) == search.shape()) {
    for (std::int64_t i = 0; i < x.size(0); ++i) {
      for (std::int64_t j = 0; j < x.size(1); ++j) {
        search.offer(Form::view, index(index(x, i), j));
      }
    }
  }
}

/// x[:, 2:4]: shapes that differ along one axis.
void slices(Search& search, const Tensor& x) {
  const Shape& shape = search.shape();
  if (x.shape().size() != shape.size() || x.shape() == shape) {
    return;
  }
  const auto axis = static_cast<std::size_t>(std::ranges::mismatch(x.shape(), shape).in1 - x.shape().begin());
  if (without(x.shape(), axis) != without(shape, axis)) {
    return;
  }
  for (std::int64_t begin = 0; begin + shape[axis] <= x.shape()[axis]; ++begin) {
    search.offer(Form::view, slice(x, static_cast<std::int64_t>(axis), begin, begin + shape[axis]));
  }
}

void transposes(Search& search, const Tensor& x) {
  for (std::int64_t a = 0; a + 1 < x.dim(); ++a) {
    for (std::int64_t b = a + 1; b < x.dim(); ++b) {
      search.offer(Form::view, x.dim() == 2 ? t(x) : transpose(x, a, b));
    }
  }
}

/// x.view(...), and the heads of x.view(b, n, h, d).transpose(1, 2), and back.
void reshapes(Search& search, const Tensor& x) {
  const Shape& shape = search.shape();
  if (element_count(x.shape()) != element_count(shape) || shape.empty()) {
    return;
  }
  if (x.shape() != shape) {
    search.offer(Form::view, view(x, shape));
  }
  if (shape.size() >= 3) {
    Shape split = shape;
    std::swap(split[split.size() - 3], split[split.size() - 2]);
    const auto axis = static_cast<std::int64_t>(shape.size()) - 3;
    search.offer(Form::view, transpose(x.shape() == split ? x : view(x, split), axis, axis + 1));
  }
  if (x.dim() >= 3) {
    search.offer(Form::view, view(contiguous(transpose(x, x.dim() - 3, x.dim() - 2)), shape));
  }
}

void copies(Search& search, const Tensor& x) {
  constexpr std::int64_t most_copies = 16;
  const Shape& shape = search.shape();
  if (!shape.empty() && shape[0] <= most_copies && without(shape, 0) == x.shape()) {
    search.offer(Form::view, stack(x, shape[0]));
  }
}

/// torch.cat of leaves along an axis, or torch.stack of them, in the page's order: piece by piece the latest leaf that
/// is the next.
class Pieces {
 public:
  Pieces(Search& search, std::size_t axis, bool is_stack) : search_(search), axis_(axis), is_stack_(is_stack) {}

  void propose() {
    std::vector<Tensor> pieces;
    std::size_t position = 0;
    for (std::int64_t from = 0; from < search_.shape()[axis_];) {
      const Leaf* next = piece_at(from);
      if (next == nullptr || next->source.position < position) {
        return;
      }
      position = next->source.position;
      from += size_of(next->tensor);
      pieces.push_back(next->tensor);
    }
    const auto axis = static_cast<std::int64_t>(axis_);
    if (pieces.size() > 1) {
      search_.offer(Form::view, is_stack_ ? stack(pieces, axis) : cat(pieces, axis));
    }
  }

 private:
  std::int64_t size_of(const Tensor& piece) const { return is_stack_ ? 1 : piece.shape()[axis_]; }

  const Leaf* piece_at(std::int64_t from) const {
    for (std::size_t i = search_.leaves().size(); i-- > 0;) {
      const Leaf& leaf = search_.leaves()[i];
      if (fits(leaf.tensor.shape(), from) && is_at(leaf.source.numbers, from)) {
        return &leaf;
      }
    }
    return nullptr;
  }

  bool fits(const Shape& shape, std::int64_t from) const {
    const Shape& whole = search_.shape();
    if (is_stack_) {
      return shape == without(whole, axis_);
    }
    return shape.size() == whole.size() && without(shape, axis_) == without(whole, axis_) &&
           shape[axis_] < whole[axis_] && from + shape[axis_] <= whole[axis_];
  }

  /// Whether the numbers are those of the target from there on.
  bool is_at(const Observed& piece, std::int64_t from) const {
    const Shape& whole = search_.shape();
    const std::int64_t inner = row_major_strides(whole)[axis_];
    const std::int64_t run = is_stack_ ? inner : inner * piece.shape[axis_];
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(piece.size()); ++i) {
      const std::int64_t there = i / run * inner * whole[axis_] + from * inner + i % run;
      if (!meet(search_.target().cell(at(there)), piece.cell(at(i)))) {
        return false;
      }
    }
    return true;
  }

  Search& search_;
  std::size_t axis_;
  bool is_stack_;
};

}  // namespace

void propose_leaves(Search& search) {
  for (const Leaf& leaf : search.leaves()) {
    search.offer(Form::equal, leaf.tensor);
  }
}

void propose_views(Search& search) {
  for (const Leaf& leaf : search.leaves()) {
    for (const auto propose : {items, slices, transposes, reshapes, copies}) {
      propose(search, leaf.tensor);
    }
  }
  for (std::size_t axis = 0; axis < search.shape().size(); ++axis) {
    for (const bool is_stack : {false, true}) {
      Pieces(search, axis, is_stack).propose();
    }
  }
}

}  // namespace attn::verify
