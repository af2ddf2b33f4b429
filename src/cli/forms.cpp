#include "cli/forms.hpp"

#include <array>
#include <string>
#include <string_view>


#include "text/lines.hpp"

namespace attn::cli {
namespace {

/// Something that decides what the output looks like.
struct Form {
  std::string_view option;
  bool (*is_asked_for)(const Options& options);
  std::string_view beside;  ///< what is accepted beside it; empty for those that refuse nothing
};

constexpr std::array forms = {
    Form{"--cell", [](const Options& o) { return o.cell.has_value(); },
         "--depth, --format, --save, --output, inputs, sizes and printing"},
    Form{"--what-if", [](const Options& o) { return o.what_if != nullptr; },
         "--steps, --only, --save (the changed one), --output, inputs, sizes and printing"},
    Form{"--step", [](const Options& o) { return o.step; }, "--steps, --only, inputs, sizes and printing"},
    Form{"--predict", [](const Options& o) { return o.predict.has_value(); },
         "--steps, --only, inputs, sizes and printing"},
    Form{"--explain", [](const Options& o) { return o.explain; }, ""},
    Form{"--heatmap", [](const Options& o) { return o.heatmap; }, ""},
    Form{"--format", [](const Options& o) { return o.format != &render::default_writer(); }, ""},
    Form{"--only", [](const Options& o) { return !o.only.empty(); }, ""},
    Form{"--save", [](const Options& o) { return o.save.has_value(); }, ""},
    Form{"--output", [](const Options& o) { return o.output.has_value(); }, ""},
};

/// Two forms that cannot be had together, and why.
struct Conflict {
  std::string_view form;
  std::string_view other;
  std::string_view why;
};

constexpr std::string_view keys = "the presenter has keys for explanations, heat maps and derivations, and writes nothing";
constexpr std::string_view asks = "it asks for blanked numbers, which nothing else may show";
constexpr std::string_view two = "two walkthroughs side by side are text, number beside number";

constexpr std::array conflicts = {
    Conflict{"--step", "--predict", "one shows the numbers that the other asks for"},
    Conflict{"--step", "--cell", keys},
    Conflict{"--step", "--what-if", "the presenter shows one walkthrough"},
    Conflict{"--step", "--explain", keys},
    Conflict{"--step", "--heatmap", keys},
    Conflict{"--step", "--format", keys},
    Conflict{"--step", "--save", keys},
    Conflict{"--step", "--output", keys},
    Conflict{"--predict", "--cell", asks},
    Conflict{"--predict", "--what-if", asks},
    Conflict{"--predict", "--explain", asks},
    Conflict{"--predict", "--heatmap", asks},
    Conflict{"--predict", "--format", asks},
    Conflict{"--predict", "--save", asks},
    Conflict{"--predict", "--output", "questions and answers go over the terminal or a pipe"},
    Conflict{"--what-if", "--cell", two},
    Conflict{"--what-if", "--explain", two},
    Conflict{"--what-if", "--heatmap", two},
    Conflict{"--what-if", "--format", two},
    Conflict{"--cell", "--explain", "a derivation explains its number already"},
    Conflict{"--cell", "--heatmap", "a derivation has no cells to colour"},
    Conflict{"--cell", "--only", "a derivation is of the step that --cell names"},
};

const Form& form(std::string_view option) {
  std::size_t i = 0;
  while (forms.at(i).option != option) {
    ++i;
  }
  return forms.at(i);
}

struct Wished {
  render::Wish wish;
  std::string_view words;
  bool is_asked_for;
};

void check_format(const Options& options) {
  for (const auto& [wish, words, is_asked_for] :
       {Wished{render::Wish::explain, "--explain", options.explain},
        Wished{render::Wish::heatmap, "--heatmap", options.heatmap},
        Wished{render::Wish::cell, "--cell", options.cell.has_value()},
        Wished{render::Wish::several_chapters, "all", options.chapters.size() > 1}}) {
    const std::string_view why = options.format->refusal(wish);
    if (!is_asked_for || why.empty()) {
      continue;
    }
    std::vector<std::string> accepted;
    for (const render::Writer& writer : render::writers()) {
      if (writer.refusal(wish).empty()) {
        accepted.emplace_back(writer.name);
      }
    }
    const std::string given(words);
    const std::string name(options.format->name);
    throw UsageError(given + " with --format " + name + ": " + std::string(why) + "; accepted with " + given +
                     " are --format " + text::joined(accepted) + "; " +
                     (options.chapters.size() > 1
                          ? "try attn-walkthrough " + std::string(options.chapters[0]->name) + " --format " + name
                          : "leave " + given + " out, or choose one of them"));
  }
}

}  // namespace

void check_forms(const Options& options) {
  for (const auto& [option, other, why] : conflicts) {
    if (form(option).is_asked_for(options) && form(other).is_asked_for(options)) {
      const std::string name(option);
      throw UsageError(name + " with " + std::string(other) + ": " + std::string(why) + "; accepted beside " + name +
                       " are " + std::string(form(option).beside) + "; leave one of them out");
    }
  }
  if (options.depth && !options.cell) {
    throw UsageError("--depth says how far a derivation goes; accepted with --cell; try --cell 'attn_scores[1,2]'");
  }
  check_format(options);
}

}  // namespace attn::cli
