#include "verify/explain/relations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "tensor/operations.hpp"
#include "torch/torch.hpp"
#include "verify/observed/agree.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_printed = 32;
constexpr std::int64_t most_cells = 20'000;
constexpr float infinity = std::numeric_limits<float>::infinity();

Shape without(Shape shape, std::size_t axis) {
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

Tensor causal_mask(std::int64_t size) {
  const Tensor mask = torch::causal_mask(size);
  mask.set_name("causal mask");
  return mask;
}

bool is_square(const Shape& shape) { return shape.size() >= 2 && shape.back() == shape[shape.size() - 2]; }

/// Returns true if nearly every cell above the diagonal of square matrices has the value.
bool hides_later_ones(const Observed& observed, double value) {
  const std::int64_t size = is_square(observed.shape) ? observed.shape.back() : 0;
  std::int64_t all = 0;
  std::int64_t odd = 0;
  for (std::int64_t i = 0; size > 0 && i < std::ssize(observed.values); ++i) {
    const bool is_above = i % size > i / size % size;
    all += is_above ? 1 : 0;
    odd += is_above && nearness(observed, at(i), {value, value}) != Nearness::same ? 1 : 0;
  }
  return all > odd && odd * 5 <= all;
}

bool may_be_weights(const Observed& observed) {
  return std::ranges::all_of(observed.values, [](double one) { return one >= -0.001 && one <= 1.01; });
}

}  // namespace

/// Holds proposed tensors against one that is printed, and keeps the first that follows.
class RelationSearch {
 public:
  RelationSearch(const Observed& target, Relations& relations) : target_(target), relations_(relations) {}

  /// Tries the relations, the simplest first, of the nearest tensors first.
  std::optional<Relation> run() {
    using Row = void (RelationSearch::*)(const Tensor&);
    constexpr auto rows = std::to_array<Row>(
        {&RelationSearch::offer, &RelationSearch::items, &RelationSearch::slices, &RelationSearch::transposes,
         &RelationSearch::softmaxes, &RelationSearch::masked, &RelationSearch::shares, &RelationSearch::dropouts,
         &RelationSearch::quotients, &RelationSearch::products});
    if (shape().size() == 2 && is_square(shape()) && target_.size() > 4) {  // it is of a mask alone
      const Tensor ones = torch::lower_triangle(shape()[0]);
      agree(target_, ones, relations_.bounds_, {.most_differing = 0}).holds()
          ? void(found_ = {ones.expression(), {}, true})
          : void();
    }
    for (const Row row : rows) {
      for (std::size_t i = leaves().size(); i-- > 0 && !found_ && relations_.patience_ > 0;) {
        (this->*row)(leaves()[i].tensor);
      }
    }
    return std::move(found_);
  }

 private:
  const Shape& shape() const { return target_.shape; }
  const std::vector<Relations::Leaf>& leaves() const { return relations_.leaves_; }

  /// Keeps a tensor that holds on the target's cells, if chance is excluded.
  void offer(const Tensor& candidate) {
    constexpr std::int64_t cost_of_proposal = 32;
    if (found_ || candidate.shape() != shape() || relations_.patience_ <= 0) {
      return;
    }
    ++tried_;
    const std::int64_t before = relations_.bounds_.cost();
    const Agreement with = agree(target_, candidate, relations_.bounds_, {.most_differing = 0});
    relations_.patience_ -= relations_.bounds_.cost() - before + cost_of_proposal;
    if (with.holds() && is_excluded(with.chance, tried_)) {
      found_ = Relation{candidate.name().empty() ? candidate.expression() : candidate.name(), {}, true};
      std::unordered_set<const void*> behind;
      for_each_source(candidate, behind, [](const Tensor&) {});
      for (const Relations::Leaf& leaf : leaves()) {
        if (behind.contains(leaf.tensor.id())) {
          found_->is_rooted = found_->is_rooted && leaf.source.is_rooted;
          leaf.source.place ? found_->sources.push_back(*leaf.source.place) : void();
        }
      }
    }
  }

  /// x[i], x[:, i].
  void items(const Tensor& x) {
    for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
      for (std::int64_t i = 0; without(x.shape(), axis) == shape() && i < x.shape()[axis]; ++i) {
        offer(index(x, i, static_cast<std::int64_t>(axis)));
      }
    }
  }

  /// x[:, 2:4]: shapes that differ along one axis.
  void slices(const Tensor& x) {
    if (x.shape().size() != shape().size() || x.shape() == shape()) {
      return;
    }
    const auto axis = static_cast<std::size_t>(std::ranges::mismatch(x.shape(), shape()).in1 - x.shape().begin());
    for (std::int64_t begin = 0;
         without(x.shape(), axis) == without(shape(), axis) && begin + shape()[axis] <= x.shape()[axis]; ++begin) {
      offer(slice(x, static_cast<std::int64_t>(axis), begin, begin + shape()[axis]));
    }
  }

  void transposes(const Tensor& x) {
    for (std::int64_t a = 0; a + 1 < x.dim(); ++a) {
      for (std::int64_t b = a + 1; b < x.dim(); ++b) {
        offer(x.dim() == 2 ? t(x) : transpose(x, a, b));
      }
    }
    if (x.shape() != shape() && !shape().empty() && element_count(x.shape()) == element_count(shape())) {
      offer(view(x, shape()));
    }
  }

  /// Scores divided by the root of a size.
  static Tensor quotient(const Tensor& x, std::int64_t size) {
    const double root = std::sqrt(static_cast<double>(size));
    return divide(x, root,
                  root == std::floor(root) ? std::to_string(static_cast<int>(root)) : std::to_string(size) + "**0.5");
  }

  /// Softmax of a tensor as it is or masked, divided by the root of a size.
  void softmaxes(const Tensor& x) {
    if (x.shape() != shape() || shape().empty() || !may_be_weights(target_)) {
      return;
    }
    const auto of = [&](const Tensor& scores) {
      offer(softmax(scores));
      std::ranges::for_each(relations_.sizes_, [&](std::int64_t size) { offer(softmax(quotient(scores, size))); });
    };
    of(x);
    if (hides_later_ones(target_, 0)) {
      of(masked_fill(x, causal_mask(shape().back()), -infinity));
    }
  }

  /// Rows divided by their sums.
  void shares(const Tensor& x) {
    if (x.shape() == shape() && !shape().empty() && may_be_weights(target_)) {
      offer(divide(x, sum(x, true)));
    }
  }

  /// What a mask leaves: above the diagonal, or wherever the page's mask says.
  void masked(const Tensor& x) {
    if (x.shape() != shape()) {
      return;
    }
    for (const float value : {0.F, -infinity}) {
      if (hides_later_ones(target_, value) && shape().back() >= 3) {
        offer(masked_fill(x, causal_mask(shape().back()), value));
      }
      for (const Relations::Leaf& mask : leaves()) {
        for (const double hides : {1.0, 0.0}) {
          if (mask.tensor.shape() == shape() && is_binary(mask.source.numbers)) {
            std::vector<bool> hidden;
            std::ranges::transform(mask.source.numbers.values, std::back_inserter(hidden),
                                   [&](double one) { return one == hides; });
            const std::string words = mask.source.words + (hides == 1 ? "" : " == 0");
            offer(masked_fill(x, mask_at(shape(), hidden, words), value));
          }
        }
      }
    }
  }

  /// Dropped where the target is 0; what lost nothing was multiplied.
  void dropouts(const Tensor& x) {
    constexpr double coarse = 2e-3;  // 0.00 may stand for other numbers
    std::vector<bool> kept;
    for (std::size_t i = 0; i < target_.size(); ++i) {
      kept.push_back(nearness(target_, i, {}) != Nearness::same || target_.unit(i) > coarse);
    }
    const bool may_be = x.shape() == shape() && std::ranges::count(kept, false) > 0;
    for (const double p : may_be ? std::vector<double>{0.5, 0.1, 0.2, 0.3} : std::vector<double>{}) {
      offer(dropout(x, mask_at(shape(), kept, "mask"), p));
    }
  }

  void quotients(const Tensor& x) {
    std::ranges::for_each(relations_.sizes_, [&](std::int64_t size) { offer(quotient(x, size)); });
  }

  /// a @ b and a @ b.T, of x or a row of it, and the weights that are made of them.
  void products(const Tensor& x) {
    constexpr std::int64_t most_rows = 12;
    for (std::size_t i = leaves().size(); i-- > 0;) {
      product(x, leaves()[i].tensor);
      for (std::int64_t row = 0; shape().size() == 1 && x.dim() == 2 && row < std::min(x.size(0), most_rows); ++row) {
        product(index(x, row), leaves()[i].tensor);
      }
    }
  }

  void product(const Tensor& a, const Tensor& b) {
    if (a.dim() == 0 || b.dim() < 2 || a.dim() > b.dim() + 1 || shape().empty() || b.dim() > 4) {
      return;
    }
    for (const Tensor& right : {b, b.dim() == 2 ? t(b) : transpose(b, b.dim() - 2, b.dim() - 1)}) {
      if (right.size(-2) == a.size(-1) && shape().back() == right.size(-1)) {
        offer_product(a, right);
      }
    }
  }

  void offer_product(const Tensor& a, const Tensor& b) try {
    const Tensor made = matmul(a, b);
    offer(made);
    made.shape() == shape() && made.dim() > 1 ? softmaxes(made) : void();
  } catch (const ShapeError&) {
    // batches that do not fit
  }

  const Observed& target_;
  Relations& relations_;
  std::size_t tried_ = 0;
  std::optional<Relation> found_;
};

void Relations::add(Source source) {
  constexpr std::size_t most_sizes = 14;
  for (const std::int64_t size : source.numbers.shape) {
    const bool is_new = size > 8 && std::ranges::find(sizes_, size) == sizes_.end();
    is_new&& sizes_.size() < most_sizes ? sizes_.push_back(size) : void();
  }
  if (element_count(source.numbers.shape) > most_cells || patience_ <= 0) {
    return;
  }
  const auto is_printed = [](const Leaf& leaf) { return leaf.source.place.has_value(); };
  const Tensor tensor = leaf_of(source.numbers, source.words);
  bounds_.observe(tensor, source.numbers.cells());
  leaves_.push_back({tensor, std::move(source)});
  if (static_cast<std::size_t>(std::ranges::count_if(leaves_, is_printed)) > most_printed) {
    const auto first = std::ranges::find_if(leaves_, is_printed);
    bounds_.forget(first->tensor);
    leaves_.erase(first);
  }
}

std::optional<Relation> Relations::find(const Observed& target) {
  constexpr std::int64_t cost_of_leaf = 20;
  patience_ -= static_cast<std::int64_t>(leaves_.size()) * cost_of_leaf;
  if (element_count(target.shape) > most_cells || patience_ <= 0) {
    return std::nullopt;
  }
  const std::int64_t rest = patience_ - patience_ / 4;  // none takes all
  patience_ /= 4;
  auto found = RelationSearch(target, *this).run();
  patience_ += rest;
  bounds_.forget();
  return found;
}

}  // namespace attn::verify
