#include "verify/port/layouts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tensor/evaluation.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "verify/port/axes.hpp"
#include "verify/port/names.hpp"

namespace attn::verify {
namespace {

// ---- Conventions ----------------------------------------------------------------------------------

/// Numbers in another convention, and its name.
struct Meaning {
  SharedNumbers values;
  std::string words;
};

/// Returns true for a number that stands for True or False.
bool is_truth(double value) { return value == 0 || value == 1; }

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
constexpr double least_hiding = 1e3;  ///< what is below its negative hides a score

/// A mask as it is, True for False, what is added to scores, or what weights are multiplied with.
std::vector<Meaning> mask_meanings(const Tensor& tensor, const SharedNumbers& theirs) {
  std::vector<Meaning> meanings{{theirs, ""}};
  const auto add = [&](const std::string& words, const auto& meaning) {
    std::vector<double> values = theirs;
    std::ranges::transform(theirs, values.begin(), [&](double value) { return meaning(value) ? 1.0 : 0.0; });
    meanings.push_back({std::move(values), words});
  };
  const bool shows = tensor.kind() == Kind::bernoulli || tensor.dtype() != DType::boolean;  // where it is True
  if (std::ranges::all_of(theirs, is_truth)) {
    add(shows ? "True for what is dropped" : "True for what is seen", [](double value) { return value == 0; });
    return meanings;
  }
  const auto hides = [](double value) { return value < -least_hiding; };
  if (std::ranges::all_of(theirs, [&](double value) { return value == 0 || hides(value); })) {
    meanings.clear();
    add("0 for what is seen", [&](double value) { return hides(value) != shows; });
  }
  const double largest = *std::ranges::max_element(theirs);
  if (largest > 1 && std::ranges::all_of(theirs, [largest](double value) { return value == 0 || value == largest; })) {
    add("with dropout's factor", [](double value) { return value != 0; });
  }
  return meanings;
}

/// Hidden scores with whatever large negative number hides them: one whose weight is exactly 0. `cells` says where they
/// belong.
std::optional<Meaning> hidden_meaning(const Target& target, const std::vector<double>& theirs,
                                      const std::vector<std::int64_t>& cells) {
  constexpr double vanishing = 110;   // exp(-110) is 0 in float32
  constexpr double no_scores = -1e8;  // below which nothing is a score
  const Tensor& tensor = target.tensor;
  const auto width = static_cast<std::size_t>(tensor.size(-1));
  const bool is_scaled_later = tensor.kind() == Kind::masked && tensor.operands()[0].kind() != Kind::scaled;
  const double divisor =
      is_scaled_later ? std::max(1.0, std::sqrt(static_cast<double>(std::max<std::size_t>(width, 64)))) : 1.0;
  std::vector<double> most(target.right.size() / width, minus_infinity);  // of each row
  const auto row = [&](std::size_t i) { return (cells.empty() ? i : static_cast<std::size_t>(cells[i])) / width; };
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    most[row(i)] = std::max(most[row(i)], theirs[i]);
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double largest = most[row(i)];
    const bool is_far_below =
        theirs[i] < -least_hiding && (largest - theirs[i]) / divisor > vanishing && largest > -least_hiding;
    if (std::isfinite(theirs[i]) && (is_far_below || theirs[i] < no_scores)) {
      if (values.empty()) {
        values = theirs;
      }
      values[i] = minus_infinity;
    }
  }
  return values.empty() ? std::nullopt : std::optional(Meaning{std::move(values), "a large negative number for -inf"});
}

/// Returns the readings of these numbers: programs differ in how they hide scores (-inf, -1e9) and in which cells of a
/// mask are True. `cells` holds the place of each number; it is empty where each is in its own.
std::vector<Meaning> meanings_of(const Target& target, const SharedNumbers& theirs,
                                 const std::vector<std::int64_t>& cells) {
  const Tensor& tensor = target.tensor;
  const bool is_mask =
      theirs.size() > 1 && (tensor.dtype() == DType::boolean ||
                            (tensor.operation().facts().is_by_tokens && std::ranges::all_of(target.right, is_truth)));
  if (is_mask) {
    return mask_meanings(tensor, theirs);
  }
  std::vector<Meaning> meanings;
  meanings.push_back({theirs, ""});
  const bool is_hidden = tensor.dim() >= 2 &&
                         std::ranges::any_of(theirs, [](double value) { return value < -least_hiding; }) &&
                         std::ranges::any_of(target.right, [](double value) { return value == minus_infinity; });
  if (is_hidden) {
    if (auto hidden = hidden_meaning(target, theirs, cells)) {
      meanings.insert(meanings.begin(), *std::move(hidden));
    }
  }
  return meanings;
}

// ---- Layouts --------------------------------------------------------------------------------------

std::string with(const std::string& words, const std::string& more) {
  return words.empty() || more.empty() ? words + more : words + ", " + more;
}

std::string order_text(const Order& order) { return "[" + text::joined(order) + "]"; }

/// The result of the output projection, which has no heads itself.
bool is_projected(const Tensor& tensor) {
  return tensor.kind() == Kind::linear && tensor.operands()[0].kind() == Kind::view;
}

class Layouts {
 public:
  Layouts(const Observed& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take)
      : theirs_(theirs),
        target_(target),
        take_(take),
        axes_(axes_of(target.tensor)),
        heads_(is_projected(target.tensor) ? 1 : target.heads) {
    std::ranges::copy_if(theirs.shape, std::back_inserter(shape_), [](std::int64_t size) { return size != 1; });
  }

  void run() {
    const std::size_t count = theirs_.values.size();
    const auto wanted = at(element_count(target_.tensor.shape()));
    if (count == wanted) {
      whole();
    } else if (count > wanted && wanted > 0) {
      count % wanted == 0 && repeated();
      corner();
    } else if (count > 0 && wanted % count == 0) {
      slices();
    }
  }

 private:
  /// All numbers.
  void whole() {
    const bool is_own = theirs_.shape == target_.tensor.shape();
    std::vector<std::vector<Axis>> orders = orders_of(axes_);
    for (std::size_t split = 0; is_weight(target_.tensor) && split < axes_.size(); ++split) {
      const std::vector<Axis> parts = atoms_of({axes_[split]}, heads_);
      parts.size() == 2 ? orders.push_back({parts[0], axes_[1 - split], parts[1]}) : void();
    }
    const bool is_large = element_count(target_.tensor.shape()) > evaluation().large;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const bool is_square_weight = i == 1 && is_weight(target_.tensor);
      const bool turned = is_turned(orders[i]);
      if (i > 0 && is_own && !is_square_weight && (!turned || is_large)) {
        continue;  // wrong numbers of the right shape are wrong, and not laid out otherwise
      }
      const std::vector<Axis> atoms = atoms_of(orders[i], heads_);
      const auto order = order_of(shape_, atoms, i == 0);
      if (order && give(i == 0 ? in_place : cells_of(atoms, 0), whole_in(*order, orders[i], i))) {
        return;
      }
    }
  }

  /// The layout of all numbers in the i-th order, whose axes are these; axes of size 1 do not matter.
  Laid whole_in(const Order& order, const std::vector<Axis>& axes, std::size_t i) const {
    const std::vector<Axis> own = atoms_of(axes_, 1);
    const bool is_in_order = std::ranges::equal(atoms_of(axes, 1), own, {}, &Axis::step, &Axis::step) &&
                             std::ranges::equal(shape_, own, {}, {}, &Axis::size);
    const bool is_same = is_in_order && target_.tensor.dim() == std::ssize(theirs_.shape);
    const bool turned = is_turned(axes);
    const std::string how = turned || (i > 0 && axes.size() == 2) ? "transposed" : "";
    const std::string shape = is_same || (i == 0 && theirs_.shape == target_.tensor.shape()) ? ""
                              : is_in_order ? "of shape " + shape_text(theirs_.shape)
                                            : order_text(order);
    return {.order = is_in_order ? Order() : order, .words = with(how, shape), .is_plain = i == 0, .is_turned = turned};
  }

  /// Some entries of outer axes, or one head of an axis shared by all heads.
  void slices() {
    bool is_taken = slices_of(axes_);
    for (std::size_t split = 0; split < axes_.size() && !is_taken; ++split) {
      const std::vector<Axis> parts = atoms_of({axes_[split]}, heads_);
      if (parts.size() == 2) {
        std::vector<Axis> axes = axes_;
        axes[split] = parts[1];
        axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(split), parts[0]);
        is_taken = slices_of(axes);
      }
    }
  }

  bool slices_of(const std::vector<Axis>& axes) {
    for (const std::string left : {"B", "H", "BH", "T", "BT"}) {
      std::vector<Axis> dropped;
      std::vector<Axis> kept;
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const bool is_dropped = i + 1 < axes.size() && axes[i].size > 1 && axes[i].label.size() == 1 &&
                                left.find(axes[i].label) != std::string::npos &&
                                std::ranges::find(dropped, axes[i].label, &Axis::label) == dropped.end();
        (is_dropped ? dropped : kept).push_back(axes[i]);
      }
      const std::vector<std::vector<Axis>> orders = orders_of(kept);
      for (std::size_t i = 0; dropped.size() == left.size() && i < orders.size(); ++i) {
        const std::vector<Axis> atoms = atoms_of(orders[i], heads_);
        if (order_of(shape_, atoms, i == 0) && each_slice(dropped, atoms, is_turned(orders[i]))) {
          return true;
        }
      }
    }
    return false;
  }

  /// The slices whose head the name says, then the others.
  bool each_slice(const std::vector<Axis>& dropped, const std::vector<Axis>& atoms, bool turned) {
    constexpr std::size_t most = 64;
    const std::vector<std::int64_t> firsts = cells_of(dropped, 0);
    const std::string section = meant_by(theirs_.name).section;
    const std::size_t count = std::min(firsts.size(), most);
    for (std::size_t place = 0; place < 2 * count; ++place) {
      const std::int64_t first = firsts[place % count];
      Laid laid{.is_plain = false, .is_turned = turned};
      bool is_certain_other = false;
      for (const Axis& axis : dropped) {
        const std::int64_t entry = first / axis.step % axis.size;
        const bool is_head = axis.label == "H";
        const bool is_entry = axis.label == "B";
        is_certain_other = is_certain_other || (is_head && theirs_.head.value_or(entry) != entry) ||
                           (is_entry && theirs_.entry.value_or(entry) != entry);
        laid.is_named =
            laid.is_named || (is_head && (theirs_.head == entry || section == "head_" + std::to_string(entry + 1)));
        laid.words = with(laid.words, (is_head    ? "head "
                                       : is_entry ? "entry "
                                                  : "token ") +
                                          std::to_string(entry) + (is_entry ? " of the batch" : ""));
      }
      if (!is_certain_other && laid.is_named == (place < count) && give(cells_of(atoms, first), laid)) {
        return true;
      }
    }
    return false;
  }

  /// A matrix repeated for each batch entry or head.
  bool repeated() {
    const std::vector<Axis> atoms = atoms_of(axes_, 1);
    if (atoms.size() < 2 || shape_.size() <= atoms.size() ||
        !std::equal(atoms.rbegin(), atoms.rend(), shape_.rbegin(),
                    [](const Axis& atom, std::int64_t size) { return atom.size == size; })) {
      return false;
    }
    const std::vector<std::int64_t> once = cells_of(atoms, 0);
    std::vector<std::int64_t> cells;
    while (cells.size() < theirs_.values.size()) {
      cells.insert(cells.end(), once.begin(), once.end());
    }
    return give(cells, {.words = "once for each entry of the batch or head", .is_plain = false});
  }

  /// The first rows and columns of a mask made for longer texts.
  void corner() {
    const Tensor& tensor = target_.tensor;
    if (tensor.dim() != 2 || shape_.size() != 2 || shape_[0] != shape_[1] || tensor.size(0) != tensor.size(1) ||
        !is_token_by_token(tensor) || shape_[0] <= tensor.size(0)) {
      return;
    }
    std::vector<double> values;
    for (std::int64_t i = 0; i < element_count(tensor.shape()); ++i) {
      values.push_back(theirs_.values[at(i / tensor.size(1) * shape_[1] + i % tensor.size(1))]);
    }
    give(in_place, {.values = values,
                    .words = "the first " + std::to_string(tensor.size(0)) + " rows and columns",
                    .is_plain = false});
  }

  /// Passes on each reading of these numbers, by default theirs, at their cells.
  bool give(const std::vector<std::int64_t>& cells, const Laid& layout) {
    const bool is_in_place =
        cells == in_place || (cells.size() == at(element_count(target_.tensor.shape())) &&
                              std::ranges::adjacent_find(cells, std::ranges::greater_equal()) == cells.end());
    for (Meaning& meaning : meanings_of(target_, layout.values.empty() ? theirs_.values : layout.values, cells)) {
      Laid laid = layout;
      laid.words = with(layout.words, meaning.words);
      laid.is_plain = layout.is_plain && meaning.words.empty();
      if (is_in_place) {
        laid.values = std::move(meaning.values);
      } else {
        const std::vector<double>& right = target_.right;
        std::vector<double> values = right;
        std::vector<bool> is_there(values.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
          const std::size_t cell = at(cells[i]);
          const bool is_kept = is_there[cell] && values[cell] != right[cell];  // of several the one that is wrong
          values[cell] = is_kept ? values[cell] : meaning.values[i];
          is_there[cell] = true;
        }
        for (std::size_t cell = 0; cells.size() < is_there.size() && cell < is_there.size(); ++cell) {
          is_there[cell] ? laid.cells.push_back(static_cast<std::int64_t>(cell)) : void();
        }
        laid.values = std::move(values);
      }
      if (take_(std::move(laid))) {
        return true;
      }
    }
    return false;
  }

  const std::vector<std::int64_t> in_place = {};  ///< cells: each number's is its own

  const Observed& theirs_;
  const Target& target_;
  const std::function<bool(Laid&& laid)>& take_;
  std::vector<Axis> axes_;
  std::int64_t heads_;  ///< among which its axes may be divided
  Shape shape_;         ///< theirs, without axes of size 1
};

}  // namespace

void lay_out(const Observed& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take) {
  Layouts(theirs, target, take).run();
}

void take_apart(const Observed& theirs, std::span<const std::int64_t> sizes, std::int64_t heads,
                const std::function<bool(std::vector<Observed>&& parts)>& take) {
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const std::int64_t count = element_count(theirs.shape);
  if (total != count || total == 0) {
    return;
  }
  const auto parts_count = static_cast<std::int64_t>(sizes.size());
  std::int64_t outer = 1;
  for (std::size_t axis = 0; axis < theirs.shape.size(); outer *= theirs.shape[axis++]) {
    const std::int64_t size = theirs.shape[axis];
    const std::int64_t inner = count / outer / size;
    // Side by side; side by side for each head; one of each after the other.
    std::set<std::int64_t> repeats{1, heads};
    size % parts_count == 0 ? void(repeats.insert(size / parts_count)) : void();
    for (const std::int64_t repeat : repeats) {
      const std::int64_t rows = outer * inner * repeat;
      if (size % repeat != 0 || std::ranges::any_of(sizes, [&](std::int64_t part) { return part % rows != 0; })) {
        continue;
      }
      std::vector<Observed> parts;
      std::int64_t before = 0;
      for (const std::int64_t part : sizes) {
        const std::int64_t own = part / rows;
        std::vector<double> values;
        for (std::int64_t block = 0; block < outer * repeat; ++block) {
          const auto begin = theirs.values.begin() + (block * (size / repeat) + before) * inner;
          values.insert(values.end(), begin, begin + own * inner);
        }
        before += own;
        parts.push_back({theirs.name, theirs.shape, theirs.dtype, std::move(values)});
        parts.back().shape[axis] = own * repeat;
      }
      if (take(std::move(parts))) {
        return;
      }
    }
  }
}

}  // namespace attn::verify
