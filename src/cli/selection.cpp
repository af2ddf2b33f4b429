#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cli/line.hpp"
#include "cli/options.hpp"
#include "files/write/save.hpp"
#include "lesson/derivation.hpp"
#include "text/lines.hpp"

namespace attn::cli {

namespace {

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
      throw unknown("--only: " + owner + " has no step '" + name + "'", name, names, "attn-walkthrough list steps");
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
  const render::TensorWriter* const saved = options.save ? render::tensor_writer(*options.save) : nullptr;
  const bool is_saved = saved != nullptr && (saved->can & can::several) == 0;
  if (!is_saved && ((form_of(options).can & can::several) != 0 || count == 1)) {
    return;
  }
  if (is_saved && options.chapters.size() > 1) {
    throw UsageError("--save " + *options.save + ": the file holds one tensor, and " + options.name +
                     " saves those of several chapters; name one chapter; try attn-walkthrough " +
                     std::string(chapter.name) + " --only attn_weights --save " + *options.save);
  }
  if (count == 1) {
    return;
  }
  const std::string subject = is_saved ? "--save " + *options.save : "--format " + std::string(form_of(options).name);
  const auto is_weights = [](const Step& step) {
    return step.kind == Step::Kind::tensor && step.name.ends_with("attn_weights");
  };
  const auto weights = std::ranges::find_if(steps, is_weights);
  const std::string example = weights != steps.end() ? full_name(*weights) : full_name(steps.back());
  throw UsageError(subject + " shows one tensor, and " +
                   (options.only.empty() ? "the steps of " + std::string(chapter.name) + " have "
                                         : "--only " + text::joined(options.only, ",") + " names ") +
                   (count == 0 ? "none" : std::to_string(count)) + "; try --only " + example +
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
  throw unknown("--cell: " + std::string(chapter.name) + " has no step '" + name + "'", name, names,
                "attn-walkthrough list steps");
}

}  // namespace attn::cli
