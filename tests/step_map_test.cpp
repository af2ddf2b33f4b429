// The map of a chapter's steps: it tells what the graph says, in lines that fit.

#include "lesson/frame.hpp"

#include "made.hpp"
#include "text/columns.hpp"

namespace {

using namespace attn;
using render::MapLine;

std::vector<Step> planned(const chapters::Chapter& entry) {
  return test::walked(entry, {}, torch::Torch::Mode::plan).steps();
}

/// The names of all steps that a tensor is made from.
void collect(const Tensor& tensor, const std::map<const void*, std::string>& step_names, std::set<std::string>& names) {
  for (const Tensor& operand : tensor.operands()) {
    if (const auto step = step_names.find(operand.id()); step != step_names.end()) {
      names.insert(step->second);
    }
    collect(operand, step_names, names);
  }
}

}  // namespace

TEST_CASE("a chapter's map shows the operands of its steps, and nothing else") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    CAPTURE(entry.name);
    CAPTURE(entry.article->name);
    const std::vector<Step> steps = planned(entry);
    const std::vector<MapLine> map = render::step_map(steps);
    REQUIRE(map.size() >= 6);
    std::map<const void*, std::string> step_names;
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::tensor) {
        step_names.emplace(step.tensor->id(), step.name);
      }
    }
    for (auto line = map.begin(); line != map.end(); ++line) {
      CAPTURE(line->name);
      const Tensor& tensor = *steps[line->step].tensor;
      CHECK(line->name == steps[line->step].name);
      CHECK(line->shape == shape_text(tensor.shape()));
      std::set<std::string> made_from;
      collect(tensor, step_names, made_from);
      CHECK(std::ranges::all_of(line->sources, [&](const std::string& name) { return made_from.contains(name); }));
      std::set<std::string> told;  // also of the sources' sources
      std::vector<std::string> open = line->sources;
      std::size_t deepest = 0;
      while (!open.empty()) {
        const std::string name = open.back();
        open.pop_back();
        bool stands_before = false;
        for (auto before = map.begin(); before != line; ++before) {
          if (before->name == name) {
            stands_before = true;
            deepest = std::max(deepest, before->depth + 1);
            if (told.insert(name).second) {
              open.insert(open.end(), before->sources.begin(), before->sources.end());
            }
          }
        }
        CHECK(stands_before);
      }
      if (line->sources.empty()) {
        const auto user = std::find_if(line, map.end(), [&](const MapLine& other) {
          return std::ranges::find(other.sources, line->name) != other.sources.end();
        });
        REQUIRE(user != map.end());
        CHECK(line->depth + 1 == user->depth);
      } else {
        CHECK(line->depth > 0);
        CHECK(line->depth <= deepest);
      }
      for (const std::string& name : tensor.inputs()) {
        const bool has_line = std::ranges::find(map, name, &MapLine::name) != map.end();
        CHECK((!has_line || told.contains(name)));
      }
    }
    for (const Step& step : steps) {
      std::set<std::string> made_from;
      if (step.kind == Step::Kind::tensor) {
        collect(*step.tensor, step_names, made_from);
      }
      const bool is_made =
          !made_from.empty() && !step.tensor->operation().is_parameter() && step.tensor->kind() != Kind::comparison;
      CAPTURE(step.name);
      CHECK((!is_made || std::ranges::any_of(map, [&](const MapLine& line) {
        return line.name == step.name && line.shape == shape_text(step.tensor->shape());
      })));
    }
  }
}

TEST_CASE("a map's lines fit") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    CAPTURE(entry.name);
    const std::vector<MapLine> map = render::step_map(planned(entry));
    CHECK(render::map_lines(map, 90).size() == map.size());
    for (const std::int64_t width : {90, 40, 20}) {
      for (const std::string& line : render::map_lines(map, width)) {
        CHECK(text::display_columns(line) <= width);
        CHECK_FALSE(line.ends_with(' '));
      }
    }
  }
  CHECK(render::map_lines(render::step_map({}), 80).empty());
}

TEST_CASE("the article's own program as a map") {
  CHECK(render::map_lines(render::step_map(planned(test::chapter_of("simplified", "primer"))), 76) ==
        std::vector<std::string>{
            "inputs [6, 3]", "  query_2 [3] from inputs", "    attn_scores_2 [6] from inputs, query_2",
            "      attn_weights_2 [6] from attn_scores_2", "        context_vec_2 [3] from attn_weights_2, inputs",
            "  keys_transposed [3, 6] from inputs", "    attn_scores [6, 6] from inputs, keys_transposed",
            "      attn_weights [6, 6] from attn_scores", "        context_vecs [6, 3] from attn_weights, inputs"});
}

TEST_CASE("a map shows common steps of heads once, and others separately") {
  const std::vector<MapLine> map = render::step_map(planned(test::chapter_of("multihead", "book")));
  const auto shapes_of = [&](const std::string& name) {
    std::vector<std::string> shapes;
    for (const MapLine& line : map) {
      if (line.name == name) {
        shapes.push_back(line.shape);
      }
    }
    return shapes;
  };
  CHECK(shapes_of("queries") == std::vector<std::string>{"[2, 6, 2]"});
  CHECK(shapes_of("attn_scores") == std::vector<std::string>{"[2, 6, 6]", "[2, 2, 6, 6]"});
}

TEST_CASE("a map says where sections have other weights") {
  const auto line_of = [](const char* name, const char* article, const std::string& tensor) {
    for (const std::string& line : render::map_lines(render::step_map(planned(test::chapter_of(name, article))), 90)) {
      if (line.find(tensor + " [") < line.find_first_not_of(' ') + 1) {
        return line.substr(line.find_first_not_of(' '));
      }
    }
    return std::string();
  };
  CHECK(line_of("trainable", "blog", "keys") == "keys [6, 3] from inputs, in 2 sections with other weights");
  CHECK(line_of("trainable", "blog", "keys_transposed") == "keys_transposed [3, 6] from keys");
  CHECK(line_of("simplified", "blog", "inputs") == "inputs [6, 3]");
  CHECK(line_of("causal", "blog", "keys") == "keys [2, 6, 3] from batch");
}
