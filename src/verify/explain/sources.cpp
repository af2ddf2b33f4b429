#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "tensor/operations.hpp"
#include "torch/torch.hpp"
#include "verify/explain/finding.hpp"

namespace attn::verify {
namespace {

/// Returns true if the tensor has a draw's numbers, in any order.
bool is_drawn(const Tensor& tensor) {
  switch (tensor.kind()) {
    case Kind::parameter:
    case Kind::transpose:
    case Kind::view:
    case Kind::contiguous: return is_drawn(tensor.operands()[0]);
    case Kind::uniform:
    case Kind::normal: return true;
    default: return tensor.kind() == Kind::given && tensor.name().starts_with("W_");
  }
}

/// The cost of assuming that a page shows `next` after `previous`: a page mostly follows one program.
int order_distance(const KnownStep& previous, const KnownStep& next) {
  const Explanation& from = *previous.explanation;
  const Explanation& to = *next.explanation;
  if (&from == &to) {
    return next.place > previous.place ? 0 : 3;
  }
  if (from.article != to.article) {
    return 8;
  }
  return (is_same_lesson(from, to) ? 0 : 2) + (to.chapter_order > from.chapter_order ? 4 : 5);
}

/// A printed tensor on the cheapest path through the steps that each may be.
struct Stage {
  struct Reached {
    std::size_t step;
    std::int64_t cost;
    std::size_t from;  ///< the choice at the previous stage
  };

  std::size_t position;  ///< on the page
  std::vector<Reached> reached = {};
};

}  // namespace

int label_distance(const std::string& label, const KnownStep& step) {
  if (label == step.label || label == step.step->name) {
    return 0;
  }
  const bool is_related = !label.empty() && !step.label.empty() &&
                          (label.find(step.label) != std::string::npos || step.label.find(label) != std::string::npos ||
                           label.find(step.step->name) != std::string::npos);
  return is_related ? 1 : 2;
}

Steps::Steps(std::span<const Printed> printed, const std::vector<std::string>& labels,
             std::span<const Explanation> explanations)
    : printed_(printed),
      explanations_(explanations),
      labels_(labels),
      candidates_(printed.size()),
      chosen_(printed.size()) {
  for (const Explanation& explanation : explanations) {
    first_.emplace(&explanation, steps_.size());
    for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
      const Step& step = explanation.steps[i];
      if (step.kind == Step::Kind::tensor) {
        by_shape_[step.tensor->shape()].push_back(steps_.size());
      }
      steps_.push_back({&explanation, &step, i, plain_label(step.label), step.kind == Step::Kind::size});
    }
  }
  std::unordered_map<std::string_view, std::size_t> first_with;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const std::size_t first = first_with.try_emplace(printed[i].text, i).first->second;
    if (first < i && printed[first].kind == printed[i].kind) {
      candidates_[i] = candidates_[first];
    } else if (const auto observed = shown(i); observed && observed->size() > 0) {
      find(*observed, candidates_[i]);
    }
  }
  choose_in_order();
  for (std::size_t i = 0; i < printed.size(); ++i) {
    choose_beside(i);
  }
}

// ---- The steps that a tensor may be ---------------------------------------------------------------

double Steps::first_number(const Observed& observed, std::size_t step) {
  const auto [entry, is_new] = first_numbers_.try_emplace(step);
  if (is_new) {
    entry->second = shown_values(observed, *steps_[step].step->tensor).front();
  }
  return entry->second;
}

void Steps::find(const Observed& observed, Candidates& found) {
  std::vector<std::size_t> alike;
  for (const auto& [shape, steps] : by_shape_) {
    may_show(observed, shape) ? void(alike.insert(alike.end(), steps.begin(), steps.end())) : void();
  }
  std::ranges::copy_if(alike, std::back_inserter(found.steps), [&](std::size_t step) {
    const double first = first_number(observed, step);
    return nearness(observed, 0, {first, first}) == Nearness::same &&
           agree(observed, *steps_[step].step->tensor, bounds_, {.most_differing = 0}).holds();
  });
  found.hold = !found.steps.empty();
  if (!found.hold) {
    find_near(observed, alike, found);
  }
  found.is_evidence = !found.hold || is_excluded(chance_of(observed), alike.size());
  for (const std::size_t step : found.is_evidence ? found.steps : std::vector<std::size_t>{}) {
    const KnownStep& known = steps_[step];
    if (!is_drawn(*known.step->tensor) && projection_of(known.step->name) == 0) {
      shown_lessons_.insert(known.explanation);
    }
  }
}

/// Finds the steps that match the tensor except for the fewest cells.
void Steps::find_near(const Observed& observed, std::span<const std::size_t> alike, Candidates& found) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto most = static_cast<std::int64_t>(few_of(observed));
  for (const std::size_t step : alike) {
    if (--patience_ < 0) {
      return;
    }
    const Agreement with = agree(observed, *steps_[step].step->tensor, bounds_, {.most_differing = most});
    const bool are_few =
        std::ssize(with.wrong) <= most || (with.differing() == 0 && 2 * with.close() <= std::ssize(observed.values));
    // A step with many wrong last digits never beats one with a single wrong cell.
    const std::int64_t weight = 3 * with.differing() + with.close();
    if (with.is_comparable && are_few && is_excluded(with.chance, alike.size()) && weight <= least) {
      weight < least ? found.steps.clear() : void();
      found.steps.push_back(step);
      least = weight;
    }
  }
}

// ---- The step that it is --------------------------------------------------------------------------

bool Steps::is_shown(std::size_t step) const {
  return std::ranges::any_of(shown_lessons_,
                             [&](const Explanation* one) { return is_same_lesson(*one, *steps_[step].explanation); });
}

/// Returns true if the page shows more of the step's lesson, or does not call it otherwise. Every program that draws
/// after the same seed has the same weights.
bool Steps::may_be(std::size_t i, std::size_t step) const {
  const KnownStep& known = steps_[step];
  const char labelled = projection_of(labels_[i]);
  const char named = projection_of(known.step->name);
  const bool is_other = labelled != 0 && named != 0 && labelled != named;
  return (!is_other && (!is_drawn(*known.step->tensor) || label_distance(labels_[i], known) < 2)) || is_shown(step);
}

int Steps::own_cost(std::size_t i, std::size_t step) const {
  constexpr int of_other_language = 20;
  const KnownStep& known = steps_[step];
  const bool is_pytorch = printed_[i].text.find("tensor(") != std::string_view::npos;
  const bool has_other_grad = printed_[i].grad_fn != known.step->tensor->grad_fn();
  return label_distance(labels_[i], known) + (known.step->in_article ? 0 : 1) + (has_other_grad ? 1 : 0) +
         (known.explanation->preferred ? 0 : 1) + (known.explanation->is_plain ? 0 : 1) +
         (is_pytorch && !known.explanation->is_pytorch ? of_other_language : 0);
}

/// The steps that it may be; of many, the likeliest.
std::vector<std::size_t> Steps::few(std::size_t i) const {
  constexpr std::size_t most = 24;
  std::vector<std::size_t> steps = candidates_[i].steps;
  std::erase_if(steps, [&](std::size_t step) { return !may_be(i, step); });
  std::ranges::stable_sort(steps, {}, [&](std::size_t step) { return own_cost(i, step); });
  steps.resize(std::min(steps.size(), most));
  std::ranges::sort(steps);
  return steps;
}

/// Chooses a step for each tensor that is no coincidence: the cheapest path through all that they may be.
void Steps::choose_in_order() {
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < printed_.size(); ++i) {
    Stage stage{i};
    for (const std::size_t step : candidates_[i].is_evidence ? few(i) : std::vector<std::size_t>{}) {
      Stage::Reached best{step, 0, 0};
      for (std::size_t from = 0; !stages.empty() && from < stages.back().reached.size(); ++from) {
        const Stage::Reached& before = stages.back().reached[from];
        const std::int64_t cost = before.cost + order_distance(steps_[before.step], steps_[step]);
        best = from == 0 || cost < best.cost ? Stage::Reached{step, cost, from} : best;
      }
      best.cost += own_cost(i, step);
      stage.reached.push_back(best);
    }
    stage.reached.empty() ? void() : stages.push_back(std::move(stage));
  }
  std::optional<std::size_t> last;
  std::reverse(stages.begin(), stages.end());
  for (const Stage& stage : stages) {
    const auto cheapest = std::ranges::min_element(stage.reached, {}, &Stage::Reached::cost) - stage.reached.begin();
    const Stage::Reached& here = stage.reached[last.value_or(at(cheapest))];
    chosen_[stage.position] = here.step;
    last = here.from;
  }
}

/// Scalars, masks and the like are steps of the lessons beside them.
void Steps::choose_beside(std::size_t i) {
  const std::vector<std::size_t>& steps = candidates_[i].steps;
  if (!chosen_[i] && !steps.empty()) {
    chosen_[i] = beside(i, [&](std::size_t step) {
      const bool is_candidate = std::ranges::find(steps, step) != steps.end() && may_be(i, step);
      return is_candidate ? std::optional(own_cost(i, step)) : std::nullopt;
    });
  }
}

/// The nearest recognised thing before (-1) or after (1).
Steps::Choice Steps::recognised(std::size_t i, int direction) const {
  constexpr int most_apart = 8;
  for (int apart = 1; apart <= most_apart; ++apart) {
    const std::size_t other = i + static_cast<std::size_t>(direction * apart);
    if (other < chosen_.size() && chosen_[other]) {
      return other;
    }
  }
  return std::nullopt;
}

Steps::Choice Steps::beside(std::size_t i, const Cost& cost, bool or_anywhere) const {
  const Choice before = recognised(i, -1);
  std::vector<const Explanation*> lessons;
  for (const Choice& neighbour : {before, recognised(i, 1)}) {
    neighbour ? lessons.push_back(steps_[*chosen_[*neighbour]].explanation) : void();
  }
  const bool is_alone = or_anywhere && lessons.empty();
  for (const Explanation& one : explanations_) {
    is_alone || shown_lessons_.contains(&one) ? lessons.push_back(&one) : void();
  }
  Choice best;
  int least = std::numeric_limits<int>::max();
  for (const Explanation* const lesson : lessons) {
    for (std::size_t k = 0; k < lesson->steps.size(); ++k) {
      const std::size_t step = first_.at(lesson) + k;
      const std::optional<int> own = lesson->steps[k].tensor ? cost(step) : std::nullopt;
      const int all = own.value_or(0) + (before ? order_distance(steps_[*chosen_[*before]], steps_[step]) : 0);
      if (own && all < least) {
        best = step;
        least = all;
      }
    }
  }
  return best;
}

Steps::Choice Steps::labelled(std::size_t i) const {
  constexpr int of_other_shape = 100;
  constexpr std::size_t first_few = 256;  // of a page, for which every lesson is asked
  const auto observed = shown(i);
  const auto cost = [&](std::size_t step) -> std::optional<int> {
    const KnownStep& known = steps_[step];
    const Shape& shape = known.step->tensor->shape();
    const bool has_shape = is_size(printed_[i]) ? printed_[i].shape == shape : observed && may_show(*observed, shape);
    const bool is_called = label_distance(labels_[i], known) == 0 && known.is_size == is_size(printed_[i]);
    return is_called ? std::optional(has_shape ? 0 : of_other_shape) : std::nullopt;
  };
  return labels_[i].empty() ? std::nullopt : beside(i, cost, !is_size(printed_[i]) && i < first_few);
}

Steps::Choice Steps::placed(std::size_t i) const {
  if ((i > 0 && !chosen_[i - 1]) || i + 1 >= chosen_.size() || !chosen_[i + 1]) {
    return std::nullopt;
  }
  const std::size_t after = *chosen_[i + 1];
  Choice found;
  for (std::size_t step = i > 0 ? *chosen_[i - 1] + 1 : first_.at(steps_[after].explanation); step < after; ++step) {
    if (steps_[step].step->in_article && steps_[step].step->tensor) {
      if (found) {
        return std::nullopt;
      }
      found = step;
    }
  }
  return found && steps_[*found].is_size == is_size(printed_[i]) ? found : std::nullopt;
}

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
