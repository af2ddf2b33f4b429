#include "render/html.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "render/json.hpp"
#include "render/page_nodes.hpp"
#include "render/printed.hpp"
#include "render/ramp.hpp"
#include "text/ascii.hpp"
#include "text/lines.hpp"

namespace attn::render {

/// src/render/page, made strings by embed.cmake.
namespace page {
extern const std::string_view lesson_html;
extern const std::string_view lesson_css;
extern const std::string_view lesson_js;
}  // namespace page

namespace {

using Json = nlohmann::ordered_json;

constexpr int ramp_colours = 33;

// ---- Text ------------------------------------------------------------------------------------------

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

using Values = std::map<std::string_view, std::string>;

/// The template with {{name}} replaced; the values are not looked at again.
std::string filled(std::string_view pattern, const Values& values) {
  std::string text;
  while (true) {
    const std::size_t open = pattern.find("{{");
    const std::size_t close = pattern.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      return text.append(pattern);
    }
    text += pattern.substr(0, open);
    text += values.at(pattern.substr(open + 2, close - open - 2));
    pattern.remove_prefix(close + 2);
  }
}

/// What is between <!--name--> and <!--/name-->, and the pattern with {{name}} in its place.
std::pair<std::string, std::string> cut_out(const std::string& pattern, const std::string& name) {
  const std::string begin = "<!--" + name + "-->";
  const std::string end = "<!--/" + name + "-->";
  const std::size_t from = pattern.find(begin);
  const std::size_t to = pattern.find(end, from);
  const std::size_t inner = from + begin.size();
  return {pattern.substr(inner, to - inner),
          pattern.substr(0, from) + "{{" + name + "}}" + pattern.substr(to + end.size())};
}

// ---- Colours ---------------------------------------------------------------------------------------

std::string hex(Rgb colour) {
  constexpr std::string_view figures = "0123456789abcdef";
  std::string text = "#";
  for (const int channel : {colour.red, colour.green, colour.blue}) {
    text += figures[static_cast<std::size_t>(channel / 16)];
    text += figures[static_cast<std::size_t>(channel % 16)];
  }
  return text;
}

/// As diverging_colour, for a dark page: blue over near black to brown, getting lighter evenly.
Rgb dark_diverging_colour(double t) {
  const double share = 2 * t - 1;
  const OkLab end = to_oklab(diverging_colour(share < 0 ? 0 : 1));
  const double strength = std::max(share, -share);
  return from_oklab({std::lerp(0.27, 0.78, strength), end.a * strength, end.b * strength});
}

Json ramp_json(Rgb (*colour)(double)) {
  Json ramp = Json::array();
  for (int i = 0; i < ramp_colours; ++i) {
    ramp.push_back(hex(colour(static_cast<double>(i) / (ramp_colours - 1))));
  }
  return ramp;
}

// ---- Steps -----------------------------------------------------------------------------------------

/// For #step addresses: the variable's name, with its section where another step has the same name.
std::vector<std::string> step_ids(std::span<const Step> steps) {
  const auto plain = [](std::string_view text) {
    std::string id;
    for (const char c : text) {
      const bool is_fit = text::is_letter(c) || text::is_digit(c) || c == '_';
      id += is_fit ? c : '-';
    }
    return id.empty() ? "step" : id;
  };
  std::vector<std::string> ids(steps.size());
  std::set<std::string> taken;
  const auto name_all = [&](bool tensors) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if ((steps[i].kind == Step::Kind::tensor) != tensors) {
        continue;
      }
      std::string id = plain(steps[i].name);
      if (taken.contains(id) && !steps[i].section.empty()) {
        id = plain(steps[i].section) + "." + id;
      }
      const std::string first = id;
      for (int n = 2; !taken.insert(id).second; ++n) {
        id = first + "-" + std::to_string(n);
      }
      ids[i] = id;
    }
  };
  name_all(true);
  name_all(false);
  return ids;
}

std::string heading_of(const Step& step) {
  std::string heading(text::trimmed(step.label));
  while (heading.ends_with(':')) {
    heading.pop_back();
  }
  return heading.empty() ? step.name : heading;
}

Values step_values(const Step& step, const LessonPage& page) {
  const StepExplanation said = explain(step, page.why ? page.why(step) : "", page.tokens);
  Values values;
  values["heading"] = escaped(heading_of(step));
  values["section"] = escaped(step.section);
  values["extra"] = step.in_article ? "" : "not printed by the article";
  const bool has_expression = step.kind == Step::Kind::tensor;
  values["expression"] = has_expression ? escaped(step.name + " = " + said.expression) : "";
  values["shapes"] = escaped(said.shapes);
  values["why"] = escaped(said.why);
  values["notices"] = "";
  for (const std::string& notice : said.notices) {
    values["notices"] += "<li>" + escaped(notice) + "</li>";
  }
  values["label"] = escaped(step.label + (step.label.empty() ? "" : " "));
  values["printed"] = escaped(printed_value(step, page.text).text);
  return values;
}

/// What the command's options were, as far as any were given: "seed 123, steps all".
std::string options_text(const Json& about) {
  std::string text;
  if (!about.contains("options")) {
    return text;
  }
  for (const char* name : {"seed", "tokens", "d_in", "batch", "query", "d_out_kq", "d_out_v", "num_heads", "dropout"}) {
    const auto found = about["options"].find(name);
    if (found != about["options"].end() && !found->is_null()) {
      text += (text.empty() ? "" : ", ") + std::string(name) + " " +
              (found->is_string() ? found->get<std::string>() : found->dump());
    }
  }
  return text;
}

std::string text_of(const Json& about, const char* name) {
  return about.contains(name) && about[name].is_string() ? about[name].get<std::string>() : "";
}

/// Nothing in it can end the script element that it stands in.
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json_text(json, -1)) {
    text += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return text;
}

}  // namespace

void write_html(std::ostream& out, const LessonPage& lesson) {
  const auto [step_pattern, without_steps] = cut_out(std::string(page::lesson_html), "step");
  const auto [entry_pattern, pattern] = cut_out(without_steps, "entry");
  const std::vector<std::string> ids = step_ids(lesson.steps);

  PageNodes nodes(lesson.tokens, lesson.text.print);
  Json steps = Json::array();
  std::string articles;
  std::string entries;
  std::string section;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const Step& step = lesson.steps[i];
    Json json = {{"id", ids[i]}};
    if (step.end != "\n") {
      json["end"] = step.end;
    }
    if (step.kind == Step::Kind::tensor) {
      if (const auto node = nodes.add(*step.tensor)) {
        json["node"] = *node;
        nodes.set_step(*node, i);
      }
    }
    steps.push_back(std::move(json));

    Values values = step_values(step, lesson);
    values["id"] = ids[i];
    values["number"] = std::to_string(i + 1);
    values["count"] = std::to_string(lesson.steps.size());
    articles += filled(step_pattern, values);
    values["section"] = step.section == section ? "" : escaped(step.section);
    section = step.section;
    entries += filled(entry_pattern, values);
  }

  const Json data = {
      {"about", lesson.about},
      {"tokens", std::vector<std::string>(lesson.tokens.begin(), lesson.tokens.end())},
      {"ramps",
       {{"sequential", ramp_json(sequential_colour)},
        {"light", ramp_json(diverging_colour)},
        {"dark", ramp_json(dark_diverging_colour)}}},
      {"steps", std::move(steps)},
      {"nodes", std::move(nodes).json()},
  };
  const std::string version = text_of(lesson.about, "version");
  out << filled(pattern, {
                             {"title", escaped(lesson.title)},
                             {"article", escaped(text_of(lesson.about, "article"))},
                             {"options", escaped(options_text(lesson.about))},
                             {"version", escaped(version)},
                             {"style", std::string(page::lesson_css)},
                             {"script", std::string(page::lesson_js)},
                             {"entry", entries},
                             {"step", articles},
                             {"data", script_json(data)},
                         });
}

}  // namespace attn::render
