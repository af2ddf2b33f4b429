#include "render/step_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "render/step_layers.hpp"
#include "text/columns.hpp"

namespace attn::render {
namespace {

/// Lines from one slot to slots below it, within one gap between layers.
struct Wire {
  std::int64_t top = 0;          ///< the row of the label that it comes from
  std::int64_t from = 0;         ///< column
  std::vector<std::int64_t> to;  ///< columns
  std::size_t track = 0;         ///< the row in the gap in which it runs sideways

  bool is_straight() const { return to.size() == 1 && to[0] == from; }
  std::int64_t first() const { return std::min(from, *std::min_element(to.begin(), to.end())); }
  std::int64_t last() const { return std::max(from, *std::max_element(to.begin(), to.end())); }
  bool crosses(std::int64_t column) const { return first() <= column && column <= last(); }
};

class MapMaker {
 public:
  explicit MapMaker(const StepGraph& graph, const std::vector<std::string>& texts) : graph_(graph), texts_(texts) {
    std::vector<std::int64_t> widths;
    for (const std::string& text : texts) {
      widths.push_back(text::display_columns(text));
    }
    layers_ = layers_of(graph, widths);
    bottoms_.resize(layers_.slots.size());
    std::int64_t row = 0;
    for (std::size_t layer = 0; layer < layers_.order.size(); ++layer) {
      row = set_layer(layer, row);
      if (layer + 1 < layers_.order.size()) {
        row = set_wires(layer, row);
      }
    }
    map.rows = row;
    for (const Slot& slot : layers_.slots) {
      map.columns = std::max(map.columns, slot.left + slot.width);
    }
  }

  StepMap map;

 private:
  std::int64_t set_layer(std::size_t layer, std::int64_t row) {
    std::int64_t height = 1;
    for (const std::size_t number : layers_.order[layer]) {
      height = std::max(height, std::ssize(layers_.slots[number].nodes));
    }
    for (const std::size_t number : layers_.order[layer]) {
      const Slot& slot = layers_.slots[number];
      for (std::size_t i = 0; i < slot.nodes.size(); ++i) {
        const std::string& text = texts_[slot.nodes[i]];
        map.labels.push_back({.step = graph_.nodes[slot.nodes[i]].step,
                              .text = text,
                              .row = row + static_cast<std::int64_t>(i),
                              .column = slot.left + (slot.width - text::display_columns(text)) / 2,
                              .follows = i > 0});
      }
      bottoms_[number] = row + std::max<std::int64_t>(std::ssize(slot.nodes), 1) - 1;
    }
    return row + height;
  }

  /// Where the lines to a slot arrive, from left to right as their sources stand.
  std::int64_t port(const Slot& target, std::size_t source) const {
    std::vector<std::size_t> sources = target.sources;
    std::sort(sources.begin(), sources.end(),
              [&](std::size_t a, std::size_t b) { return layers_.slots[a].centre() < layers_.slots[b].centre(); });
    const auto at = std::find(sources.begin(), sources.end(), source) - sources.begin();
    const auto count = std::ssize(sources);
    if (count == 1 || target.nodes.empty()) {
      return target.centre();
    }
    const std::int64_t width = text::display_columns(texts_[target.nodes.front()]);
    return target.left + (target.width - width) / 2 + width * (2 * at + 1) / (2 * count);
  }

  /// A line that nearly goes straight down leaves its label a little aside instead.
  void straighten(Wire& wire, const Slot& source) const {
    constexpr std::int64_t little = 3;
    const std::int64_t width = source.nodes.empty() ? 1 : text::display_columns(texts_[source.nodes.back()]);
    for (const std::int64_t to : wire.to) {
      const bool is_below = 2 * std::abs(to - source.centre()) + 1 < width;
      if (is_below && (wire.to.size() == 1 || std::abs(to - wire.from) <= little)) {
        wire.from = to;
        return;
      }
    }
  }

  std::vector<Wire> wires_below(std::size_t layer) const {
    std::vector<Wire> wires;
    for (const std::size_t source : layers_.order[layer]) {
      Wire wire = {.top = bottoms_[source], .from = layers_.slots[source].centre(), .to = {}, .track = 0};
      for (const std::size_t target : layers_.order[layer + 1]) {
        const auto& sources = layers_.slots[target].sources;
        if (std::find(sources.begin(), sources.end(), source) != sources.end()) {
          wire.to.push_back(port(layers_.slots[target], source));
        }
      }
      if (!wire.to.empty()) {
        straighten(wire, layers_.slots[source]);
        wires.push_back(std::move(wire));
      }
    }
    return wires;
  }

  /// Lines of two slots that would lie upon one another.
  static bool overlap(const Wire& a, const Wire& b) {
    if (a.is_straight() || b.is_straight()) {
      return false;
    }
    if (a.track == b.track) {
      return a.first() <= b.last() && b.first() <= a.last();
    }
    const Wire& upper = a.track < b.track ? a : b;
    const Wire& lower = a.track < b.track ? b : a;
    return std::find(upper.to.begin(), upper.to.end(), lower.from) != upper.to.end();
  }

  static int crossings(const Wire& a, const Wire& b) {
    int count = 0;
    if (a.is_straight() || a.track < b.track) {
      count += static_cast<int>(std::count_if(a.to.begin(), a.to.end(), [&](auto to) { return b.crosses(to); }));
    } else if (a.track > b.track || b.is_straight()) {
      count += b.crosses(a.from) ? 1 : 0;
    }
    return count;
  }

  static int cost(const std::vector<Wire>& wires) {
    constexpr int much = 1000;
    constexpr int little = 3;  // another row
    int sum = 0;
    std::size_t tracks = 0;
    for (std::size_t i = 0; i < wires.size(); ++i) {
      tracks = wires[i].is_straight() ? tracks : std::max(tracks, wires[i].track + 1);
      for (std::size_t j = 0; j < wires.size(); ++j) {
        sum += i == j ? 0 : crossings(wires[i], wires[j]) + (i < j && overlap(wires[i], wires[j]) ? much : 0);
      }
    }
    return sum + little * static_cast<int>(tracks);
  }

  /// Tries all ways to give few wires tracks; of many each gets its own.
  static void set_tracks(std::vector<Wire>& wires) {
    std::vector<std::size_t> bent;
    for (std::size_t i = 0; i < wires.size(); ++i) {
      if (!wires[i].is_straight()) {
        wires[i].track = bent.size();
        bent.push_back(i);
      }
    }
    constexpr std::size_t few = 5;
    if (bent.empty() || bent.size() > few) {
      return;
    }
    std::vector<Wire> best = wires;
    int least = std::numeric_limits<int>::max();
    const auto ways = static_cast<std::size_t>(std::pow(bent.size(), bent.size()) + 0.5);
    for (std::size_t way = 0; way < ways; ++way) {
      std::size_t left = way;
      for (const std::size_t i : bent) {
        wires[i].track = left % bent.size();
        left /= bent.size();
      }
      if (const int now = cost(wires); now < least) {
        least = now;
        best = wires;
      }
    }
    wires = std::move(best);
  }

  std::int64_t set_wires(std::size_t layer, std::int64_t row) {
    std::vector<Wire> wires = wires_below(layer);
    set_tracks(wires);
    std::int64_t height = 1;
    for (const Wire& wire : wires) {
      height = wire.is_straight() ? height : std::max(height, static_cast<std::int64_t>(wire.track) + 1);
    }
    for (const Wire& wire : wires) {
      map.nets.push_back(net(wire, row, height));
    }
    return row + height;
  }

  /// From the label above to those below.
  static StepMap::Net net(const Wire& wire, std::int64_t row, std::int64_t height) {
    if (wire.is_straight()) {
      return {{wire.top, wire.from, row + height, wire.from}};
    }
    const std::int64_t track = row + static_cast<std::int64_t>(wire.track);
    StepMap::Net net = {{track, wire.first(), track, wire.last()}, {wire.top, wire.from, track, wire.from}};
    for (const std::int64_t to : wire.to) {
      net.push_back({track, to, row + height, to});
    }
    return net;
  }

  const StepGraph& graph_;
  const std::vector<std::string>& texts_;
  Layers layers_;
  std::vector<std::int64_t> bottoms_;  ///< of each slot: the row of its last label
};

}  // namespace

namespace {

/// Without the first of the tensors that nothing is made from and that are nearest to the inputs.
StepGraph without_nearest_end(const StepGraph& graph) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::size_t> depth(count, 0);
  std::vector<bool> is_used(count, false);
  for (std::size_t node = 0; node < count; ++node) {
    for (const std::size_t source : graph.nodes[node].sources) {
      depth[node] = std::max(depth[node], depth[source] + 1);
      is_used[source] = true;
    }
  }
  std::size_t nearest = count;
  for (std::size_t node = 0; node < count; ++node) {
    if (!is_used[node] && (nearest == count || depth[node] < depth[nearest])) {
      nearest = node;
    }
  }
  return graph.without(nearest).without_lone_ones();
}

std::vector<std::string> label_texts(const StepGraph& graph, bool with_shapes) {
  std::vector<std::string> texts;
  for (const StepGraph::Node& node : graph.nodes) {
    texts.push_back(node.name + (node.shape.empty() || !with_shapes ? "" : " " + node.shape));
  }
  return texts;
}

}  // namespace

StepMap step_map(std::span<const Step> steps, std::int64_t columns) {
  StepGraph graph = step_graph(steps);
  for (; graph.nodes.size() >= 2; graph = without_nearest_end(graph)) {
    for (const bool with_shapes : {true, false}) {
      const StepMap map = MapMaker(graph, label_texts(graph, with_shapes)).map;
      if (map.columns <= columns) {
        return map;
      }
    }
  }
  return {};
}

}  // namespace attn::render
