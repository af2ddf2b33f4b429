#include "verify/port/layouts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tensor/evaluation.hpp"
#include "tensor/operations.hpp"
#include "verify/port/axes.hpp"
#include "verify/port/meanings.hpp"
#include "verify/port/names.hpp"

namespace attn::verify {
namespace {

std::string with(const std::string& words, const std::string& more) {
  return words.empty() || more.empty() ? words + more : words + ", " + more;
}

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
  bool is_same_shape(const std::vector<Axis>& atoms) const {
    return std::ranges::equal(shape_, atoms, {}, {}, &Axis::size);
  }

  /// All numbers.
  void whole() {
    const std::vector<std::vector<Axis>> orders = orders_of(axes_);
    const bool is_own = theirs_.shape == target_.tensor.shape();
    const bool is_large = element_count(target_.tensor.shape()) > evaluation().large;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const bool is_square_weight = i == 1 && is_weight(target_.tensor);
      is_turned_ = is_turned(orders[i]);
      if (i > 0 && is_own && !is_square_weight && (!is_turned_ || is_large)) {
        continue;  // wrong numbers of the right shape are wrong, and not laid out otherwise
      }
      const std::vector<Axis> atoms = atoms_of(orders[i], heads_);
      const auto words = words_of(shape_, atoms, i == 0);
      const std::string how = is_turned_ || (i > 0 && axes_.size() == 2) ? "transposed" : "";
      if (words && give(i == 0 ? in_place : cells_of(atoms, 0), theirs_.values,
                        i == 0 && is_own ? "" : with(how, shape_words(orders[i], *words)), i == 0)) {
        return;
      }
    }
    is_turned_ = false;
    for (std::size_t split = 0; is_weight(target_.tensor) && !is_own && split < axes_.size(); ++split) {
      const std::vector<Axis> parts = atoms_of({axes_[split]}, heads_);
      if (parts.size() == 2) {
        const std::vector<Axis> atoms{parts[0], axes_[1 - split], parts[1]};
        const auto words = words_of(shape_, atoms, false);
        if (words && give(cells_of(atoms, 0), theirs_.values, *words, false)) {
          return;
        }
      }
    }
  }

  /// The words for a whole shape, axes of size 1 included.
  std::string shape_words(const std::vector<Axis>& order, const std::string& words) const {
    std::vector<Axis> own;
    std::ranges::copy_if(axes_, std::back_inserter(own), [](const Axis& axis) { return axis.size != 1; });
    const std::vector<Axis> atoms = atoms_of(order, 1);
    const bool is_in_order = std::ranges::equal(atoms, own, {}, &Axis::step, &Axis::step);
    return is_in_order && is_same_shape(own)
               ? (target_.tensor.dim() == std::ssize(theirs_.shape) ? "" : "of shape " + shape_text(theirs_.shape))
               : words;
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
    struct Left {
      std::vector<std::string> labels;
    };
    for (const Left& left : {Left{{"B"}}, Left{{"H"}}, Left{{"B", "H"}}, Left{{"T"}}, Left{{"B", "T"}}}) {
      std::vector<Axis> dropped;
      std::vector<Axis> kept;
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const bool is_dropped = i + 1 < axes.size() && axes[i].size > 1 &&
                                std::ranges::find(left.labels, axes[i].label) != left.labels.end() &&
                                std::ranges::find(dropped, axes[i].label, &Axis::label) == dropped.end();
        (is_dropped ? dropped : kept).push_back(axes[i]);
      }
      if (dropped.size() != left.labels.size()) {
        continue;
      }
      const std::vector<std::vector<Axis>> orders = orders_of(kept);
      for (std::size_t i = 0; i < orders.size(); ++i) {
        const std::vector<Axis> atoms = atoms_of(orders[i], heads_);
        is_turned_ = is_turned(orders[i]);
        if (words_of(shape_, atoms, i == 0) && each_slice(dropped, atoms)) {
          return true;
        }
      }
    }
    return false;
  }

  bool each_slice(const std::vector<Axis>& dropped, const std::vector<Axis>& atoms) {
    constexpr std::size_t most = 64;
    const std::vector<std::int64_t> firsts = cells_of(dropped, 0);
    const std::string section = meant_by(theirs_.name).section;  // whose head is the first to be tried
    const std::size_t count = std::min(firsts.size(), most);
    for (std::size_t place = 0; place < 2 * count; ++place) {
      const std::size_t i = place % count;
      std::string words;
      is_named_ = false;
      bool is_certain_other = false;
      for (const Axis& axis : dropped) {
        const std::int64_t entry = firsts[i] / axis.step % axis.size;
        const bool is_other = (axis.label == "H" && theirs_.head.value_or(entry) != entry) ||
                              (axis.label == "B" && theirs_.entry.value_or(entry) != entry);
        is_certain_other = is_certain_other || is_other;
        is_named_ = is_named_ ||
                    (axis.label == "H" && (theirs_.head == entry || section == "head_" + std::to_string(entry + 1)));
        words = with(words, axis.label == "B"   ? "entry " + std::to_string(entry) + " of the batch"
                            : axis.label == "H" ? "head " + std::to_string(entry)
                                                : "token " + std::to_string(entry));
      }
      if (!is_certain_other && is_named_ == (place < count) &&
          give(cells_of(atoms, firsts[i]), theirs_.values, words, false)) {
        return true;
      }
    }
    is_named_ = false;
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
    return give(cells, theirs_.values, "once for each entry of the batch or head", false);
  }

  /// The first rows and columns of a mask made for longer texts.
  void corner() {
    const Tensor& tensor = target_.tensor;
    if (tensor.dim() != 2 || shape_.size() != 2 || shape_[0] != shape_[1] || tensor.size(0) != tensor.size(1) ||
        !is_token_by_token(tensor) || shape_[0] <= tensor.size(0)) {
      return;
    }
    std::vector<double> values;
    for (std::int64_t i = 0; i < std::ssize(target_.right); ++i) {
      values.push_back(theirs_.values[static_cast<std::size_t>(i / tensor.size(1) * shape_[1] + i % tensor.size(1))]);
    }
    give(cells_of(atoms_of(axes_, 1), 0), values, "the first " + std::to_string(tensor.size(0)) + " rows and columns",
         false);
  }

  bool give(const std::vector<std::int64_t>& cells, const SharedNumbers& theirs, const std::string& words,
            bool is_plain) {
    const bool is_in_place =
        cells == in_place || (cells.size() == target_.right.size() &&
                              std::ranges::adjacent_find(cells, std::ranges::greater_equal()) == cells.end());
    for (Meaning& meaning : meanings_of(target_, theirs, cells)) {
      if (is_in_place) {
        if (take_({std::move(meaning.values),
                   {},
                   with(words, meaning.words),
                   is_named_,
                   is_plain && meaning.words.empty(),
                   is_turned_})) {
          return true;
        }
        continue;
      }
      std::vector<double> values(target_.right.begin(), target_.right.end());
      std::vector<std::int64_t> known;
      std::vector<bool> is_there(target_.right.size());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto cell = static_cast<std::size_t>(cells[i]);
        const bool is_kept = is_there[cell] && values[cell] != target_.right[cell];  // of several the one that is wrong
        values[cell] = is_kept ? values[cell] : meaning.values[i];
        is_there[cell] = true;
      }
      for (std::size_t cell = 0; cells.size() < is_there.size() && cell < is_there.size(); ++cell) {
        if (is_there[cell]) {
          known.push_back(static_cast<std::int64_t>(cell));
        }
      }
      if (take_({std::move(values), std::move(known), with(words, meaning.words), is_named_,
                 is_plain && meaning.words.empty(), is_turned_})) {
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
  bool is_named_ = false;
  bool is_turned_ = false;
  Shape shape_;  ///< theirs, without axes of size 1
};

}  // namespace

void lay_out(const Observed& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take) {
  Layouts(theirs, target, take).run();
}

void take_apart(const Observed& theirs, std::span<const std::int64_t> sizes, std::int64_t heads,
                const std::function<bool(std::vector<Observed>&& parts)>& take) {
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const auto count = static_cast<std::int64_t>(theirs.values.size());
  if (total != count || total == 0) {
    return;
  }
  std::int64_t outer = 1;
  for (std::size_t axis = 0; axis < theirs.shape.size(); ++axis) {
    const std::int64_t size = theirs.shape[axis];
    const std::int64_t inner = count / outer / std::max<std::int64_t>(size, 1);
    // Side by side; side by side for each head; one of each after the other.
    std::vector<std::int64_t> repeats{1, heads};
    if (const auto parts = static_cast<std::int64_t>(sizes.size()); size % parts == 0) {
      repeats.push_back(size / parts);
    }
    for (std::size_t way = 0; way < repeats.size(); ++way) {
      const std::int64_t repeat = repeats[way];
      std::vector<std::int64_t> widths;
      for (const std::int64_t part : sizes) {
        widths.push_back(part / std::max<std::int64_t>(outer * inner * repeat, 1));
      }
      const std::int64_t width = std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
      if ((way > 0 && (repeat < 2 || repeat == repeats[way - 1])) || width * repeat != size ||
          std::ranges::find(widths, 0) != widths.end()) {
        continue;
      }
      std::vector<Observed> parts;
      std::int64_t before = 0;
      for (const std::int64_t own : widths) {
        std::vector<double> values;
        for (std::int64_t block = 0; block < outer * repeat; ++block) {
          const auto begin = theirs.values.begin() + (block * width + before) * inner;
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
    outer *= size;
  }
}

}  // namespace attn::verify
