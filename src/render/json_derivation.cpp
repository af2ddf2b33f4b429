#include "render/json_derivation.hpp"

#include <cmath>
#include <deque>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "lesson/derived.hpp"
#include "lesson/told.hpp"
#include "render/json.hpp"

namespace attn::render {
namespace {

using nlohmann::ordered_json;

/// The most derivations written, since a number may depend on all numbers of a large tensor.
constexpr std::size_t most_derivations = 2000;

/// One element: its tensor, its place and its value.
ordered_json element_json(const Tensor& tensor, const Shape& index) {
  const double value = tensor.value(index);
  ordered_json json = {{"tensor", tensor.words()}, {"index", index}};
  switch (tensor.dtype()) {
    case DType::boolean: json["value"] = value != 0; break;
    case DType::int64: json["value"] = static_cast<std::int64_t>(value); break;
    case DType::float32: json["value"] = number_json(static_cast<float>(value)); break;
  }
  return json;
}

/// Collects derivations breadth first, each element once.
class Derivations {
 public:
  explicit Derivations(std::int64_t depth) : depth_(depth) {}

  ordered_json all_from(const Tensor& tensor, const Shape& index) {
    enqueue(tensor, index, 0);
    ordered_json list = ordered_json::array();
    for (; !queue_.empty() && list.size() < most_derivations; queue_.pop_front()) {
      list.push_back(derivation_json(Task(queue_.front())));
    }
    is_complete_ = queue_.empty();
    return list;
  }

  bool is_complete() const { return is_complete_; }

 private:
  struct Task {
    Tensor tensor;
    Shape index;
    std::int64_t level;
  };

  void enqueue(const Tensor& tensor, const Shape& index, std::int64_t level) {
    const bool is_wanted = depth_ == 0 || level < depth_;
    if (is_wanted && seen_.insert({tensor.id(), index}).second) {
      queue_.push_back({tensor, index, level});
    }
  }

  ordered_json operand(const Task& task, const Element& element, std::int64_t levels) {
    const Tensor& tensor = task.tensor.operands()[element.operand];
    enqueue(tensor, element.index, task.level + levels);
    return element_json(tensor, element.index);
  }

  ordered_json derivation_json(const Task& task) {
    const Tensor& tensor = task.tensor;
    const Derivation derivation = derived(tensor, task.index);
    const Telling telling = told(tensor, derivation);
    const std::int64_t levels = derivation.rule == Derivation::Rule::copy ? 0 : 1;  // a view or copy costs no depth
    ordered_json json = element_json(tensor, task.index);
    json["expression"] = tensor.expression();
    json["rule"] = rule_name(derivation.rule);
    json["terms"] = ordered_json::array();
    for (const Derivation::Term& term : derivation.terms) {
      json["terms"].push_back({{"a", operand(task, term.a, levels)}});
      if (term.b) {
        json["terms"].back()["b"] = operand(task, *term.b, levels);
      }
    }
    if (derivation.bias) {
      json["bias"] = operand(task, *derivation.bias, levels);
    }
    if (telling.has_own) {
      json["position"] = derivation.position;
    }
    if (telling.has_constant) {
      const double constant = derivation.constant;
      json["constant"] = std::isfinite(constant) ? ordered_json(constant) : number_json(static_cast<float>(constant));
    }
    return json;
  }

  std::int64_t depth_;
  std::deque<Task> queue_;
  std::set<std::pair<const void*, Shape>> seen_;
  bool is_complete_ = true;
};

}  // namespace

ordered_json derivation_json(const ShownChapter& chapter, const CellRequest& request, std::int64_t depth) {
  const Cell cell = find_cell(chapter.all_steps, request, chapter.tokens);
  Derivations derivations(depth);
  ordered_json json = chapter.about();
  json["tokens"] = chapter.tokens;
  json["cell"] = {{"section", cell.step->section}, {"name", cell.step->name}, {"index", cell.index}};
  json["derivations"] = derivations.all_from(*cell.step->tensor, cell.index);
  json["complete"] = derivations.is_complete();
  return json;
}

}  // namespace attn::render
