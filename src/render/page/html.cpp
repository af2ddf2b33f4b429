#include <algorithm>
#include <ostream>
#include <set>

#include "lesson/printed.hpp"
#include "lesson/questions.hpp"
#include "picture/painter.hpp"
#include "render/json.hpp"
#include "render/page/nodes.hpp"
#include "render/writers.hpp"
#include "text/utf8.hpp"

namespace attn::render {

/// The files of src/render/page, embedded as strings by embed.cmake; and the program for browsers, by
/// embed_program.cmake.
namespace page {
extern const std::string_view lesson_html;
extern const std::string_view lesson_css;
extern const std::string_view lesson_js;
extern const std::string_view live_css;
extern const std::string_view live_html;
extern const std::string_view live_js;
extern const std::string_view live_program;
extern const std::string_view live_glue;
}  // namespace page

namespace {

using Json = nlohmann::ordered_json;

constexpr int ramp_colours = 33;

/// The ramp's colours, each with the colour of text on it.
Json ramp_json(Rgb (*ramp_colour)(double)) {
  Json ramp = Json::array();
  for (int i = 0; i < ramp_colours; ++i) {
    const Rgb colour = ramp_colour(static_cast<double>(i) / (ramp_colours - 1));
    ramp.push_back({hex(colour), hex(text_colour(colour))});
  }
  return ramp;
}

// ---- Introductions and endings ---------------------------------------------------------------------

constexpr const char* introduction_id = "introduction";
constexpr const char* introduction_heading = "Introduction";
constexpr const char* ending_id = "what-was-seen";
constexpr const char* ending_heading = "Summary";

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

/// The element before a chapter's first step. Its map links to the `ids` of all the chapter's steps; the id of a step
/// that the page does not show is empty.
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

/// The element after a chapter's last step.
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

// ---- The page --------------------------------------------------------------------------------------

/// An article element of the page: a step of a chapter, or the chapter's introduction or ending.
struct Article {
  std::size_t chapter;
  std::string id;
  std::string heading;
  const Step* step = nullptr;  ///< null for an introduction or an ending
  std::optional<std::size_t> node = {};
  Json asks = {};                  ///< the cells that exercises may ask for
  std::vector<Json> changes = {};  ///< the effect of each rule
};

/// Writes one page, making its pieces when they are needed.
class PageWriter {
 public:
  explicit PageWriter(const Document& document)
      : document_(document), about_(document.chapters[0].about()), nodes_(document.text.print) {
    for (const ShownChapter& chapter : document.chapters) {
      add(chapter);
    }
    as_is_nodes_ = nodes_.size();
    for (std::size_t number = 0; number < document.chapters.size(); ++number) {
      const ShownChapter& chapter = document.chapters[number];
      for (const ShownWhatIf& what_if : chapter.what_ifs) {
        std::size_t at = first_steps_[number];
        for (Json& change : changes_json(chapter, what_if, number, at, nodes_, document.text)) {
          articles_[at++].changes.push_back(std::move(change));
        }
      }
    }
  }

  void write(std::ostream& out) {
    const Cut step = cut_out(std::string(page::lesson_html), "step");
    const Cut entry = cut_out(step.rest, "entry");
    const ShownChapter& first = document_.chapters[0];
    const bool is_live = !document_.live.empty();
    write_filled(out, entry.rest,
                 {
                     {"title", escaped(is_one() ? first.title : first.article)},
                     {"article", escaped(text_of(about_, "article"))},
                     {"options", escaped(" · " + document_.settings)},
                     {"version", escaped(text_of(about_, "version"))},
                     {"mode", verbatim(document_.slides ? " class=\"projector\"" : "")},
                     {"style", [&](std::ostream& to) { to << page::lesson_css << (is_live ? page::live_css : ""); }},
                     {"script", verbatim(page::lesson_js)},
                     {"start", verbatim(is_live ? "" : "lessonPage();\n")},
                     {"computing", verbatim(is_live ? " 'wasm-unsafe-eval' blob:; worker-src blob:" : "")},
                     {"live",
                      [&](std::ostream& to) {
                        if (is_live) {
                          write_live(to);
                        }
                      }},
                     {"entry", [&](std::ostream& to) { write_entries(to, entry.inner); }},
                     {"step", [&](std::ostream& to) { write_articles(to, step.inner); }},
                     {"data", [&](std::ostream& to) { write_data(to); }},
                     {"glossary", [&](std::ostream& to) { write_glossary(to, document_.glossary); }},
                     {"what_ifs", [&](std::ostream& to) { write_what_ifs(to); }},
                 });
  }

 private:
  bool is_one() const { return document_.chapters.size() == 1; }
  const ShownChapter& chapter_of(const Article& article) const { return document_.chapters[article.chapter]; }
  /// The chapter's name, which a page of one chapter does not show.
  std::string name_of(const Article& article) const { return is_one() ? "" : chapter_of(article).name; }

  void add(const ShownChapter& chapter) {
    const std::size_t number = nodes_.add_chapter(chapter.tokens);
    const std::string prefix = is_one() ? "" : chapter.name + "/";
    if (chapter.framing) {
      articles_.push_back({number, prefix + introduction_id, introduction_heading});
    }
    const std::vector<std::string> ids = step_ids(chapter.steps);
    first_steps_.push_back(articles_.size());
    Questions questions(document_.text, 0, 0);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Step& step = chapter.steps[i];
      Article article = {number, prefix + ids[i], heading_of(step), &step};
      if (step.kind == Step::Kind::tensor) {
        article.node = nodes_.add(*step.tensor, number);
      }
      if (article.node) {
        nodes_.set_step(*article.node, articles_.size(), step.name);
        article.asks = asks_json(step, questions, document_.text);
      }
      articles_.push_back(std::move(article));
    }
    if (chapter.framing) {
      articles_.push_back({number, prefix + ending_id, ending_heading});
    }
  }

  /// Writes the contents: names of chapters and sections stand before their first entry.
  void write_entries(std::ostream& out, std::string_view pattern) const {
    const Article* before = nullptr;
    std::string section;
    for (const Article& article : articles_) {
      const bool is_first = before == nullptr || before->chapter != article.chapter;
      const std::string last = is_first ? "" : section;
      section = article.step != nullptr ? article.step->section : "";
      write_filled(out, pattern,
                   {{"chapter", escaped(is_first ? name_of(article) : "")},
                    {"section", escaped(section == last ? "" : section)},
                    {"id", verbatim(article.id)},
                    {"heading", escaped(article.heading)}});
      before = &article;
    }
  }

  /// The address of each of the chapter's steps; empty if the page does not show it.
  std::vector<std::string> all_ids(std::size_t chapter) const {
    std::vector<std::string> ids;
    for (const Step& step : document_.chapters[chapter].all_steps) {
      const auto found = std::ranges::find_if(articles_, [&](const Article& one) {
        return one.chapter == chapter && one.step != nullptr && one.step->kind == step.kind &&
               full_name(*one.step) == full_name(step);
      });
      ids.push_back(found == articles_.end() ? "" : found->id);
    }
    return ids;
  }

  void write_articles(std::ostream& out, std::string_view pattern) const {
    const auto count = std::ranges::count_if(articles_, [](const Article& one) { return one.step != nullptr; });
    int number = 0;
    std::optional<Frame> frame;
    for (const Article& article : articles_) {
      const ShownChapter& chapter = chapter_of(article);
      if (article.step != nullptr) {
        Blanks places = step_places(*article.step, chapter, document_.text);
        places["id"] = verbatim(article.id);
        places["heading"] = escaped(article.heading);
        places["chapter"] = escaped(name_of(article));
        places["number"] = escaped(std::to_string(++number));
        places["count"] = escaped(std::to_string(count));
        write_filled(out, pattern, places);
      } else if (article.heading == introduction_heading) {
        frame = frame_of(chapter.framing(chapter.all_steps), chapter.all_steps, chapter.tokens);
        write_introduction(out, *frame, article.id, all_ids(article.chapter));
      } else {
        write_ending(out, *frame, article.id);
      }
    }
  }

  static Json article_json(const Article& article) {
    Json json = {{"id", article.id}};
    if (article.step == nullptr) {
      json["frame"] = 1;
    } else if (article.step->end != "\n") {
      json["end"] = article.step->end;
    }
    if (article.node) {
      json["node"] = *article.node;
    }
    if (!article.asks.is_null()) {
      json["ask"] = article.asks;
    }
    if (article.chapter > 0) {
      json["k"] = article.chapter;
    }
    return json;
  }

  /// Writes the numbers tensor by tensor, as there may be many.
  void write_data(std::ostream& out) {
    const Json ramps = {{"sequential", ramp_json(sequential_colour)},
                        {"light", ramp_json(diverging_colour)},
                        {"dark", ramp_json(dark_diverging_colour)}};
    Json chapters = Json::array();
    for (const ShownChapter& chapter : document_.chapters) {
      chapters.push_back({{"about", chapter.about()}, {"tokens", chapter.tokens}});
      for (const ShownWhatIf& what_if : chapter.what_ifs) {
        chapters.back()["whatIfs"].push_back({{"name", what_if.name}, {"did", what_if.did}});
      }
    }
    Json steps = Json::array();
    std::ranges::transform(articles_, std::back_inserter(steps), article_json);
    out << "{\"ramps\":" << script_json(ramps) << ",\"chapters\":" << script_json(chapters)
        << ",\"steps\":" << script_json(steps) << ",\"nodes\":[";
    for (std::size_t i = 0; i < as_is_nodes_; ++i) {
      out << (i == 0 ? "" : ",") << script_json(nodes_.node_json(i));
    }
    out << "],\"tellings\":" << script_json(nodes_.tellings_from(0)) << '}';
  }

  /// Writes the tensors that only changes have, their descriptions and, by its id, the effect of each change on each
  /// step.
  void write_what_ifs(std::ostream& out) {
    Json json = {{"nodes", Json::array()}, {"steps", Json::object()}};
    const std::size_t as_is_tellings = nodes_.tellings_from(0).size();
    for (std::size_t i = as_is_nodes_; i < nodes_.size(); ++i) {
      json["nodes"].push_back(nodes_.node_json(i));
    }
    json["tellings"] = nodes_.tellings_from(as_is_tellings);
    for (const Article& article : articles_) {
      if (!article.changes.empty()) {
        json["steps"][article.id] = article.changes;
      }
    }
    out << (json["steps"].empty() ? "" : packed(json_text(json, -1)));
  }

  /// Writes what makes the page compute lessons: the form, the program for browsers, and the script.
  void write_live(std::ostream& out) const {
    write_filled(out, page::live_html,
                 {{"settings", verbatim(document_.live)},
                  {"program", verbatim(page::live_program)},
                  {"glue", verbatim(page::live_glue)},
                  {"script", verbatim(page::live_js)}});
  }

  const Document& document_;
  Json about_;  ///< the first chapter's; tool, version and article are the same in all
  std::vector<Article> articles_;
  std::vector<std::size_t> first_steps_;  ///< for each chapter, the place of its first step among the articles
  PageNodes nodes_;
  std::size_t as_is_nodes_ = 0;  ///< nodes of the unchanged steps, before those of changes
};

}  // namespace

bool has_live_program() { return !page::live_program.empty(); }

void write_html(std::ostream& out, const Document& document) { PageWriter(document).write(out); }

}  // namespace attn::render
