#include "render/step_layers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace attn::render {
namespace {

constexpr std::int64_t gap = 3;
constexpr int sweeps = 8;

/// The method of Sugiyama, Tagawa and Toda (1981): layers by longest paths, empty slots where a line passes through,
/// order by the neighbours' mean, then columns.
class Layering {
 public:
  Layering(const StepGraph& graph, const std::vector<std::int64_t>& widths) : graph_(graph), widths_(widths) {
    chain();
    set_layers();
    add_passing_lines();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      sort(sweep % 2 == 0);
    }
    pack();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      align(sweep % 2 == 0);
    }
    shift_to_edge();
  }

  Layers result;

 private:
  std::vector<std::vector<std::size_t>> users() const {
    std::vector<std::vector<std::size_t>> users(graph_.nodes.size());
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
      for (const std::size_t source : graph_.nodes[node].sources) {
        users[source].push_back(node);
      }
    }
    return users;
  }

  /// Nodes become slots; a node that alone is made from one that makes nothing else goes below it.
  void chain() {
    const auto used = users();
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
      const auto& sources = graph_.nodes[node].sources;
      const bool follows = sources.size() == 1 && used[sources[0]].size() == 1;
      if (follows) {
        slot_of_.push_back(slot_of_[sources[0]]);
      } else {
        slot_of_.push_back(result.slots.size());
        result.slots.emplace_back();
        for (const std::size_t source : sources) {
          result.slots.back().sources.push_back(slot_of_[source]);
        }
      }
      Slot& slot = result.slots[slot_of_.back()];
      slot.nodes.push_back(node);
      slot.width = std::max(slot.width, widths_[node]);
    }
  }

  void set_layers() {
    const std::size_t count = result.slots.size();
    layer_.assign(count, 0);
    for (std::size_t slot = 0; slot < count; ++slot) {
      for (const std::size_t source : result.slots[slot].sources) {
        layer_[slot] = std::max(layer_[slot], layer_[source] + 1);
      }
    }
    // What is made from nothing stands just above what is first made from it.
    std::vector<std::size_t> first_use(count, std::numeric_limits<std::size_t>::max());
    for (std::size_t slot = 0; slot < count; ++slot) {
      for (const std::size_t source : result.slots[slot].sources) {
        first_use[source] = std::min(first_use[source], layer_[slot]);
      }
    }
    for (std::size_t slot = 0; slot < count; ++slot) {
      if (result.slots[slot].sources.empty() && first_use[slot] < std::numeric_limits<std::size_t>::max()) {
        layer_[slot] = first_use[slot] - 1;
      }
    }
  }

  /// A line over several layers takes an empty slot in each between; lines from one slot share them.
  void add_passing_lines() {
    const std::size_t count = result.slots.size();
    result.order.resize(count == 0 ? 0 : *std::max_element(layer_.begin(), layer_.end()) + 1);
    std::vector<std::vector<std::size_t>> passing(count);  // from each slot, downwards
    for (std::size_t slot = 0; slot < count; ++slot) {
      result.order[layer_[slot]].push_back(slot);
      for (std::size_t& source : result.slots[slot].sources) {
        const std::size_t from = source;
        std::vector<std::size_t>& line = passing[from];
        while (layer_[from] + line.size() + 1 < layer_[slot]) {
          const std::size_t above = line.empty() ? from : line.back();
          line.push_back(result.slots.size() + added_.size());
          added_.push_back({.nodes = {}, .sources = {above}, .width = 1, .left = 0});
          added_layers_.push_back(layer_[from] + line.size());
        }
        const std::size_t between = layer_[slot] - layer_[from] - 1;
        source = between == 0 ? from : line[between - 1];
      }
    }
    for (std::size_t i = 0; i < added_.size(); ++i) {
      result.order[added_layers_[i]].push_back(count + i);
    }
    result.slots.insert(result.slots.end(), added_.begin(), added_.end());
  }

  /// The slots that a slot is joined with, in the layer above or below.
  std::vector<std::size_t> neighbours(std::size_t slot, bool above) const {
    if (above) {
      return result.slots[slot].sources;
    }
    std::vector<std::size_t> found;
    for (std::size_t other = 0; other < result.slots.size(); ++other) {
      const auto& sources = result.slots[other].sources;
      if (std::find(sources.begin(), sources.end(), slot) != sources.end()) {
        found.push_back(other);
      }
    }
    return found;
  }

  template <class Where>
  double mean(std::size_t slot, bool above, double otherwise, Where where) const {
    const std::vector<std::size_t> near = neighbours(slot, above);
    double sum = 0;
    for (const std::size_t other : near) {
      sum += where(other);
    }
    return near.empty() ? otherwise : sum / static_cast<double>(near.size());
  }

  template <class Do>
  void each_layer(bool downwards, Do act) {
    const std::size_t count = result.order.size();
    for (std::size_t i = 1; i < count; ++i) {
      act(result.order[downwards ? i : count - 1 - i]);
    }
  }

  void sort(bool downwards) {
    std::vector<double> rank(result.slots.size());
    const auto set_ranks = [&](const std::vector<std::size_t>& layer) {
      for (std::size_t i = 0; i < layer.size(); ++i) {
        rank[layer[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(layer.size());
      }
    };
    std::for_each(result.order.begin(), result.order.end(), set_ranks);
    each_layer(downwards, [&](std::vector<std::size_t>& layer) {
      std::vector<std::pair<double, std::size_t>> wanted;
      for (const std::size_t slot : layer) {
        wanted.emplace_back(mean(slot, downwards, rank[slot], [&](std::size_t other) { return rank[other]; }), slot);
      }
      std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      std::transform(wanted.begin(), wanted.end(), layer.begin(), [](const auto& one) { return one.second; });
      set_ranks(layer);
    });
  }

  void pack() {
    for (const auto& layer : result.order) {
      std::int64_t left = 0;
      for (const std::size_t slot : layer) {
        result.slots[slot].left = left;
        left += result.slots[slot].width + gap;
      }
      for (const std::size_t slot : layer) {
        result.slots[slot].left -= (left - gap) / 2;
      }
    }
  }

  /// Each slot as near to the middle of its neighbours as the order and the gaps let it.
  void align(bool downwards) {
    each_layer(downwards, [&](const std::vector<std::size_t>& layer) {
      std::vector<std::int64_t> wanted;
      for (const std::size_t number : layer) {
        const Slot& slot = result.slots[number];
        const auto centre = [&](std::size_t other) { return static_cast<double>(result.slots[other].centre()); };
        wanted.push_back(
            static_cast<std::int64_t>(mean(number, downwards, static_cast<double>(slot.centre()), centre)) -
            slot.width / 2);
      }
      std::vector<std::int64_t> from_left = wanted;
      std::vector<std::int64_t> from_right = wanted;
      for (std::size_t i = 1; i < layer.size(); ++i) {
        from_left[i] = std::max(wanted[i], from_left[i - 1] + result.slots[layer[i - 1]].width + gap);
      }
      for (std::size_t i = layer.size(); i-- > 1;) {
        from_right[i - 1] = std::min(wanted[i - 1], from_right[i] - result.slots[layer[i - 1]].width - gap);
      }
      for (std::size_t i = 0; i < layer.size(); ++i) {
        result.slots[layer[i]].left = std::midpoint(from_left[i], from_right[i]);
      }
    });
  }

  void shift_to_edge() {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Slot& slot : result.slots) {
      least = std::min(least, slot.left);
    }
    for (Slot& slot : result.slots) {
      slot.left -= least;
    }
  }

  const StepGraph& graph_;
  const std::vector<std::int64_t>& widths_;
  std::vector<std::size_t> slot_of_;  ///< of each node
  std::vector<std::size_t> layer_;     ///< of each slot with nodes
  std::vector<Slot> added_;
  std::vector<std::size_t> added_layers_;
};

}  // namespace

Layers layers_of(const StepGraph& graph, const std::vector<std::int64_t>& widths) {
  return Layering(graph, widths).result;
}

}  // namespace attn::render
