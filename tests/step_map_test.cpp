// The map of a chapter's steps: what is drawn is what the graph says, in lines that fit.

#include "render/step_map.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "chapter.hpp"
#include "render/step_graph.hpp"
#include "text/columns.hpp"

namespace {

using namespace attn;
using render::StepMap;
using Edges = std::set<std::pair<std::string, std::string>>;

std::vector<Step> planned(const chapters::Chapter& entry) {
  const Lesson lesson;
  torch::Torch torch({}, lesson.dropout_kernel, torch::Torch::Mode::plan);
  return chapters::walk(entry, lesson, torch).steps();
}

std::string label_name(const StepMap::Label& label) {
  return label.text.substr(0, label.text.find(' ')) + "@" + std::to_string(label.row) + "," + std::to_string(label.column);
}

const StepMap::Label* label_at(const StepMap& map, std::int64_t row, std::int64_t column) {
  for (const StepMap::Label& label : map.labels) {
    if (label.row == row && label.column <= column && column < label.column + text::display_columns(label.text)) {
      return &label;
    }
  }
  return nullptr;
}

/// Where the lines that come from a cell go on: the labels at their ends, through cells where a line passes.
void follow(const StepMap& map, std::int64_t row, std::int64_t column, std::vector<const StepMap::Label*>& ends) {
  for (const StepMap::Net& net : map.nets) {
    const bool starts_here = std::any_of(net.begin(), net.end(), [&](const StepMap::Segment& segment) {
      const bool is_level = segment.row == segment.last_row && segment.column != segment.last_column;
      return !is_level && segment.row == row && segment.column == column;
    });
    if (!starts_here) {
      continue;
    }
    std::int64_t lowest = row;
    for (const StepMap::Segment& segment : net) {
      lowest = std::max(lowest, segment.last_row);
    }
    for (const StepMap::Segment& segment : net) {
      if (segment.last_row != lowest || segment.column != segment.last_column) {
        continue;
      }
      const StepMap::Label* const label = label_at(map, segment.last_row, segment.column);
      if (label != nullptr) {
        ends.push_back(label);
      } else {
        for (std::int64_t below = segment.last_row; below < map.rows; ++below) {
          const std::size_t before = ends.size();
          follow(map, below, segment.column, ends);
          if (ends.size() > before) {
            break;
          }
        }
      }
    }
  }
}

Edges drawn_edges(const StepMap& map) {
  Edges edges;
  for (const StepMap::Label& label : map.labels) {
    if (label.follows) {
      const auto above = std::find_if(map.labels.begin(), map.labels.end(), [&](const StepMap::Label& other) {
        const auto middle = label.column + text::display_columns(label.text) / 2;
        return other.row == label.row - 1 && other.column <= middle &&
               middle <= other.column + text::display_columns(other.text);
      });
      REQUIRE(above != map.labels.end());
      edges.emplace(label_name(*above), label_name(label));
    }
    for (std::int64_t column = label.column; column < label.column + text::display_columns(label.text); ++column) {
      std::vector<const StepMap::Label*> ends;
      follow(map, label.row, column, ends);
      for (const StepMap::Label* const end : ends) {
        edges.emplace(label_name(label), label_name(*end));
      }
    }
  }
  return edges;
}

/// The edges of the graph between steps that the map has.
Edges wanted_edges(const StepMap& map, const std::vector<Step>& steps) {
  std::map<std::size_t, const StepMap::Label*> labels;
  for (const StepMap::Label& label : map.labels) {
    labels.emplace(label.step, &label);
  }
  const render::StepGraph graph = render::step_graph(steps);
  Edges edges;
  for (const render::StepGraph::Node& node : graph.nodes) {
    for (const std::size_t source : node.sources) {
      const auto from = labels.find(graph.nodes[source].step);
      const auto to = labels.find(node.step);
      if (from != labels.end() && to != labels.end()) {
        edges.emplace(label_name(*from->second), label_name(*to->second));
      }
    }
  }
  return edges;
}

}  // namespace

TEST_CASE("a chapter's map draws what its steps are made from, and nothing else") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    CAPTURE(entry.name);
    CAPTURE(entry.article->name);
    const std::vector<Step> steps = planned(entry);
    for (const std::int64_t columns : {200, 90, 76}) {
      const StepMap map = render::step_map(steps, columns);
      CAPTURE(columns);
      REQUIRE(map.labels.size() >= 6);
      CHECK(map.columns <= columns);
      CHECK(drawn_edges(map) == wanted_edges(map, steps));
    }
  }
}

TEST_CASE("steps of two names share a mask in the map only where they share its tensor") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    CAPTURE(entry.name);
    CAPTURE(entry.article->name);
    const std::vector<Step> steps = planned(entry);
    std::map<std::string, std::vector<std::set<std::string>>>
        users_of;  // by a mask's name, for each tensor called that
    for (const Step& mask : steps) {
      std::set<std::string> users;
      for (const Step& step : steps) {
        if (mask.kind == Step::Kind::tensor && step.kind == Step::Kind::tensor &&
            std::ranges::find(step.tensor->operands(), mask.tensor->id(), &Tensor::id) !=
                step.tensor->operands().end()) {
          users.insert(step.name);
        }
      }
      users_of[mask.name].push_back(users);
    }
    const render::StepGraph graph = render::step_graph(steps);
    for (std::size_t mask = 0; mask < graph.nodes.size(); ++mask) {
      if (steps[graph.nodes[mask].step].tensor->dtype() != DType::boolean) {
        continue;
      }
      std::set<std::string> users;
      for (const render::StepGraph::Node& node : graph.nodes) {
        if (std::ranges::find(node.sources, mask) != node.sources.end()) {
          users.insert(node.name);
        }
      }
      CHECK_FALSE(users.empty());
      CHECK(std::ranges::any_of(users_of[graph.nodes[mask].name], [&](const std::set<std::string>& of_one) {
        return std::ranges::includes(of_one, users);
      }));
    }
  }
}

TEST_CASE("labels of a map stand apart, each on its place in the lines") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    CAPTURE(entry.name);
    const StepMap map = render::step_map(planned(entry), 76);
    const std::vector<std::string> lines = render::map_lines(map, false);
    REQUIRE(static_cast<std::int64_t>(lines.size()) == map.rows);
    for (const StepMap::Label& label : map.labels) {
      const std::string& line = lines[static_cast<std::size_t>(label.row)];
      const auto column = static_cast<std::size_t>(label.column);
      CHECK(line.substr(column, label.text.size()) == label.text);
      CHECK((column == 0 || line[column - 1] == ' '));
      CHECK((column + label.text.size() >= line.size() || line[column + label.text.size()] == ' '));
    }
    for (const std::string& line : lines) {
      CHECK(line.size() <= 76);
      CHECK_FALSE(line.ends_with(' '));
    }
    for (const std::string& line : render::map_lines(map, true)) {
      CHECK(text::display_columns(line) <= 76);
    }
  }
}

TEST_CASE("a map of few columns has no shapes, and one of none has nothing") {
  const std::vector<Step> steps = planned(chapters::all_chapters()[0]);
  const auto has_shape = [](const StepMap::Label& label) { return label.text.find('[') != std::string::npos; };
  const StepMap wide = render::step_map(steps, 200);
  const StepMap narrow = render::step_map(steps, wide.columns - 1);
  CHECK(std::all_of(wide.labels.begin(), wide.labels.end(), has_shape));
  CHECK(std::none_of(narrow.labels.begin(), narrow.labels.end(), has_shape));
  CHECK(narrow.labels.size() == wide.labels.size());
  CHECK(render::step_map(steps, 5).labels.empty());
  CHECK(render::map_lines(render::step_map({}, 80), true).empty());
}

TEST_CASE("the article's own program, drawn") {
  const auto& all = chapters::all_chapters();
  const auto primer = std::find_if(all.begin(), all.end(), [](const chapters::Chapter& entry) {
    return entry.name == "simplified" && entry.article->name == "primer";
  });
  REQUIRE(primer != all.end());
  CHECK(render::map_lines(render::step_map(planned(*primer), 76), true) ==
        std::vector<std::string>{"                inputs [6, 3]",
                                 "         ┌───────────┼──────────────┐",
                                 "    query_2 [3]      │   keys_transposed [3, 6]",
                                 "    ┌────┘  ┌────────┼───────┐        │",
                                 "attn_scores_2 [6]    │   attn_scores [6, 6]",
                                 "attn_weights_2 [6]   │   attn_weights [6, 6]",
                                 "       │       ┌─────┴─────┐         │",
                                 "   context_vec_2 [3]   context_vecs [6, 3]"});
}
