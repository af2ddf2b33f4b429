
#include <nlohmann/json.hpp>

#include "chapters/chapter.hpp"
#include "cli/option.hpp"
#include "render/json.hpp"
#include "text/lines.hpp"
#include "torch/torch.hpp"
#include "walk/names.hpp"

namespace attn::cli {
namespace {

std::string generator_note(const chapters::Article& article) {
  return article.generator.empty()
             ? ""
             : std::string(article.name) + "'s random numbers come from " + std::string(article.generator) +
                   "'s generator; its chapters here use PyTorch's.";
}

/// The text in lines of at most 79 columns, each indented.
std::string wrapped_text(std::string_view text, const std::string& indent) {
  return text.empty() ? "" : text::joined(text::wrapped(text, 79, indent, indent), "\n") + "\n";
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
  std::ranges::move(names_in(takes.sizes, &chapters::OwnSize::name), std::back_inserter(names));
  return names;
}

std::string chapters_text() {
  constexpr std::size_t column = 15;
  const auto padded = [](std::string_view word) {
    return std::string(word) + std::string(column - std::min(column - 1, word.size()), ' ');
  };
  std::string text = padded("chapter") + padded("article") + "sizes\n";
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    text += padded(chapter.name) + padded(chapter.article->name) + std::string(chapter.sizes) + "\n" +
            wrapped_text(chapter.special, std::string(2 * column, ' '));
  }
  for (const chapters::Article& article : chapters::all_articles()) {
    const std::string note = generator_note(article);
    text += note.empty() ? "" : "\n" + note + "\n";
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
        {"note", generator_note(article)},
    });
  }
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    json["chapters"].push_back({
        {"chapter", chapter.name},
        {"article", chapter.article->name},
        {"seed", render::seed_json(default_seed)},
        {"summary", chapters::topic_of(chapter.name).summary},
        {"sizes", chapter.sizes},
        {"special", chapter.special},
        {"init", name_of(init_names(), chapter.init)},
        {"takes", taken(chapter.takes)},
        {"what_ifs", names_in(chapters::what_ifs(chapter), &WhatIf::name)},
    });
  }
  return render::json_text(json, 2) + "\n";
}

/// A name that an option takes.
struct Named {
  std::string name;
  std::string text;
  std::vector<std::string> chapters;
};

/// Adds a name with its text, or a chapter to where both are known.
void add(std::vector<Named>& all, const std::string& name, const std::string& text, const std::string& chapter) {
  auto found = std::ranges::find_if(all, [&](const Named& one) { return one.name == name && one.text == text; });
  if (found == all.end()) {
    found = all.insert(all.end(), {name, text, {}});
  }
  if (std::ranges::find(found->chapters, chapter) == found->chapters.end()) {
    found->chapters.push_back(chapter);
  }
}

/// The steps of a chapter, in each chapter's own words; of all chapters if the name is empty.
std::vector<Named> steps(const std::string& of) {
  std::vector<Named> all;
  const Lesson lesson;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    if (!of.empty() && chapter.name != of) {
      continue;
    }
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

std::vector<Named> articles() {
  std::vector<Named> all;
  for (const chapters::Article& article : chapters::all_articles()) {
    all.push_back(
        {std::string(article.name), std::string(article.title), names_in(article.chapters, &chapters::Chapter::name)});
  }
  return all;
}

std::string names_text(const std::vector<Named>& all) {
  std::string text;
  for (const Named& one : all) {
    text += wrapped_text(one.name + "  (" + text::joined(one.chapters) + ")", "") + wrapped_text(one.text, "    ");
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

std::string list(const std::vector<std::string>& words, bool json) {
  const std::string what = words.empty() ? "chapters" : words[0];
  if (what == "chapters") {
    return json ? list_json() : chapters_text();
  }
  const std::vector<Named> all = what == "steps"   ? steps(words.size() > 1 ? words[1] : "")
                                 : what == "rules" ? rules()
                                                   : articles();
  return json ? names_json(what, all) : names_text(all);
}

}  // namespace attn::cli
