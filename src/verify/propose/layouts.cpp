#include "verify/propose/layouts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "tensor/operations.hpp"

namespace attn::port {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_hiding = 1e3;  ///< what is below its negative hides a score

// ---- Axes -----------------------------------------------------------------------------------------

struct Axis {
  std::string label;  ///< "B", "H", "T", "d", "D" (d of all heads), "d_out", "d_in"
  std::int64_t size;
  std::int64_t step;       ///< how many cells apart its entries are
  std::string whole = {};  ///< of a part: the axis that it is a part of
};

/// Whether the last two axes both count tokens: scores, weights, masks.
bool is_token_by_token(const Tensor& tensor) {
  switch (tensor.kind()) {
    case Kind::scaled:
    case Kind::masked:
    case Kind::dropout:
    case Kind::multiplied:
    case Kind::contiguous: return is_token_by_token(tensor.operands()[0]);
    case Kind::softmax:
    case Kind::bernoulli:
    case Kind::divided:
    case Kind::pairwise_dots: return true;
    case Kind::matmul: {
      const Tensor& right = tensor.operands()[1];
      return right.kind() == Kind::transpose &&
             right.operation().facts().axes[1] + 1 == static_cast<std::size_t>(right.dim());
    }
    default: return tensor.dtype() == DType::boolean || tensor.operation().facts().is_by_tokens;
  }
}

bool is_weight(const Tensor& tensor) {
  return tensor.dim() == 2 && (tensor.operation().is_parameter() || data_of(tensor).operation().facts().fan_in > 0);
}

std::vector<std::string> labels_of(const Tensor& tensor) {
  if (tensor.kind() == Kind::transpose) {
    std::vector<std::string> labels = labels_of(tensor.operands()[0]);
    const auto [a, b] = tensor.operation().facts().axes;
    std::swap(labels[a], labels[b]);
    return labels;
  }
  if (tensor.kind() == Kind::view && tensor.dim() == 4) {
    return {"B", "T", "H", "d"};
  }
  const bool is_square = is_token_by_token(tensor);
  switch (tensor.dim()) {
    case 0: return {};
    case 1: return {tensor.operation().is_parameter() ? "d_out" : "d"};
    case 2:
      if (is_weight(tensor)) {
        return data_of(tensor).operation().facts().fan_in > 0 ? std::vector<std::string>{"d_out", "d_in"}
                                                              : std::vector<std::string>{"d_in", "d_out"};
      }
      return {"T", is_square ? "T" : "D"};
    case 3: return {"B", "T", is_square ? "T" : "D"};
    default: break;
  }
  std::vector<std::string> labels(static_cast<std::size_t>(tensor.dim()) - 4, "");
  labels.insert(labels.end(), {"B", "H", "T", is_square ? "T" : "d"});
  return labels;
}

std::vector<Axis> axes_of(const Tensor& tensor) {
  const std::vector<std::string> labels = labels_of(tensor);
  const Shape steps = row_major_strides(tensor.shape());
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    axes.push_back({labels[i], tensor.shape()[i], steps[i]});
  }
  return axes;
}

std::size_t place_of(const std::vector<Axis>& axes, const std::string& label) {
  return static_cast<std::size_t>(std::ranges::find(axes, label, &Axis::label) - axes.begin());
}

/// The orders in which programs have the axes, the target's own first.
std::vector<std::vector<Axis>> orders_of(const std::vector<Axis>& axes) {
  std::vector<std::vector<Axis>> orders{axes};
  std::set<std::int64_t> token_sizes;
  std::ranges::for_each(axes,
                        [&](const Axis& axis) { axis.label == "T" ? void(token_sizes.insert(axis.size)) : void(); });
  const bool is_square = token_sizes.size() == 1;
  const auto add = [&](const std::vector<Axis>& order) {
    const auto is_same = [&order](const std::vector<Axis>& other) {
      return std::ranges::equal(order, other, {}, &Axis::step, &Axis::step);
    };
    // Queries and keys are as many: what has them the other way round is another matrix.
    std::vector<std::int64_t> tokens;
    std::ranges::for_each(order, [&](const Axis& axis) { axis.label == "T" ? tokens.push_back(axis.step) : void(); });
    const bool is_turned = tokens.size() == 2 && tokens[0] < tokens[1] && is_square;
    if (!is_turned && std::ranges::none_of(orders, is_same)) {
      orders.push_back(order);
    }
  };
  const auto with_first = [&](std::vector<Axis> order, const std::string& label) {
    const std::size_t at = place_of(order, label);
    if (at < order.size()) {
      std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at),
                  order.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    return order;
  };
  const std::size_t head = place_of(axes, "H");
  const std::size_t token = place_of(axes, "T");
  if (head < axes.size() && token < axes.size()) {
    std::vector<Axis> swapped = axes;
    std::swap(swapped[head], swapped[token]);
    add(swapped);
    add(with_first(swapped, "T"));
  }
  add(with_first(axes, "T"));
  add(with_first(axes, "H"));
  std::vector<Axis> tokens_first = axes;
  std::ranges::stable_partition(tokens_first, [](const Axis& axis) { return axis.label == "T"; });
  add(tokens_first);
  if (axes.size() >= 2) {
    std::vector<Axis> transposed = axes;
    std::swap(transposed[axes.size() - 1], transposed[axes.size() - 2]);
    add(transposed);
  }
  add({axes.rbegin(), axes.rend()});
  return orders;
}

/// The axes that a shape may have one by one or multiplied: all but those of size 1, what all heads share divided.
std::vector<Axis> atoms_of(const std::vector<Axis>& axes, std::int64_t heads) {
  std::vector<Axis> atoms;
  for (const Axis& axis : axes) {
    const bool is_shared = axis.label == "D" || axis.label == "d_out" || axis.label == "d_in";
    if (is_shared && heads > 1 && axis.size % heads == 0 && axis.size > heads) {
      atoms.push_back({"H", heads, axis.step * (axis.size / heads), axis.label});
      atoms.push_back({"d", axis.size / heads, axis.step, axis.label});
    } else if (axis.size != 1) {
      atoms.push_back(axis);
    }
  }
  return atoms;
}

/// "[B*H, T, d]" where the shape's axes are these atoms, one or several to each. Where they are not in the target's
/// order, d comes last in what it is multiplied into: otherwise its numbers would be another head's.
std::optional<std::string> words_of(const Shape& shape, const std::vector<Axis>& atoms, bool is_own_order) {
  std::size_t next = 0;
  std::string words;
  for (const std::int64_t size : shape) {
    std::string group;
    std::int64_t product = 1;
    bool ends = false;
    while (product < size && next < atoms.size()) {
      const Axis& atom = atoms[next];
      const bool is_whole = atom.label == "H" && next + 1 < atoms.size() && !atom.whole.empty() &&
                            product * atom.size * atoms[next + 1].size <= size && atoms[next + 1].whole == atom.whole &&
                            atoms[next + 1].label == "d";
      if (ends && !is_own_order) {
        return std::nullopt;
      }
      product *= atom.size * (is_whole ? atoms[next + 1].size : 1);
      group += (group.empty() ? "" : "*") + (is_whole ? atom.whole : atom.label);
      ends = is_whole || atom.label == "d" || atom.label == "D";
      next += is_whole ? 2 : 1;
    }
    if (product != size) {
      return std::nullopt;
    }
    words += (words.empty() ? "" : ", ") + (group.empty() ? "1" : group);
  }
  return next == atoms.size() ? std::optional("[" + words + "]") : std::nullopt;
}

/// For each of the numbers, in their order, the target's cell: cells of `atoms` from `first` on.
std::vector<std::int64_t> cells_of(const std::vector<Axis>& atoms, std::int64_t first) {
  std::vector<std::int64_t> cells{first};
  for (const Axis& atom : atoms) {
    std::vector<std::int64_t> more;
    more.reserve(cells.size() * static_cast<std::size_t>(atom.size));
    for (const std::int64_t cell : cells) {
      for (std::int64_t i = 0; i < atom.size; ++i) {
        more.push_back(cell + i * atom.step);
      }
    }
    cells = std::move(more);
  }
  return cells;
}

// ---- Numbers --------------------------------------------------------------------------------------

/// Numbers that mean the same otherwise, and how they are called.
struct Meaning {
  std::vector<double> values;
  std::string words;
};

bool is_truth(double value) { return value == 0 || value == 1; }

/// A mask as it is, True for False, what is added to scores, or what weights are multiplied with.
std::vector<Meaning> mask_meanings(const Tensor& tensor, const std::vector<double>& theirs) {
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
  constexpr double vanishing = 110;  // exp(-110) is 0 in float32
  const Tensor& tensor = target.tensor;
  const auto width = static_cast<std::size_t>(tensor.size(-1));
  const bool is_scaled_later = tensor.kind() == Kind::masked && tensor.operands()[0].kind() != Kind::scaled;
  const double divisor =
      is_scaled_later ? std::max(1.0, std::sqrt(static_cast<double>(std::max<std::size_t>(width, 64)))) : 1.0;
  std::vector<double> most(target.right.size() / width, -infinity);  // of each row
  const auto row = [&](std::size_t i) { return static_cast<std::size_t>(cells[i]) / width; };
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    most[row(i)] = std::max(most[row(i)], theirs[i]);
  }
  Meaning meaning{theirs, "a large negative number for -inf"};
  bool any = false;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double largest = most[row(i)];
    if (std::isfinite(theirs[i]) && theirs[i] < -least_hiding && (largest - theirs[i]) / divisor > vanishing &&
        largest > -least_hiding) {
      meaning.values[i] = -infinity;
      any = true;
    }
  }
  return any ? std::optional(std::move(meaning)) : std::nullopt;
}

std::vector<Meaning> meanings_of(const Target& target, const std::vector<double>& theirs,
                                 const std::vector<std::int64_t>& cells) {
  const Tensor& tensor = target.tensor;
  const bool is_mask =
      theirs.size() > 1 && (tensor.dtype() == DType::boolean ||
                            (tensor.operation().facts().is_by_tokens && std::ranges::all_of(target.right, is_truth)));
  if (is_mask) {
    return mask_meanings(tensor, theirs);
  }
  std::vector<Meaning> meanings{{theirs, ""}};
  const bool is_hidden =
      tensor.dim() >= 2 && std::ranges::any_of(target.right, [](double value) { return value == -infinity; });
  if (is_hidden) {
    if (auto hidden = hidden_meaning(target, theirs, cells)) {
      meanings.insert(meanings.begin(), *std::move(hidden));
    }
  }
  return meanings;
}

std::string with(const std::string& words, const std::string& more) {
  return words.empty() || more.empty() ? words + more : words + ", " + more;
}

/// What the last projection makes of joined heads: it has none itself.
bool is_projected(const Tensor& tensor) {
  return tensor.kind() == Kind::linear && tensor.operands()[0].kind() == Kind::view;
}

// ---- Laying out -----------------------------------------------------------------------------------

class Layouts {
 public:
  Layouts(const dump::Dumped& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take)
      : theirs_(theirs),
        target_(target),
        take_(take),
        axes_(axes_of(target.tensor)),
        heads_(is_projected(target.tensor) ? 1 : target.heads) {
    std::ranges::copy_if(theirs.shape, std::back_inserter(shape_), [](std::int64_t size) { return size != 1; });
  }

  void run() {
    const std::size_t count = theirs_.values.size();
    const std::size_t wanted = target_.right.size();
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
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const bool is_square_weight = i == 1 && is_weight(target_.tensor);
      if (i > 0 && is_own && !is_square_weight) {
        return;  // wrong numbers of the right shape are wrong, and not laid out otherwise
      }
      const std::vector<Axis> atoms = atoms_of(orders[i], heads_);
      const auto words = words_of(shape_, atoms, i == 0);
      const std::string how = i > 0 && axes_.size() == 2 ? "transposed" : "";
      if (words && give(cells_of(atoms, 0), theirs_.values,
                        i == 0 && is_own ? "" : with(how, shape_words(orders[i], *words)), i == 0)) {
        return;
      }
    }
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

  /// The words for a whole shape: with its axes of size 1.
  std::string shape_words(const std::vector<Axis>& order, const std::string& words) const {
    std::vector<Axis> own;
    std::ranges::copy_if(axes_, std::back_inserter(own), [](const Axis& axis) { return axis.size != 1; });
    const std::vector<Axis> atoms = atoms_of(order, 1);
    const bool is_in_order = std::ranges::equal(atoms, own, {}, &Axis::step, &Axis::step);
    return is_in_order && is_same_shape(own)
               ? (target_.tensor.dim() == std::ssize(theirs_.shape) ? "" : "of shape " + shape_text(theirs_.shape))
               : words;
  }

  /// Some entries of outer axes, or one head of an axis that all heads share.
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
    for (std::size_t i = 0; i < std::min(firsts.size(), most); ++i) {
      std::string words;
      for (const Axis& axis : dropped) {
        const std::int64_t entry = firsts[i] / axis.step % axis.size;
        words = with(words, axis.label == "B"   ? "entry " + std::to_string(entry) + " of the batch"
                            : axis.label == "H" ? "head " + std::to_string(entry)
                                                : "token " + std::to_string(entry));
      }
      if (give(cells_of(atoms, firsts[i]), theirs_.values, words, false)) {
        return true;
      }
    }
    return false;
  }

  /// A matrix once for each entry of the batch or head.
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

  bool give(const std::vector<std::int64_t>& cells, const std::vector<double>& theirs, const std::string& words,
            bool is_plain) {
    for (const Meaning& meaning : meanings_of(target_, theirs, cells)) {
      Laid laid{{target_.right.begin(), target_.right.end()},
                {},
                with(words, meaning.words),
                is_plain && meaning.words.empty()};
      std::vector<bool> is_there(target_.right.size());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto cell = static_cast<std::size_t>(cells[i]);
        const bool is_kept =
            is_there[cell] && laid.values[cell] != target_.right[cell];  // of several the one that is wrong
        laid.values[cell] = is_kept ? laid.values[cell] : meaning.values[i];
        is_there[cell] = true;
      }
      for (std::size_t cell = 0; cells.size() < is_there.size() && cell < is_there.size(); ++cell) {
        if (is_there[cell]) {
          laid.cells.push_back(static_cast<std::int64_t>(cell));
        }
      }
      if (take_(std::move(laid))) {
        return true;
      }
    }
    return false;
  }

  const dump::Dumped& theirs_;
  const Target& target_;
  const std::function<bool(Laid&& laid)>& take_;
  std::vector<Axis> axes_;
  std::int64_t heads_;  ///< among which its axes may be divided
  Shape shape_;         ///< theirs, without axes of size 1
};

}  // namespace

void lay_out(const dump::Dumped& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take) {
  Layouts(theirs, target, take).run();
}

void take_apart(const dump::Dumped& theirs, std::span<const std::int64_t> sizes, std::int64_t heads,
                const std::function<bool(std::vector<dump::Dumped>&& parts)>& take) {
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
      std::vector<dump::Dumped> parts;
      std::int64_t before = 0;
      for (const std::int64_t own : widths) {
        dump::Dumped part{theirs.name, theirs.shape, theirs.dtype, {}};
        part.shape[axis] = own * repeat;
        for (std::int64_t block = 0; block < outer * repeat; ++block) {
          const auto begin = theirs.values.begin() + (block * width + before) * inner;
          part.values.insert(part.values.end(), begin, begin + own * inner);
        }
        before += own;
        parts.push_back(std::move(part));
      }
      if (take(std::move(parts))) {
        return;
      }
    }
    outer *= size;
  }
}

}  // namespace attn::port
