#include "render/html.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "render/json.hpp"
#include "render/page_nodes.hpp"
#include "render/page_template.hpp"
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

void write_notices(std::ostream& out, const std::vector<std::string>& notices) {
  for (const std::string& notice : notices) {
    out << "<li>";
    write_escaped(out, notice);
    out << "</li>";
  }
}

void write_cell(std::ostream& out, const char* element, const char* scope, const std::string& text) {
  out << '<' << element << scope << '>';
  write_escaped(out, text);
  out << "</" << element << '>';
}

/// The first row names the columns, the first column the rows.
void write_table(std::ostream& out, const std::vector<std::vector<std::string>>& table) {
  out << "<table class=\"reason\">";
  for (std::size_t row = 0; row < table.size(); ++row) {
    out << "<tr>";
    for (std::size_t column = 0; column < table[row].size(); ++column) {
      const bool is_head = row == 0 || column == 0;
      const bool is_corner = is_head && table[row][column].empty();
      write_cell(out, is_head && !is_corner ? "th" : "td", is_corner ? "" : row == 0 ? " scope=\"col\"" : column == 0 ? " scope=\"row\"" : "",
                 table[row][column]);
    }
    out << "</tr>";
  }
  out << "</table>";
}

void write_reasons(std::ostream& out, const std::vector<Reason>& reasons) {
  for (const Reason& reason : reasons) {
    out << "<p>";
    write_escaped(out, reason.text);
    out << "</p>";
    if (!reason.table.empty()) {
      write_table(out, reason.table);
    }
  }
}

/// Of steps that the page does not show: what a step is made through.
void write_through(std::ostream& out, const std::vector<StepExplanation>& before) {
  for (const StepExplanation& step : before) {
    out << "<p class=\"expression\"><code>";
    write_escaped(out, step.name + " = " + step.expression);
    out << "</code></p><p>";
    write_escaped(out, step.why);
    out << "</p>";
    write_reasons(out, step.reasons);
    out << "<ul class=\"notices\">";
    write_notices(out, step.notices);
    out << "</ul>";
  }
}

Blanks step_places(const Step& step, const LessonPage& page) {
  const StepExplanation said = explain(step, page.why, page.tokens);
  Blanks places;
  places["heading"] = escaped(heading_of(step));
  places["section"] = escaped(step.section);
  places["extra"] = escaped(step.in_article ? "" : "not printed by the article");
  const bool has_expression = step.kind == Step::Kind::tensor;
  places["expression"] = escaped(has_expression ? step.name + " = " + said.expression : "");
  places["shapes"] = escaped(said.shapes);
  places["why"] = escaped(said.why);
  places["reasons"] = [reasons = said.reasons](std::ostream& out) { write_reasons(out, reasons); };
  places["through"] = [before = said.through](std::ostream& out) { write_through(out, before); };
  places["notices"] = [notices = said.notices](std::ostream& out) { write_notices(out, notices); };
  places["label"] = escaped(step.label + (step.label.empty() ? "" : " "));
  places["printed"] = [&step, &page](std::ostream& out) { write_escaped(out, value_text(step, page.text)); };
  return places;
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

// ---- The page --------------------------------------------------------------------------------------

/// One page: its pieces are made when their turn comes.
class PageWriter {
 public:
  explicit PageWriter(const LessonPage& lesson)
      : lesson_(lesson), ids_(step_ids(lesson.steps)), nodes_(lesson.tokens, lesson.text.print) {
    for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
      const Step& step = lesson.steps[i];
      const bool is_tensor = step.kind == Step::Kind::tensor;
      step_nodes_.push_back(is_tensor ? nodes_.add(*step.tensor) : std::nullopt);
      if (step_nodes_.back()) {
        nodes_.set_step(*step_nodes_.back(), i);
      }
    }
  }

  void write(std::ostream& out) const {
    const Cut step = cut_out(std::string(page::lesson_html), "step");
    const Cut entry = cut_out(step.rest, "entry");
    const nlohmann::ordered_json& about = lesson_.about;
    write_filled(out, entry.rest,
                 {
                     {"title", escaped(lesson_.title)},
                     {"article", escaped(text_of(about, "article"))},
                     {"options", escaped(options_text(about))},
                     {"version", escaped(text_of(about, "version"))},
                     {"style", verbatim(page::lesson_css)},
                     {"script", verbatim(page::lesson_js)},
                     {"entry", [&](std::ostream& to) { write_entries(to, entry.inner); }},
                     {"step", [&](std::ostream& to) { write_steps(to, step.inner); }},
                     {"data", [&](std::ostream& to) { write_data(to); }},
                 });
  }

 private:
  void write_entries(std::ostream& out, std::string_view pattern) const {
    std::string section;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const Step& step = lesson_.steps[i];
      write_filled(out, pattern,
                   {{"section", escaped(step.section == section ? "" : step.section)},
                    {"id", verbatim(ids_[i])},
                    {"heading", escaped(heading_of(step))}});
      section = step.section;
    }
  }

  void write_steps(std::ostream& out, std::string_view pattern) const {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      Blanks places = step_places(lesson_.steps[i], lesson_);
      places["id"] = verbatim(ids_[i]);
      places["number"] = escaped(std::to_string(i + 1));
      places["count"] = escaped(std::to_string(ids_.size()));
      write_filled(out, pattern, places);
    }
  }

  Json step_json(std::size_t i) const {
    Json json = {{"id", ids_[i]}};
    if (lesson_.steps[i].end != "\n") {
      json["end"] = lesson_.steps[i].end;
    }
    if (step_nodes_[i]) {
      json["node"] = *step_nodes_[i];
    }
    return json;
  }

  void write_data(std::ostream& out) const {
    const Json head = {
        {"about", lesson_.about},
        {"tokens", std::vector<std::string>(lesson_.tokens.begin(), lesson_.tokens.end())},
        {"ramps",
         {{"sequential", ramp_json(sequential_colour)},
          {"light", ramp_json(diverging_colour)},
          {"dark", ramp_json(dark_diverging_colour)}}},
    };
    std::string open = script_json(head);
    open.pop_back();
    out << open << ",\"steps\":";
    write_array(out, ids_.size(), [&](std::size_t i) { return step_json(i); });
    out << ",\"nodes\":";
    write_array(out, nodes_.size(), [&](std::size_t i) { return nodes_.node_json(i); });
    out << '}';
  }

  template <class Item>
  static void write_array(std::ostream& out, std::size_t size, Item item) {
    out << '[';
    for (std::size_t i = 0; i < size; ++i) {
      out << (i == 0 ? "" : ",") << script_json(item(i));
    }
    out << ']';
  }

  const LessonPage& lesson_;
  std::vector<std::string> ids_;
  PageNodes nodes_;
  std::vector<std::optional<std::size_t>> step_nodes_;
};

}  // namespace

void write_html(std::ostream& out, const LessonPage& lesson) { PageWriter(lesson).write(out); }

}  // namespace attn::render
