#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "cli/option.hpp"
#include "files/write/save.hpp"
#include "lesson/told.hpp"
#include "text/lines.hpp"

namespace attn::cli {

namespace {

/// Steps that the article does not print and the user did not request.
struct LeftOut {
  std::unordered_map<const void*, const Step*> steps;
  std::unordered_set<const void*> told;  ///< tensors, and those of the article's steps
};

/// Adds the step of a left-out tensor after those that lead to it, each once.
void add(const Tensor& tensor, LeftOut& left_out, std::vector<Step>& through);

void add_operands(const Tensor& tensor, LeftOut& left_out, std::vector<Step>& through) {
  for (const Tensor& operand : tensor.operands()) {
    add(operand, left_out, through);
  }
}

void add(const Tensor& tensor, LeftOut& left_out, std::vector<Step>& through) {
  if (left_out.told.insert(tensor.id()).second) {
    add_operands(tensor, left_out, through);
    const auto step = left_out.steps.find(tensor.id());
    step != left_out.steps.end() ? through.push_back(*step->second) : void();
  }
}

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
    if (std::ranges::none_of(steps, [&name](const Step& step) { return is_called(step, name); })) {
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
  LeftOut left_out;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::tensor && (step.in_article || is_wanted(step))) {
      left_out.told.insert(step.tensor->id());
    } else if (step.kind == Step::Kind::tensor && !step.tensor->operands().empty() &&
               !step.tensor->operation().is_parameter()) {
      left_out.steps.emplace(step.tensor->id(), &step);
    }
  }
  for (Step& step : wanted) {
    if (step.tensor) {
      add_operands(*step.tensor, left_out, step.through);
    }
    if (step.kind == Step::Kind::size) {
      add(*step.tensor, left_out, step.through);
    }
  }
  return wanted;
}

void check_one_tensor(const std::vector<Step>& wanted, const chapters::Chapter& chapter, const Options& options) {
  const auto count = std::ranges::count_if(wanted, [](const Step& step) { return step.kind == Step::Kind::tensor; });
  const render::TensorWriter* const saved = options.save ? render::tensor_writer(*options.save) : nullptr;
  const bool is_saved = saved != nullptr && (saved->can & can::several) == 0;
  const bool is_one = is_saved || (form_of(options).can & can::several) == 0;
  if (is_one && (count != 1 || options.chapters.size() > 1)) {
    const auto weights =
        std::ranges::find_if(wanted, [](const Step& step) { return step.name.ends_with("attn_weights"); });
    throw UsageError((is_saved ? "--save " + *options.save : "--format " + std::string(form_of(options).name)) +
                     " shows one tensor, and this run has " +
                     (options.chapters.size() > 1 ? "several chapters" : std::to_string(count)) +
                     "; name one; try attn-walkthrough " + std::string(chapter.name) + " --only " +
                     (weights != wanted.end() ? full_name(*weights) : "attn_weights") +
                     (is_saved ? ", or --save steps.npz for all" : ""));
  }
}

void check_cell(const std::vector<Step>& steps, const chapters::Chapter& chapter, const Options& options) {
  const std::string name = render::parse_cell(*options.cell).name;
  const std::vector<std::string> names =
      names_of(steps, [](const Step& step) { return step.kind == Step::Kind::tensor; });
  if (std::ranges::find(names, name) == names.end()) {
    throw unknown("--cell: " + std::string(chapter.name) + " has no step '" + name + "'", name, names,
                  "attn-walkthrough list steps");
  }
}

}  // namespace attn::cli
