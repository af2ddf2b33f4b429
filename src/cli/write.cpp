#include "cli/write.hpp"

#include <unistd.h>

#include <iostream>

#include <nlohmann/json.hpp>

#include "inputs.hpp"
#include "meanings.hpp"
#include "present/predict.hpp"
#include "present/presenter.hpp"
#include "render/derivation.hpp"
#include "render/heatmap.hpp"
#include "render/html.hpp"
#include "render/json.hpp"
#include "render/lineage.hpp"
#include "render/markdown.hpp"
#include "render/side_by_side.hpp"
#include "render/terminal.hpp"
#include "torch/print.hpp"
#include "what_if.hpp"

namespace attn::cli {
namespace {

/// Why the chapter's steps are there; the chapter must outlive it.
render::Why why_in(const chapters::ChapterEntry& chapter) {
  return [&chapter](const Step& step) { return std::string(chapters::meaning(chapter, step)); };
}

/// The steps as heat maps: labels as the article's, tensors as coloured cells.
void write_heatmaps(std::ostream& out, std::span<const Step> steps, std::span<const std::string> tokens,
                    const Options& options) {
  const render::Terminal terminal =
      options.output ? render::Terminal{} : render::detect_terminal(STDOUT_FILENO);
  for (const Step& step : steps) {
    if (step.kind != Step::Kind::tensor) {
      render::write_text(out, {&step, 1}, options.text);
      continue;
    }
    const std::string title = step.label.empty() ? step.name : step.label;
    out << title << (title.ends_with('\n') ? "" : "\n")
        << render::heatmap_text(*step.tensor, tokens, options.text.print, terminal, render::counts_tokens) << "\n\n";
  }
}

}  // namespace

void write(std::ostream& out, const chapters::ChapterEntry& chapter, std::span<const Step> steps,
           std::span<const Step> all_steps, const Options& options) {
  const std::vector<std::string> tokens = chapters::token_words(options.lesson);
  const render::Why why = why_in(chapter);
  if (options.cell) {
    out << render::derivation_text(all_steps, render::parse_cell(*options.cell), options.depth, tokens,
                                   options.text.print);
    return;
  }
  const std::string title = std::string(chapter.name) + ": " + std::string(chapters::chapter_summary(chapter.name));
  switch (options.format) {
    case Format::json: out << render::steps_json(about(options), steps, why, tokens).dump(2) << '\n'; return;
    case Format::markdown: render::write_markdown(out, title, steps, why, tokens, options.text); return;
    case Format::html: {
      const nlohmann::ordered_json head = about(options);
      render::write_html(
          out, {.title = title, .about = head, .steps = steps, .tokens = tokens, .why = why, .text = options.text});
      return;
    }
    case Format::text: break;
  }
  if (options.heatmap) {
    write_heatmaps(out, steps, tokens, options);
  } else if (options.explain) {
    render::write_explained_text(out, steps, why, tokens, options.text);
  } else {
    render::write_text(out, steps, options.text);
  }
}

void predict(std::span<const Step> steps, const Options& options) {
  present::Prediction prediction;
  prediction.cells = options.predict.value();
  prediction.seed = options.lesson.seed;
  prediction.tokens = chapters::token_words(options.lesson);
  prediction.text = options.text;
  prediction.interactive = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  present::predict(std::cin, std::cout, steps, prediction);
}

void present(const chapters::ChapterEntry& chapter, const Options& options,
             const std::function<std::vector<Step>(std::uint64_t seed)>& walk) {
  present::present({.walk = walk,
                    .seed = options.lesson.seed,
                    .tokens = chapters::token_words(options.lesson),
                    .why = why_in(chapter),
                    .text = options.text});
}

void write_what_if(std::ostream& out, const chapters::ChapterEntry& chapter, const Walkthrough& as_is,
                   const Walkthrough& changed, const Options& options) {
  const WhatIf rule = options.lesson.what_if.value();
  const std::string sentence = chapters::what_the_change_did(rule, as_is.steps(), changed.steps());
  const std::int64_t width = render::detect_terminal(options.output ? -1 : STDOUT_FILENO).width;
  render::write_side_by_side(out, selected(as_is.steps(), chapter, options),
                             selected(changed.steps(), chapter, options), sentence, options.text, width);
}

}  // namespace attn::cli
