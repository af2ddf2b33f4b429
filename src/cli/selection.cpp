#include <algorithm>
#include <iterator>

#include "cli/options.hpp"
#include "cli/text.hpp"

namespace attn::cli {

std::vector<Step> selected(const std::vector<Step>& steps, const chapters::ChapterEntry& chapter,
                           const Options& options) {
  std::vector<std::string> names;
  for (const Step& step : steps) {
    if (std::find(names.begin(), names.end(), step.name) == names.end()) {
      names.push_back(step.name);
    }
  }
  for (const std::string& name : options.only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string near = nearest(name, names);
      throw UsageError("--only: " + std::string(chapter.name) + " has no step '" + name + "'; accepted are " +
                       joined(names) + "; try --only " + (near.empty() ? names[0] : near));
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

}  // namespace attn::cli
