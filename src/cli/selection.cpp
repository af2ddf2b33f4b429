#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cli/options.hpp"
#include "files/save_csv.hpp"
#include "lesson/derivation.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::cli {

namespace {

/// The shortest unambiguous name of each tensor.
std::vector<std::string> tensor_names(const std::vector<Step>& steps) {
  std::vector<std::string> names;
  for (const Step& step : steps) {
    const auto is_another = [&step](const Step& other) {
      return other.kind == Step::Kind::tensor && other.name == step.name && full_name(other) != full_name(step);
    };
    if (step.kind == Step::Kind::tensor) {
      names.push_back(std::any_of(steps.begin(), steps.end(), is_another) ? full_name(step) : step.name);
    }
  }
  return names;
}

/// Steps that the article does not print and the user did not request.
class LeftOut {
 public:
  template <class IsWanted>
  LeftOut(const std::vector<Step>& steps, const IsWanted& is_wanted) {
    for (const Step& step : steps) {
      if (step.kind != Step::Kind::tensor) {
        continue;
      }
      if (step.in_article || is_wanted(step)) {
        told_.insert(step.tensor->id());
      } else if (!step.tensor->operands().empty() && !step.tensor->operation().is_parameter()) {
        extras_.emplace(step.tensor->id(), &step);
      }
    }
  }

  /// The left-out steps that lead to this step, in order; for a size, also its tensor. Each is returned once.
  std::vector<Step> before(const Step& step) {
    std::vector<Step> through;
    if (step.tensor) {
      add_operands(*step.tensor, through);
    }
    if (step.kind == Step::Kind::size) {
      add(*step.tensor, through);
    }
    return through;
  }

 private:
  void add(const Tensor& tensor, std::vector<Step>& through) {
    if (!told_.insert(tensor.id()).second) {
      return;
    }
    add_operands(tensor, through);
    if (const auto extra = extras_.find(tensor.id()); extra != extras_.end()) {
      through.push_back(*extra->second);
    }
  }
  void add_operands(const Tensor& tensor, std::vector<Step>& through) {
    for (const Tensor& operand : tensor.operands()) {
      add(operand, through);
    }
  }

  std::unordered_map<const void*, const Step*> extras_;
  std::unordered_set<const void*> told_;  ///< and the article's steps
};

}  // namespace

std::vector<Step> selected(const std::vector<Step>& steps, const chapters::Chapter& chapter, const Options& options) {
  if (options.chapters.size() == 1) {
    check_only(steps, std::string(chapter.name), options);
  }
  return selected_if_there(steps, options);
}

void check_only(const std::vector<Step>& steps, const std::string& owner, const Options& options) {
  const std::vector<std::string> names = names_of(steps, [](const Step&) { return true; });
  for (const std::string& name : options.only) {
    if (std::none_of(steps.begin(), steps.end(), [&name](const Step& step) { return is_called(step, name); })) {
      const std::string near = text::nearest(name, names);
      throw UsageError("--only: " + owner + " has no step '" + name + "'; its steps are " + text::joined(names) + "; " +
                       (near.empty() ? "see attn-walkthrough list steps" : "try --only " + near));
    }
  }
}

std::vector<Step> selected_if_there(const std::vector<Step>& steps, const Options& options) {
  const auto is_wanted = [&options](const Step& step) {
    if (options.only.empty()) {
      return options.all_steps || step.in_article;
    }
    return std::any_of(options.only.begin(), options.only.end(),
                       [&step](const std::string& name) { return is_called(step, name); });
  };
  std::vector<Step> wanted;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(wanted), is_wanted);
  LeftOut left_out(steps, is_wanted);
  for (Step& step : wanted) {
    step.through = left_out.before(step);
  }
  return wanted;
}

void check_one_tensor(const std::vector<Step>& wanted, const std::vector<Step>& steps, const chapters::Chapter& chapter,
                      const Options& options) {
  const auto count =
      std::count_if(wanted.begin(), wanted.end(), [](const Step& step) { return step.kind == Step::Kind::tensor; });
  const bool is_saved = options.save && render::holds_one_tensor(*options.save);
  if (!is_saved && (!options.format->shows_one_tensor || count == 1)) {
    return;
  }
  if (is_saved && options.chapters.size() > 1) {
    throw UsageError("--save " + *options.save + ": a .csv file holds one tensor, and " + options.name +
                     " saves those of several chapters; name one chapter; try attn-walkthrough " +
                     std::string(chapter.name) + " --only attn_weights --save " + *options.save);
  }
  if (count == 1) {
    return;
  }
  const std::string subject = is_saved                        ? "--save " + *options.save + ": a .csv file"
                              : options.format->name == "svg" ? "--format svg: a picture"
                                                              : "--format csv: it";
  const std::vector<std::string> names = tensor_names(steps);
  const auto is_weights = [](const std::string& name) { return name.ends_with("attn_weights"); };
  const auto example = std::find_if(names.begin(), names.end(), is_weights);
  throw UsageError(subject + " shows one tensor, and " +
                   (options.only.empty() ? "the steps of " + std::string(chapter.name) + " have "
                                         : "--only " + text::joined(options.only, ",") + " names ") +
                   (count == 0 ? "none" : std::to_string(count)) + "; use --only with one of " + text::joined(names) +
                   "; try --only " + (example == names.end() ? names.back() : *example) +
                   (is_saved ? ", or --save steps.npz for all" : ""));
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
  throw UsageError("--cell: " + std::string(chapter.name) + " has no step '" + name + "'; its steps are " +
                   text::joined(names) + "; " +
                   (near.empty() ? "see attn-walkthrough " + std::string(chapter.name) + " --steps all"
                                 : "try --cell '" + meant + "'"));
}

}  // namespace attn::cli
