#include "verify/propose/relate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <unordered_set>

#include "tensor/operations.hpp"
#include "verify/bound/chance.hpp"
#include "verify/program/value_parts.hpp"
#include "verify/propose/rows.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t window = 32;
constexpr std::int64_t most_cells = 20'000;

bool is_same(const Observed& a, const Observed& b) {
  return a.shape == b.shape && std::ranges::equal(a.cells(), b.cells(), [](const Interval& x, const Interval& y) {
           return x.low == y.low && x.high == y.high;
         });
}

/// Returns true if its words give one name to two computed tensors, as of two turns of a loop.
bool has_name_of_two(const Tensor& tensor) {
  std::map<std::string, const void*> named;
  std::unordered_set<const void*> seen;
  const auto walk = [&](const auto& self, const Tensor& node) -> bool {
    return seen.insert(node.id()).second && std::ranges::any_of(node.operands(), [&](const Tensor& one) {
             const bool is_named = !one.name().empty() && !one.operands().empty();
             return is_named ? named.try_emplace(one.name(), one.id()).first->second != one.id() : self(self, one);
           });
  };
  return walk(walk, tensor);
}

bool is_printed(const Leaf& leaf) { return leaf.source.position > 0; }

/// Takes a share of the patience, and gives back what is left of it.
struct Spent {
  Spent(std::int64_t& all, std::int64_t part) : share(part), all_(all) { all_ -= part; }
  ~Spent() { all_ += share; }
  Spent(const Spent&) = delete;
  Spent& operator=(const Spent&) = delete;

  std::int64_t share;

 private:
  std::int64_t& all_;
};

}  // namespace

void Relater::add(Source source) {
  if (element_count(source.numbers.shape) > most_cells || patience_ <= 0) {
    return;
  }
  const auto drop = [&](std::vector<Leaf>::iterator leaf) {
    bounds_.forget(leaf->tensor);
    leaves_.erase(leaf);
  };
  const auto same = std::ranges::find_if(leaves_, [&](const Leaf& other) {
    const bool are_two = other.source.which != 0 && source.which != 0 && other.source.which != source.which;
    return is_printed(other) && source.position > 0 && !are_two && is_same(other.source.numbers, source.numbers);
  });
  if (same != leaves_.end()) {
    source.is_rooted = source.is_rooted || same->source.is_rooted;
    drop(same);
  }
  for (Leaf& given : leaves_) {
    if (!is_printed(given) && given.source.numbers.shape == source.numbers.shape &&
        std::ranges::equal(given.source.numbers.cells(), source.numbers.cells(), meet)) {
      given.source.shown = source.position;
    }
  }
  const Tensor tensor = leaf_of(source.numbers, source.words);
  // What prints a tensor that is drawn is known as exactly as that.
  const auto drawn = std::ranges::find_if(draws_, [&](const Leaf& one) {
    return one.source.numbers.shape == source.numbers.shape &&
           std::ranges::equal(one.source.numbers.cells(), source.numbers.cells(), meet);
  });
  std::vector<Interval> cells = (drawn == draws_.end() ? source : drawn->source).numbers.cells();
  for (std::size_t i = 0; i < source.computed.size(); ++i) {  // what is printed and what is computed both hold
    const Interval both{std::max(cells[i].low, source.computed[i].low),
                        std::min(cells[i].high, source.computed[i].high)};
    cells[i] = both.low <= both.high ? both : cells[i];
  }
  bounds_.observe(tensor, std::move(cells));
  std::vector<Leaf>& leaves = source.is_draw ? draws_ : leaves_;
  leaves.push_back({tensor, std::move(source)});
  if (static_cast<std::size_t>(std::ranges::count_if(leaves_, is_printed)) > window) {
    drop(std::ranges::find_if(leaves_, is_printed));
  }
}

/// Each operation on each leaf is looked at, if only at its shape.
bool Relater::has_patience_for(const Observed& target) {
  constexpr std::int64_t cost_of_leaf = 20;
  patience_ -= static_cast<std::int64_t>(leaves_.size()) * cost_of_leaf;
  return element_count(target.shape) <= most_cells && patience_ > 0;
}

std::optional<Relation> Relater::find(const Observed& target) {
  if (!has_patience_for(target)) {
    return std::nullopt;
  }
  Search drawn(target, givens_, draws_, 0, bounds_, patience_);
  propose_leaves(drawn);
  if (drawn.best()) {
    return drawn.best();
  }
  Spent spent(patience_, share());
  Search search(target, givens_, leaves_, 0, bounds_, spent.share);
  for (const auto propose :
       {propose_leaves, propose_views, propose_constants, propose_operations, propose_running_means}) {
    if (!search.best()) {
      propose(search);
    }
  }
  if (!search.has(Form::operation)) {
    const Operands operands = operands_of(leaves_);
    propose_products(search, operands);
    if (!search.has(Form::product)) {
      propose_layers(search, operands);
    }
  }
  bounds_.forget();
  return search.best();
}

std::optional<Relation> Relater::find_miss(const Observed& target, Misses misses) {
  constexpr std::size_t least_cells = 5;  // of fewer, those that hold say too little
  if (target.size() < least_cells || !has_patience_for(target)) {
    return std::nullopt;
  }
  std::vector<Leaf> leaves;
  std::ranges::copy_if(leaves_, std::back_inserter(leaves),
                       [&](const Leaf& leaf) { return misses == Misses::of_all || leaf.source.is_sound; });
  Spent spent(patience_, share());
  Search search(target, givens_, leaves, few_of(target), bounds_, spent.share);
  propose_operations(search);
  if (misses != Misses::of_operations) {
    const Operands operands = operands_of(leaves);
    propose_products(search, operands);
    propose_layers(search, operands);
  }
  bounds_.forget();
  // A copy with other cells was written into, which is nobody's mistake.
  const bool is_copy = search.best() && std::ranges::any_of(leaves, [&](const Leaf& leaf) {
                         return leaf.tensor.shape() == target.shape &&
                                std::ranges::equal(leaf.source.numbers.cells(), search.best()->numbers, meet);
                       });
  return is_copy ? std::nullopt : search.best();
}

std::optional<Relation> Relater::find_with_unknown_weights(const Observed& target) {
  Spent spent(patience_, share());
  Search search(target, givens_, leaves_, 0, bounds_, spent.share);
  if (search.has_patience()) {
    propose_fits(search);
  }
  if (!search.best()) {
    return std::nullopt;
  }
  // What the page prints and may be the whole story, if by chance, is nearer than weights that nobody printed.
  Search simpler(target, givens_, leaves_, 0, bounds_, spent.share);
  for (const auto propose : {propose_leaves, propose_views, propose_operations}) {
    propose(simpler);
  }
  propose_products(simpler, operands_of(leaves_));
  bounds_.forget();
  return simpler.is_possible() ? std::nullopt : search.best();
}

std::optional<Tensor> Relater::named(std::string_view name) const {
  for (const std::vector<Leaf>* leaves : {&draws_, &leaves_}) {
    for (const Leaf& leaf : *leaves) {
      if (!is_printed(leaf) && (leaf.source.words == name || leaf.source.key == name)) {
        return leaf.tensor;
      }
    }
  }
  return std::nullopt;
}

std::optional<Tensor> Relater::printed(std::size_t position) const {
  const auto leaf = std::ranges::find(leaves_, position, [](const Leaf& one) { return one.source.position; });
  return leaf == leaves_.end() || position == 0 ? std::nullopt : std::optional(leaf->tensor);
}

std::optional<Relation> Relater::find_listed(const Observed& target, const Tensor& made, double known,
                                             std::size_t most_failing, std::string_view called) {
  constexpr std::size_t longest = 160;  // what is longer tells nobody anything
  if (made.shape() != target.shape || element_count(target.shape) > most_cells) {
    return std::nullopt;
  }
  const Tensor listed = made.dtype() == DType::boolean ? *as_numbers(made).tensor : made;
  const bool is_unclear = listed.expression().size() > longest || has_name_of_two(listed);
  if (is_unclear && called.empty()) {
    return std::nullopt;
  }
  std::vector<Leaf> leaves = leaves_;
  std::ranges::copy(draws_, std::back_inserter(leaves));
  Search search(target, givens_, leaves, most_failing, bounds_, patience_with_listing_);
  const bool is_mask = known < 0 && is_binary(target) && !is_constant(target);
  known -= is_mask ? std::log10(2) * static_cast<double>(target.size()) : 0;
  search.offer(Form::listed, listed, known);
  bounds_.forget();
  std::optional<Relation> best = search.best();
  if (best && (is_unclear || (made.dtype() == DType::boolean && best->words == called))) {
    best->words = std::string(called) + ", as the listing computes it";
  }
  return best;
}

std::optional<Relation> Relater::find_listed(const Observed& target, const Tensor& listed, double known,
                                             std::string_view called) {
  return find_listed(target, listed, known, 0, called);
}

std::optional<Relation> Relater::find_listed_miss(const Observed& target, const Tensor& listed,
                                                  std::string_view called) {
  std::unordered_set<const void*> behind;
  for_each_source(listed, behind, [](const Tensor&) {});
  const auto is_doubted = [&](const Leaf& leaf) { return !leaf.source.is_sound && behind.contains(leaf.tensor.id()); };
  if (std::ranges::any_of(draws_, is_doubted) || std::ranges::any_of(leaves_, is_doubted)) {
    return std::nullopt;
  }
  auto relation = find_listed(target, listed, 0, few_of(target), called);
  const auto is_doubtful = [&](std::size_t position) {
    return std::ranges::none_of(
        leaves_, [&](const Leaf& leaf) { return leaf.source.position == position && leaf.source.is_sound; });
  };
  return relation && std::ranges::none_of(relation->sources, is_doubtful) ? relation : std::nullopt;
}

bool Relater::is_refuted(const Observed& target, const Tensor& listed) {
  bool is_other = false;
  for (std::size_t i = 0; listed.shape() == target.shape && i < target.size() && !is_other; ++i) {
    const Interval cell = bounds_.cell(listed, static_cast<std::int64_t>(i));
    const bool is_known = std::isfinite(cell.low) ? std::isfinite(cell.high) : cell.low == cell.high;
    is_other = is_known && !meet(target.cell(i), cell);
  }
  bounds_.forget();
  return is_other;
}

std::optional<Relation> Relater::find_property(const Observed& target) {
  const Tensor itself = leaf_of(target, "");
  Bounds bounds;
  bounds.observe(itself, target.cells());
  std::int64_t patience = static_cast<std::int64_t>(target.size()) + 1;
  Search search(target, givens_, {}, 0, bounds, patience);
  propose_properties(search, itself);
  return search.best();
}

std::optional<Relation> Relater::find_near_miss(const Observed& target) { return find_miss(target, Misses::of_sound); }

std::optional<Relation> Relater::find_nearer_miss(const Observed& target) {
  return find_miss(target, Misses::of_operations);
}

std::optional<Relation> Relater::find_doubtful_miss(const Observed& target) {
  return find_miss(target, Misses::of_all);
}

}  // namespace attn::verify
