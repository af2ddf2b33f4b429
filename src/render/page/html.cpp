#include "render/page/html.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "lesson/printed.hpp"
#include "lesson/questions.hpp"
#include "picture/painter.hpp"
#include "render/json.hpp"
#include "render/page/live.hpp"
#include "render/page/nodes.hpp"
#include "render/page/packed.hpp"
#include "render/page/template.hpp"
#include "render/page/what_if.hpp"
#include "render/page/words.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"

namespace attn::render {

/// The files of src/render/page, embedded as strings by embed.cmake.
namespace page {
extern const std::string_view lesson_html;
extern const std::string_view lesson_css;
extern const std::string_view lesson_js;
extern const std::string_view live_css;
}  // namespace page

namespace {

using Json = nlohmann::ordered_json;

constexpr int ramp_colours = 33;

// ---- Colours ---------------------------------------------------------------------------------------

Json ramp_json(Rgb (*colour)(double)) {
  Json ramp = Json::array();
  for (int i = 0; i < ramp_colours; ++i) {
    ramp.push_back(hex(colour(static_cast<double>(i) / (ramp_colours - 1))));
  }
  return ramp;
}

// ---- Steps -----------------------------------------------------------------------------------------

/// The ids of steps for #step addresses: the variable's name, with its section if another step has the same name.
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

Blanks step_places(const Step& step, const ShownChapter& chapter, const TextOptions& text) {
  const StepExplanation said = explain(step, chapter.why, chapter.tokens);
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
  places["notices"] = [notices = said.notices](std::ostream& out) { write_notice_items(out, notices); };
  places["label"] = escaped(label_text(step));
  places["printed"] = [&step, &text](std::ostream& out) {
    write_value([&out](std::string_view piece) { write_escaped(out, piece); }, step, text);
  };
  return places;
}

std::string text_of(const Json& about, const char* name) {
  return about.contains(name) && about[name].is_string() ? about[name].get<std::string>() : "";
}

constexpr const char* introduction_id = "introduction";
constexpr const char* ending_id = "what-was-seen";

// ---- The page --------------------------------------------------------------------------------------

/// One chapter's part of a page.
struct Part {
  const ShownChapter& chapter;
  std::string name;  ///< the chapter's name; empty on a page with one chapter
  PageWhatIf::Place place;
  std::vector<std::string> ids;
  std::vector<std::optional<std::size_t>> step_nodes = {};
  std::vector<Json> asks = {};  ///< per step: the cells that exercises may ask for
  std::vector<PageWhatIf> what_ifs = {};
  std::optional<Frame> frame = {};
  std::size_t first_number = 1;  ///< the first step's number
};

/// Writes one page, making its pieces when they are needed.
class PageWriter {
 public:
  explicit PageWriter(const LessonPage& page) : page_(page), about_(page.chapters[0].about()), nodes_(page.text.print) {
    for (const ShownChapter& chapter : page.chapters) {
      add(chapter);
    }
    as_is_nodes_ = nodes_.size();
    for (Part& part : parts_) {
      for (const ShownWhatIf& what_if : part.chapter.what_ifs) {
        part.what_ifs.emplace_back(part.chapter, what_if, part.place, nodes_, page.text);
      }
    }
  }

  void write(std::ostream& out) {
    const Cut step = cut_out(std::string(page::lesson_html), "step");
    const Cut entry = cut_out(step.rest, "entry");
    write_filled(out, entry.rest,
                 {
                     {"title", escaped(page_.title)},
                     {"article", escaped(text_of(about_, "article"))},
                     {"options", escaped(" · " + page_.settings)},
                     {"version", escaped(text_of(about_, "version"))},
                     {"mode", verbatim(page_.slides ? " class=\"projector\"" : "")},
                     {"style", [&](std::ostream& to) { to << page::lesson_css << (is_live() ? page::live_css : ""); }},
                     {"script", verbatim(page::lesson_js)},
                     {"start", verbatim(is_live() ? "" : "lessonPage();\n")},
                     {"computing", verbatim(is_live() ? " 'wasm-unsafe-eval' blob:; worker-src blob:" : "")},
                     {"live",
                      [&](std::ostream& to) {
                        if (is_live()) {
                          write_live(to, page_.live);
                        }
                      }},
                     {"entry", [&](std::ostream& to) { write_entries(to, entry.inner); }},
                     {"step", [&](std::ostream& to) { write_steps(to, step.inner); }},
                     {"data", [&](std::ostream& to) { write_data(to); }},
                     {"glossary", [&](std::ostream& to) { write_glossary(to, page_.glossary); }},
                     {"what_ifs", [&](std::ostream& to) { write_what_ifs(to); }},
                 });
  }

 private:
  bool is_live() const { return !page_.live.empty(); }

  void add(const ShownChapter& chapter) {
    const bool is_one = page_.chapters.size() == 1;
    const std::size_t before = chapter.framing ? 1 : 0;  // an introduction and an ending
    const PageWhatIf::Place place = {nodes_.add_chapter(chapter.tokens), count_ + before};
    Part part = {chapter, is_one ? "" : chapter.name, place, step_ids(chapter.steps)};
    part.first_number = numbered_ + 1;
    if (chapter.framing) {
      part.frame = frame_of(chapter.framing(chapter.all_steps), chapter.all_steps, chapter.tokens);
    }
    Questions questions(page_.text, 0, 0);
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
      part.ids[i] = (is_one ? "" : chapter.name + "/") + part.ids[i];
      const Step& step = chapter.steps[i];
      const bool is_tensor = step.kind == Step::Kind::tensor;
      part.step_nodes.push_back(is_tensor ? nodes_.add(*step.tensor, part.place.chapter) : std::nullopt);
      if (part.step_nodes.back()) {
        nodes_.set_step(*part.step_nodes.back(), part.place.first_step + i, step.name);
      }
      part.asks.push_back(part.step_nodes.back() ? asks_json(step, questions, page_.text) : Json());
    }
    count_ += part.ids.size() + 2 * before;
    numbered_ += part.ids.size();
    parts_.push_back(std::move(part));
  }

  void write_entries(std::ostream& out, std::string_view pattern) const {
    for (const Part& part : parts_) {
      std::string section;
      const auto write_frame_entry = [&](const char* id, const char* heading, const std::string& chapter) {
        if (part.frame) {
          write_filled(out, pattern,
                       {{"chapter", escaped(chapter)},
                        {"section", escaped("")},
                        {"id", escaped(frame_id(part, id))},
                        {"heading", escaped(heading)}});
        }
      };
      write_frame_entry(introduction_id, introduction_heading, part.name);
      for (std::size_t i = 0; i < part.ids.size(); ++i) {
        const Step& step = part.chapter.steps[i];
        write_filled(out, pattern,
                     {{"chapter", escaped(i == 0 && !part.frame ? part.name : "")},
                      {"section", escaped(step.section == section ? "" : step.section)},
                      {"id", verbatim(part.ids[i])},
                      {"heading", escaped(heading_of(step))}});
        section = step.section;
      }
      write_frame_entry(ending_id, ending_heading, "");
    }
  }

  static std::string frame_id(const Part& part, const std::string& id) {
    return (part.name.empty() ? "" : part.name + "/") + id;
  }

  /// The address of each of the chapter's steps; empty if the page does not show it.
  static std::vector<std::string> all_ids(const Part& part) {
    std::vector<std::string> ids;
    for (const Step& step : part.chapter.all_steps) {
      const auto& shown = part.chapter.steps;
      const auto found = std::find_if(shown.begin(), shown.end(), [&](const Step& other) {
        return other.kind == step.kind && full_name(other) == full_name(step);
      });
      ids.push_back(found == shown.end() ? "" : part.ids[static_cast<std::size_t>(found - shown.begin())]);
    }
    return ids;
  }

  void write_steps(std::ostream& out, std::string_view pattern) const {
    for (const Part& part : parts_) {
      if (part.frame) {
        write_introduction(out, *part.frame, frame_id(part, introduction_id), all_ids(part));
      }
      for (std::size_t i = 0; i < part.ids.size(); ++i) {
        Blanks places = step_places(part.chapter.steps[i], part.chapter, page_.text);
        places["id"] = verbatim(part.ids[i]);
        places["chapter"] = escaped(part.name);
        places["number"] = escaped(std::to_string(part.first_number + i));
        places["count"] = escaped(std::to_string(numbered_));
        write_filled(out, pattern, places);
      }
      if (part.frame) {
        write_ending(out, *part.frame, frame_id(part, ending_id));
      }
    }
  }

  Json chapter_json(const Part& part) const {
    Json json = {{"about", part.chapter.about()}, {"tokens", part.chapter.tokens}};
    for (const PageWhatIf& what_if : part.what_ifs) {
      json["whatIfs"].push_back(what_if.head_json());
    }
    return json;
  }

  Json step_json(const Part& part, std::size_t i) const {
    Json json = {{"id", part.ids[i]}};
    if (part.chapter.steps[i].end != "\n") {
      json["end"] = part.chapter.steps[i].end;
    }
    if (part.step_nodes[i]) {
      json["node"] = *part.step_nodes[i];
    }
    if (!part.asks[i].is_null()) {
      json["ask"] = part.asks[i];
    }
    if (part.place.chapter > 0) {
      json["k"] = part.place.chapter;
    }
    return json;
  }

  static Json frame_json(const Part& part, const char* id) {
    Json json = {{"id", frame_id(part, id)}, {"frame", 1}};
    if (part.place.chapter > 0) {
      json["k"] = part.place.chapter;
    }
    return json;
  }

  Json steps_json() const {
    Json steps = Json::array();
    for (const Part& part : parts_) {
      if (part.frame) {
        steps.push_back(frame_json(part, introduction_id));
      }
      for (std::size_t i = 0; i < part.ids.size(); ++i) {
        steps.push_back(step_json(part, i));
      }
      if (part.frame) {
        steps.push_back(frame_json(part, ending_id));
      }
    }
    return steps;
  }

  /// Writes the numbers tensor by tensor, as there may be many.
  void write_data(std::ostream& out) {
    JsonWriter json(out, JsonWriter::Layout::script);
    json.begin_object();
    json.members({{"ramps",
                   {{"sequential", ramp_json(sequential_colour)},
                    {"light", ramp_json(diverging_colour)},
                    {"dark", ramp_json(dark_diverging_colour)}}}});
    json.member("chapters");
    json.begin_array();
    for (const Part& part : parts_) {
      json.value(chapter_json(part));
    }
    json.end();
    json.member("steps");
    json.value(steps_json());
    json.member("nodes");
    json.begin_array();
    for (std::size_t i = 0; i < as_is_nodes_; ++i) {
      json.value(nodes_.node_json(i));
    }
    json.end();
    json.member("tellings");
    json.value(nodes_.tellings().from(0));
    json.end();
  }

  /// Writes the tensors that only changes have, their descriptions and, by its id, the effect of each change on each
  /// step.
  void write_what_ifs(std::ostream& out) {
    Json json = {{"nodes", Json::array()}, {"steps", Json::object()}};
    const std::size_t as_is_tellings = nodes_.tellings().size();
    for (std::size_t i = as_is_nodes_; i < nodes_.size(); ++i) {
      json["nodes"].push_back(nodes_.node_json(i));
    }
    json["tellings"] = nodes_.tellings().from(as_is_tellings);
    for (const Part& part : parts_) {
      for (std::size_t i = 0; i < part.ids.size(); ++i) {
        for (const PageWhatIf& what_if : part.what_ifs) {
          json["steps"][part.ids[i]].push_back(what_if.entry_json(i));
        }
      }
    }
    out << (json["steps"].empty() ? "" : packed(json_text(json, -1)));
  }

  const LessonPage& page_;
  Json about_;  ///< the first chapter's; tool, version and article are the same in all
  std::vector<Part> parts_;
  std::size_t count_ = 0;     ///< steps, introductions and endings
  std::size_t numbered_ = 0;  ///< steps only
  PageNodes nodes_;
  std::size_t as_is_nodes_ = 0;  ///< nodes of the unchanged steps, before those of changes
};

}  // namespace

void write_html(std::ostream& out, const LessonPage& lesson) { PageWriter(lesson).write(out); }

namespace {

void write_element(std::ostream& out, const char* element, const std::string& text) {
  out << '<' << element << '>';
  write_escaped(out, text);
  out << "</" << element << ">\n";
}

void write_list(std::ostream& out, const char* name, std::span<const std::string> items) {
  if (items.empty()) {
    return;
  }
  out << "<ul class=\"" << name << "\">\n";
  for (const std::string& item : items) {
    write_element(out, "li", item);
  }
  out << "</ul>\n";
}

void begin_article(std::ostream& out, const char* kind, const std::string& id, const std::string& heading) {
  out << "<article class=\"step " << kind << "\" id=\"" << id << "\" aria-labelledby=\"" << id
      << "--heading\" tabindex=\"-1\">\n<header><h2 id=\"" << id << "--heading\">";
  write_escaped(out, heading);
  out << "</h2></header>\n";
}

/// Links each tensor to its step if the page shows it.
void write_map(std::ostream& out, std::span<const MapLine> map, std::span<const std::string> ids) {
  out << "<ul class=\"step-map\" aria-label=\"Map of the steps\">\n";
  for (const MapLine& line : map) {
    const std::string& id = ids[line.step];
    out << "<li style=\"--depth: " << line.depth << "\">" << (id.empty() ? "" : "<a href=\"#" + id + "\">");
    write_escaped(out, line.name + " " + line.shape);
    out << (id.empty() ? "" : "</a>");
    write_escaped(out, origin_words(line));
    out << "</li>\n";
  }
  out << "</ul>\n";
}

}  // namespace

void write_introduction(std::ostream& out, const Frame& frame, const std::string& id,
                        std::span<const std::string> ids) {
  begin_article(out, "introduction", id, frame.question);
  write_element(out, "p", frame.idea);
  write_element(out, "p", std::string(goals_heading) + ":");
  write_list(out, "goals", frame.goals);
  if (!frame.formula.text.empty()) {
    out << "<p class=\"formula\"><code>";
    write_escaped(out, frame.formula.text);
    out << "</code></p>\n";
  }
  write_list(out, "terms", frame.formula.terms);
  if (!frame.map.empty()) {
    write_map(out, frame.map, ids);
  }
  out << "</article>\n";
}

void write_ending(std::ostream& out, const Frame& frame, const std::string& id) {
  begin_article(out, "ending", id, ending_heading);
  write_list(out, "seen", frame.seen);
  if (!frame.next.empty()) {
    out << "<p>Next steps:</p>\n<pre tabindex=\"0\">";
    for (const std::string& command : frame.next) {
      write_escaped(out, command + "\n");
    }
    out << "</pre>\n";
  }
  out << "</article>\n";
}

}  // namespace attn::render
