#include "walk/walkthrough.hpp"

#include <algorithm>
#include <tuple>

#include "tensor/operations.hpp"
#include "torch/generator.hpp"

namespace attn {

namespace {

/// The name of an intermediate tensor without a variable, from its role in attention. Empty for leaves, views and
/// copies.
std::string role_of(const Tensor& tensor) {
  if (tensor.operands().empty() || tensor.operation().is_view()) {
    return "";
  }
  switch (tensor.kind()) {
    case Kind::contiguous:
    case Kind::stack: return "";
    case Kind::scaled: return tensor.dim() == 1 ? "scaled_attn_scores_2" : "scaled_attn_scores";
    case Kind::masked: return "masked_attn_scores";
    case Kind::softmax: return "attn_weights";
    case Kind::dropout: return "dropout_attn_weights";
    case Kind::matmul: return "context_heads";
    default: return "intermediate";
  }
}

/// The name of a transposed factor of a product: "keys_transposed" for whatever queries meet.
std::string transposed_name(const Tensor& product, const Tensor& factor) {
  const std::string& name = factor.operands()[0].name();
  const bool is_met = product.operands()[1].id() == factor.id() &&
                      (name.find("keys") != std::string::npos || name.find("inputs") != std::string::npos);
  return is_met || name.empty() ? "keys_transposed" : name + "_transposed";
}

/// The tensors that its expression speaks of by their names.
template <class Visit>
void for_each_named(const Tensor& tensor, const Visit& visit) {
  for (const Tensor& operand : tensor.operands()) {
    if (operand.name().empty()) {
      for_each_named(operand, visit);
    } else {
      visit(operand);
    }
  }
}

/// Section, name, kind, and number of such steps before.
using StepKey = std::tuple<std::string, std::string, Step::Kind, int>;

std::vector<StepKey> step_keys(std::span<const Step> steps) {
  std::map<StepKey, int> count;
  std::vector<StepKey> keys;
  for (const Step& step : steps) {
    const int seen = count[{step.section, step.name, step.kind, 0}]++;
    keys.emplace_back(step.section, step.name, step.kind, seen);
  }
  return keys;
}

}  // namespace

std::string full_name(const Step& step) { return step.section.empty() ? step.name : step.section + "/" + step.name; }

bool is_called(const Step& step, const std::string& name) { return step.name == name || full_name(step) == name; }

std::vector<std::string> names_of(std::span<const Step> steps, bool (*is_wanted)(const Step& step)) {
  std::vector<std::string> names;
  for (const Step& step : steps) {
    if (is_wanted(step) && std::find(names.begin(), names.end(), step.name) == names.end()) {
      names.push_back(step.name);
    }
  }
  return names;
}

void Walkthrough::section(std::string name) { section_ = std::move(name); }

void Walkthrough::add(Step step, bool is_labelled_by_expression) {
  if (step.tensor) {
    add_extras(*step.tensor, step.section);
  }
  if (step.kind == Step::Kind::tensor) {
    call(*step.tensor, step.name, step.section);
    shown_.insert(step.tensor->id());
    if (is_labelled_by_expression) {
      step.label = step.tensor->expression() + (step.tensor->operation().is_parameter() ? "" : "\n");
    }
  }
  steps_.push_back(std::move(step));
  are_labelled_by_expression_.push_back(is_labelled_by_expression);
}

void Walkthrough::call(const Tensor& tensor, const std::string& name, const std::string& section) {
  std::map<std::string, std::set<const void*>> called;
  for_each_named(tensor, [&](const Tensor& operand) { called[operand.name()].insert(operand.id()); });
  for_each_named(tensor, [&](const Tensor& operand) {
    const auto last = last_called_.find(operand.name());
    const bool is_known =
        last == last_called_.end() || (called[operand.name()].size() == 1 && last->second == operand.id());
    const auto home = sections_.find(operand.id());
    if (!is_known && home != sections_.end() && !home->second.empty()) {
      operand.rename(operand.name() + "_" + home->second);
    }
  });
  tensor.set_name(name);
  if (sections_.emplace(tensor.id(), section).second) {
    last_called_[name] = tensor.id();
  }
}

void Walkthrough::add_extras(const Tensor& tensor, const std::string& section) {
  if (!visited_.insert(tensor.id()).second || tensor.operation().is_parameter()) {
    return;
  }
  for (const Tensor& operand : tensor.operands()) {
    add_extras(operand, section);
    if (shown_.contains(operand.id())) {
      continue;
    }
    const bool is_factor = tensor.kind() == Kind::matmul && operand.kind() == Kind::transpose;
    const std::string role = is_factor ? transposed_name(tensor, operand) : role_of(operand);
    if (!operand.name().empty() || !role.empty()) {
      add_extra(operand, operand.name().empty() ? role : operand.name(), section);
    }
  }
}

void Walkthrough::add_extra(const Tensor& tensor, const std::string& name, const std::string& section) {
  if (tensor.kind() != Kind::matmul) {  // which expressions write out
    call(tensor, name, section);
  }
  shown_.insert(tensor.id());
  steps_.push_back({Step::Kind::tensor, section, name, tensor.expression() + "\n", false, tensor, "", "\n", true});
  are_labelled_by_expression_.push_back(true);
}

void Walkthrough::show(const std::string& name, const std::string& label, const Tensor& tensor, bool in_article) {
  add({Step::Kind::tensor, section_, name, label, in_article, tensor, "", "\n"}, false);
}

void Walkthrough::let(const std::string& name, const Tensor& tensor, const std::string& words) {
  const std::string label = words + (tensor.operation().is_parameter() ? "" : "\n");
  add({Step::Kind::tensor, section_, name, label, false, tensor, "", "\n"}, words.empty());
}

void Walkthrough::size(const std::string& name, const std::string& label, const Tensor& tensor) {
  add({Step::Kind::size, section_, name, label, true, tensor, "", "\n"}, false);
}

void Walkthrough::text(const std::string& name, const std::string& label, const std::string& text, bool in_article) {
  add({Step::Kind::text, section_, name, label, in_article, std::nullopt, text, "\n"}, false);
}

Walkthrough Walkthrough::rewritten(const Rewriter::Rule& rule) const {
  Rewriter rewriter(rule);
  Walkthrough result;
  result.set_draws(draws_);
  std::map<const void*, const void*> owners;  // the first original of a rewritten tensor
  for (const Step& step : steps_) {
    result.shown_.insert(step.tensor ? rewriter(*step.tensor).id()
                                     : nullptr);  // a tensor that another step shows is not an extra
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Step step = steps_[i];
    if (step.tensor) {
      const void* const was = step.tensor->id();
      step.tensor = rewriter(*step.tensor);
      const void* const owner = owners.emplace(step.tensor->id(), was).first->second;
      if (owner != was) {
        continue;
      }
    }
    result.add(std::move(step), are_labelled_by_expression_[i]);
  }
  return result;
}

std::vector<StepPair> pairs_of(std::span<const Step> as_is, std::span<const Step> changed) {
  const std::vector<StepKey> as_is_keys = step_keys(as_is);
  const std::vector<StepKey> changed_keys = step_keys(changed);
  std::vector<StepPair> pairs;
  std::size_t next = 0;
  for (std::size_t i = 0; i < as_is.size(); ++i) {
    const auto found =
        std::find(changed_keys.begin() + static_cast<std::ptrdiff_t>(next), changed_keys.end(), as_is_keys[i]);
    if (found == changed_keys.end()) {
      pairs.push_back({&as_is[i], nullptr});
      continue;
    }
    for (const auto place = static_cast<std::size_t>(found - changed_keys.begin()); next < place; ++next) {
      pairs.push_back({nullptr, &changed[next]});
    }
    pairs.push_back({&as_is[i], &changed[next++]});
  }
  for (; next < changed.size(); ++next) {
    pairs.push_back({nullptr, &changed[next]});
  }
  return pairs;
}

Walkthrough drawn_words(const Walkthrough& walk) {
  Walkthrough words;
  torch::Generator generator(0);
  const torch::Draw* last = nullptr;
  for (const torch::Draw& draw : walk.draws().draws) {
    const torch::Seed& seed = walk.draws().seeds.at(draw.seeding);
    if (last == nullptr || last->seeding != draw.seeding) {
      generator.manual_seed(seed);
    }
    last = &draw;
    if (draw.count == 0) {
      continue;
    }
    generator.discard(draw.first - generator.count());
    const Shape shape = {static_cast<std::int64_t>(draw.count)};
    Block<std::int64_t> drawn(shape);
    std::generate_n(drawn.data(), drawn.size(), [&generator] { return generator.random(); });
    const auto step = std::ranges::find_if(walk.steps(), [&draw](const Step& one) {
      return one.kind == Step::Kind::tensor && data_of(*one.tensor).id() == draw.leaf.id();
    });
    const bool is_shown = step != walk.steps().end();
    const std::string expression = draw.leaf.operation().words({});
    const std::string module = draw.module + (draw.leaf.dim() == 1 ? ".bias" : ".weight");
    words.section(is_shown ? step->section : "");
    words.show(is_shown              ? step->name
               : draw.module.empty() ? expression
                                     : module,
               expression + ": words " + std::to_string(draw.first) + " to " +
                   std::to_string(draw.first + draw.count - 1) + " after torch.manual_seed(" + seed.text() + ")\n",
               leaf(shape, DType::int64, expression, [drawn = std::move(drawn)]() -> Contents { return drawn; }));
  }
  return words;
}

}  // namespace attn
