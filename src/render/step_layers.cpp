#include "render/step_layers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace attn::render {
namespace {

constexpr std::int64_t gap = 3;
constexpr int sweeps = 8;

/// The method of Sugiyama, Tagawa and Toda (1981): layers by longest paths, empty places where a line passes through,
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

  /// Nodes become places; a node that alone is made from one that makes nothing else goes below it.
  void chain() {
    const auto used = users();
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
      const auto& sources = graph_.nodes[node].sources;
      const bool follows = sources.size() == 1 && used[sources[0]].size() == 1;
      if (follows) {
        place_of_.push_back(place_of_[sources[0]]);
      } else {
        place_of_.push_back(result.places.size());
        result.places.emplace_back();
        for (const std::size_t source : sources) {
          result.places.back().sources.push_back(place_of_[source]);
        }
      }
      Place& place = result.places[place_of_.back()];
      place.nodes.push_back(node);
      place.width = std::max(place.width, widths_[node]);
    }
  }

  void set_layers() {
    const std::size_t count = result.places.size();
    layer_.assign(count, 0);
    for (std::size_t place = 0; place < count; ++place) {
      for (const std::size_t source : result.places[place].sources) {
        layer_[place] = std::max(layer_[place], layer_[source] + 1);
      }
    }
    // What is made from nothing stands just above what is first made from it.
    std::vector<std::size_t> first_use(count, std::numeric_limits<std::size_t>::max());
    for (std::size_t place = 0; place < count; ++place) {
      for (const std::size_t source : result.places[place].sources) {
        first_use[source] = std::min(first_use[source], layer_[place]);
      }
    }
    for (std::size_t place = 0; place < count; ++place) {
      if (result.places[place].sources.empty() && first_use[place] < std::numeric_limits<std::size_t>::max()) {
        layer_[place] = first_use[place] - 1;
      }
    }
  }

  /// A line over several layers takes an empty place in each between; lines from one place share them.
  void add_passing_lines() {
    const std::size_t count = result.places.size();
    result.order.resize(count == 0 ? 0 : *std::max_element(layer_.begin(), layer_.end()) + 1);
    std::vector<std::vector<std::size_t>> passing(count);  // from each place, downwards
    for (std::size_t place = 0; place < count; ++place) {
      result.order[layer_[place]].push_back(place);
      for (std::size_t& source : result.places[place].sources) {
        const std::size_t from = source;
        std::vector<std::size_t>& line = passing[from];
        while (layer_[from] + line.size() + 1 < layer_[place]) {
          const std::size_t above = line.empty() ? from : line.back();
          line.push_back(result.places.size() + added_.size());
          added_.push_back({.nodes = {}, .sources = {above}, .width = 1, .left = 0});
          added_layers_.push_back(layer_[from] + line.size());
        }
        const std::size_t between = layer_[place] - layer_[from] - 1;
        source = between == 0 ? from : line[between - 1];
      }
    }
    for (std::size_t i = 0; i < added_.size(); ++i) {
      result.order[added_layers_[i]].push_back(count + i);
    }
    result.places.insert(result.places.end(), added_.begin(), added_.end());
  }

  /// The places that a place is joined with, in the layer above or below.
  std::vector<std::size_t> neighbours(std::size_t place, bool above) const {
    if (above) {
      return result.places[place].sources;
    }
    std::vector<std::size_t> found;
    for (std::size_t other = 0; other < result.places.size(); ++other) {
      const auto& sources = result.places[other].sources;
      if (std::find(sources.begin(), sources.end(), place) != sources.end()) {
        found.push_back(other);
      }
    }
    return found;
  }

  template <class Where>
  double mean(std::size_t place, bool above, double otherwise, Where where) const {
    const std::vector<std::size_t> near = neighbours(place, above);
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
    std::vector<double> rank(result.places.size());
    const auto set_ranks = [&](const std::vector<std::size_t>& layer) {
      for (std::size_t i = 0; i < layer.size(); ++i) {
        rank[layer[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(layer.size());
      }
    };
    std::for_each(result.order.begin(), result.order.end(), set_ranks);
    each_layer(downwards, [&](std::vector<std::size_t>& layer) {
      std::vector<std::pair<double, std::size_t>> wanted;
      for (const std::size_t place : layer) {
        wanted.emplace_back(mean(place, downwards, rank[place], [&](std::size_t other) { return rank[other]; }), place);
      }
      std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      std::transform(wanted.begin(), wanted.end(), layer.begin(), [](const auto& one) { return one.second; });
      set_ranks(layer);
    });
  }

  void pack() {
    for (const auto& layer : result.order) {
      std::int64_t left = 0;
      for (const std::size_t place : layer) {
        result.places[place].left = left;
        left += result.places[place].width + gap;
      }
      for (const std::size_t place : layer) {
        result.places[place].left -= (left - gap) / 2;
      }
    }
  }

  /// Each place as near to the middle of its neighbours as the order and the gaps let it.
  void align(bool downwards) {
    each_layer(downwards, [&](const std::vector<std::size_t>& layer) {
      std::vector<std::int64_t> wanted;
      for (const std::size_t number : layer) {
        const Place& place = result.places[number];
        const auto centre = [&](std::size_t other) { return static_cast<double>(result.places[other].centre()); };
        wanted.push_back(
            static_cast<std::int64_t>(mean(number, downwards, static_cast<double>(place.centre()), centre)) -
            place.width / 2);
      }
      std::vector<std::int64_t> from_left = wanted;
      std::vector<std::int64_t> from_right = wanted;
      for (std::size_t i = 1; i < layer.size(); ++i) {
        from_left[i] = std::max(wanted[i], from_left[i - 1] + result.places[layer[i - 1]].width + gap);
      }
      for (std::size_t i = layer.size(); i-- > 1;) {
        from_right[i - 1] = std::min(wanted[i - 1], from_right[i] - result.places[layer[i - 1]].width - gap);
      }
      for (std::size_t i = 0; i < layer.size(); ++i) {
        result.places[layer[i]].left = std::midpoint(from_left[i], from_right[i]);
      }
    });
  }

  void shift_to_edge() {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Place& place : result.places) {
      least = std::min(least, place.left);
    }
    for (Place& place : result.places) {
      place.left -= least;
    }
  }

  const StepGraph& graph_;
  const std::vector<std::int64_t>& widths_;
  std::vector<std::size_t> place_of_;  ///< of each node
  std::vector<std::size_t> layer_;     ///< of each place with nodes
  std::vector<Place> added_;
  std::vector<std::size_t> added_layers_;
};

}  // namespace

Layers layers_of(const StepGraph& graph, const std::vector<std::int64_t>& widths) {
  return Layering(graph, widths).result;
}

}  // namespace attn::render
