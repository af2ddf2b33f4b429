#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "chapter.hpp"
#include "cli/options.hpp"
#include "meanings.hpp"
#include "render/json.hpp"
#include "text/lines.hpp"
#include "torch/torch.hpp"
#include "walk/names.hpp"

namespace attn::cli {
namespace {

std::string generator_note(const chapters::Article& article) {
  return std::string(article.name) + "'s random numbers come from " + std::string(article.generator) +
         "'s generator; its chapters here use PyTorch's.";
}

/// The names of the option groups that a chapter takes, among those that not all chapters take.
std::vector<std::string> taken(const chapters::Takes& takes) {
  std::vector<std::string> names;
  for (const auto& [is_taken, name] : {std::pair{takes.query, "query"},
                                       {takes.projections, "projections"},
                                       {takes.projections && !takes.only_drawn, "attend_to"},
                                       {takes.batch, "batch"},
                                       {takes.dropout, "dropout"},
                                       {takes.heads, "heads"},
                                       {takes.second_inputs, "second_inputs"}}) {
    if (is_taken) {
      names.emplace_back(name);
    }
  }
  for (const chapters::OwnSize& size : takes.sizes) {
    names.emplace_back(size.name);
  }
  return names;
}

std::vector<std::string> what_if_names(const chapters::Chapter& chapter) {
  std::vector<std::string> names;
  for (const WhatIf* what_if : chapters::what_ifs(chapter)) {
    names.emplace_back(what_if->name);
  }
  return names;
}

std::string list_text() {
  std::vector<std::array<std::string, 5>> rows = {{"chapter", "article", "seed", "sizes", "special"}};
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    rows.push_back({std::string(chapter.name), std::string(chapter.article->name), default_seed.text(),
                    std::string(chapter.sizes), std::string(chapter.special)});
  }
  std::array<std::size_t, 4> widths{};
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < widths.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < widths.size(); ++column) {
      text += row[column] + std::string(widths[column] - row[column].size() + 2, ' ');
    }
    text += row[4] + "\n";
  }
  for (const chapters::Article& article : chapters::all_articles()) {
    text += article.generator.empty() ? "" : "\n" + generator_note(article) + "\n";
  }
  return text;
}

std::string list_json() {
  nlohmann::ordered_json json;
  for (const chapters::Article& article : chapters::all_articles()) {
    json["articles"].push_back({
        {"name", article.name},
        {"title", article.title},
        {"cpu", name_of(cpu_names(), article.cpu)},
        {"note", article.generator.empty() ? "" : generator_note(article)},
    });
  }
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    json["chapters"].push_back({
        {"chapter", chapter.name},
        {"article", chapter.article->name},
        {"seed", render::seed_json(default_seed)},
        {"summary", chapters::chapter_summary(chapter.name)},
        {"sizes", chapter.sizes},
        {"special", chapter.special},
        {"init", name_of(init_names(), chapter.init)},
        {"takes", taken(chapter.takes)},
        {"what_ifs", what_if_names(chapter)},
    });
  }
  return render::json_text(json, 2) + "\n";
}

/// A name that --only, --cell or --what-if takes.
struct Named {
  std::string name;
  std::string text;
  std::vector<std::string> chapters;
};

/// Adds a name, or a chapter to an existing name, which keeps its first text.
void add(std::vector<Named>& all, const std::string& name, const std::string& text, const std::string& chapter) {
  auto found = std::ranges::find(all, name, &Named::name);
  if (found == all.end()) {
    found = all.insert(all.end(), {name, text, {}});
  }
  found->text = found->text.empty() ? text : found->text;
  if (std::ranges::find(found->chapters, chapter) == found->chapters.end()) {
    found->chapters.push_back(chapter);
  }
}

std::vector<Named> steps() {
  std::vector<Named> all;
  const Lesson lesson;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::plan);
    const Walkthrough walk = chapters::walk(chapter, lesson, torch);
    for (const Step& step : walk.steps()) {
      if (step.kind == Step::Kind::tensor) {
        add(all, step.name, chapters::meaning(chapter, step), std::string(chapter.name));
      }
    }
  }
  return all;
}

std::vector<Named> rules() {
  std::vector<Named> all;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    for (const WhatIf* rule : chapters::what_ifs(chapter)) {
      add(all, std::string(rule->name), sentence_of(*rule), std::string(chapter.name));
    }
  }
  return all;
}

std::string names_text(const std::vector<Named>& all) {
  constexpr std::int64_t width = 79;
  constexpr std::string_view indent = "    ";
  std::string text;
  for (const Named& one : all) {
    text += one.name + "  (" + text::joined(one.chapters) + ")\n";
    if (!one.text.empty()) {
      text += text::joined(text::wrapped(one.text, width, indent, indent), "\n") + "\n";
    }
  }
  return text;
}

std::string names_json(const std::string& what, const std::vector<Named>& all) {
  nlohmann::ordered_json json;
  for (const Named& one : all) {
    json[what].push_back({{"name", one.name}, {"text", one.text}, {"chapters", one.chapters}});
  }
  return render::json_text(json, 2) + "\n";
}

}  // namespace

std::string list(const std::string& what, bool json) {
  if (what.empty()) {
    return json ? list_json() : list_text();
  }
  const std::vector<Named> all = what == "steps" ? steps() : rules();
  return json ? names_json(what, all) : names_text(all);
}

}  // namespace attn::cli
