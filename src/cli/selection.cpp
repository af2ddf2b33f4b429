#include <algorithm>
#include <iterator>

#include "cli/options.hpp"
#include "render/derivation.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::cli {

namespace {

/// Each name once, in order.
template <class Wanted>
std::vector<std::string> names_of(const std::vector<Step>& steps, Wanted wanted) {
  std::vector<std::string> names;
  for (const Step& step : steps) {
    if (wanted(step) && std::find(names.begin(), names.end(), step.name) == names.end()) {
      names.push_back(step.name);
    }
  }
  return names;
}

}  // namespace

std::vector<Step> selected(const std::vector<Step>& steps, const chapters::Chapter& chapter,
                           const Options& options) {
  const std::vector<std::string> names = names_of(steps, [](const Step&) { return true; });
  for (const std::string& name : options.only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string near = text::nearest(name, names);
      throw UsageError("--only: " + std::string(chapter.name) + " has no step '" + name + "'; accepted are " +
                       text::joined(names) + "; try --only " + (near.empty() ? names[0] : near));
    }
  }
  const auto is_wanted = [&options](const Step& step) {
    if (options.only.empty()) {
      return options.all_steps || step.in_article;
    }
    return std::find(options.only.begin(), options.only.end(), step.name) != options.only.end();
  };
  std::vector<Step> wanted;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(wanted), is_wanted);
  return wanted;
}

void check_cell(const std::vector<Step>& steps, const chapters::Chapter& chapter, const Options& options) {
  const std::string& cell = options.cell.value();
  const std::string& name = render::parse_cell(cell).name;
  const std::vector<std::string> names =
      names_of(steps, [](const Step& step) { return step.kind == Step::Kind::tensor; });
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return;
  }
  const std::string near = text::nearest(name, names);
  std::string meant = cell;
  meant.replace(meant.find(name), name.size(), near);
  throw UsageError("--cell: " + std::string(chapter.name) + " has no step '" + name + "'; accepted are " +
                   text::joined(names) + "; " +
                   (near.empty() ? "see attn-walkthrough " + std::string(chapter.name) + " --steps all" : "try --cell '" + meant + "'"));
}

}  // namespace attn::cli
