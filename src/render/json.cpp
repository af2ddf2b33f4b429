#include "render/json.hpp"

#include <cmath>
#include <cstdio>
#include <deque>
#include <ostream>
#include <set>

#include <nlohmann/json.hpp>

#include "lesson/account.hpp"
#include "lesson/printed.hpp"
#include "lesson/told.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace attn::render {

namespace {

using nlohmann::ordered_json;

void write_element(JsonWriter& json, float value) { json.text(number_json(value).dump()); }
void write_element(JsonWriter& json, bool value) { json.text(value ? "true" : "false"); }
void write_element(JsonWriter& json, std::int64_t value) { json.text(std::to_string(value)); }

template <class T>
void write_nested(JsonWriter& json, const T*& next, std::span<const std::int64_t> shape) {
  if (shape.empty()) {
    return write_element(json, *next++);
  }
  json.begin_array();
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    write_nested(json, next, shape.subspan(1));
  }
  json.end();
}

void write_tensor(JsonWriter& json, const Step& step) {
  const Tensor& tensor = *step.tensor;
  json.members({{"expression", tensor.expression()},
                {"inputs", tensor.inputs()},
                {"shape", tensor.shape()},
                {"dtype", dtype_name(tensor.dtype())}});
  if (step.kind == Step::Kind::tensor) {
    json.member("values");
    write_values(json, tensor);
  }
  const std::string grad_fn = tensor.grad_fn();
  json.members({{"requires_grad", tensor.requires_grad()},
                {"grad_fn", grad_fn.empty() ? ordered_json(nullptr) : ordered_json(grad_fn)}});
}

ordered_json explanation_json(const StepExplanation& explanation) {
  ordered_json json = {{"shapes", explanation.shapes},
                       {"why", explanation.why},
                       {"reasons", ordered_json::array()},
                       {"notices", explanation.notices}};
  for (const Reason& reason : explanation.reasons) {
    json["reasons"].push_back({{"text", reason.text}, {"table", reason.table}});
  }
  for (const StepExplanation& before : explanation.through) {
    ordered_json step = {{"name", before.name}, {"expression", before.expression}};
    step.update(explanation_json(before));
    json["through"].push_back(std::move(step));
  }
  return json;
}

void write_step_members(JsonWriter& json, const Step& step, const StepExplanation& explanation) {
  const bool is_tensor = step.kind == Step::Kind::tensor;
  json.members({{"kind", is_tensor     ? "tensor"
                         : step.tensor ? "size"
                                       : "text"},
                {"section", step.section},
                {"name", step.name},
                {"label", step.label},
                {"in_article", step.in_article}});
  if (step.tensor) {
    write_tensor(json, step);
  } else {
    json.member("text");
    json.value(step.text);
  }
  json.member("explanation");
  json.value(explanation_json(explanation));
}

void write_step(JsonWriter& json, const Step& step, const ShownChapter& chapter) {
  json.begin_object();
  write_step_members(json, step, explain(step, chapter.why, chapter.tokens));
  json.end();
}

void write_steps(JsonWriter& json, const ShownChapter& chapter) {
  json.begin_object();
  json.members(chapter.about());
  json.member("tokens");
  json.value(chapter.tokens);
  json.member("steps");
  json.begin_array();
  for (const Step& step : chapter.steps) {
    write_step(json, step, chapter);
  }
  json.end();
  json.end();
}

/// Writes the changed walkthrough, as --save does: each step with what it was, if that differs; then the steps that the
/// change removes.
void write_comparison(JsonWriter& json, const ShownChapter& chapter, const ShownWhatIf& what_if,
                      const TextOptions& options) {
  const std::vector<StepPair> pairs = pairs_of(chapter.steps, what_if.steps);
  json.begin_object();
  json.members(chapter.about());
  json.members({{"what_if", {{"name", what_if.name}, {"rule", what_if.rule}, {"effect", what_if.did}}},
                {"tokens", chapter.tokens}});
  json.member("steps");
  json.begin_array();
  for (const auto& [as_is, changed] : pairs) {
    if (changed == nullptr) {
      continue;
    }
    const std::string_view alike = as_is == nullptr ? "only with the change" : likeness(*as_is, *changed, options);
    json.begin_object();
    write_step_members(json, *changed, explain(*changed, alike.empty() ? Why() : chapter.why, chapter.tokens));
    json.members({{"compared", alike.empty() ? "differs" : alike}});
    if (alike.empty()) {
      json.member("original");
      write_step(json, *as_is, chapter);
    }
    json.end();
  }
  json.end();
  json.member("removed");
  json.begin_array();
  for (const auto& [as_is, changed] : pairs) {
    if (changed == nullptr) {
      write_step(json, *as_is, chapter);
    }
  }
  json.end();
  json.end();
}

}  // namespace

std::string json_text(const ordered_json& json, int indent) {
  const std::string dumped = json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(dumped.size());
  for (std::string_view rest = dumped; !rest.empty();) {
    const auto [code, size, valid] = text::first_character(rest);
    if (code != '\n' && (text::is_control(code) || text::is_direction_mark(code))) {
      std::array<char, 7> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(code));
      result += escaped.data();
    } else {
      result += rest.substr(0, size);
    }
    rest.remove_prefix(size);
  }
  return result;
}

std::string script_json(const ordered_json& json) {
  std::string text;
  for (const char c : json_text(json, -1)) {
    text += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return text;
}

void JsonWriter::separate() {
  if (std::exchange(has_name_, false) || open_.empty()) {
    return;
  }
  out_ << (std::exchange(open_.back().is_empty, false) ? "" : ",") << line_break_;
}

void JsonWriter::begin(std::string_view open, char end) {
  text(open);
  open_.push_back({end});
  line_break_ += "  ";
}

void JsonWriter::end() {
  line_break_.erase(line_break_.size() - 2);
  out_ << (open_.back().is_empty ? "" : line_break_) << open_.back().end;
  open_.pop_back();
}

void JsonWriter::member(std::string_view name) {
  separate();
  out_ << json_text(name, -1) << ": ";
  has_name_ = true;
}

void JsonWriter::value(const nlohmann::ordered_json& json) {
  std::string indented;
  for (const char c : json_text(json, 2)) {
    indented += c == '\n' ? line_break_ : std::string(1, c);
  }
  text(indented);
}

void JsonWriter::text(std::string_view json) {
  separate();
  out_ << json;
}

void JsonWriter::members(const nlohmann::ordered_json& object) {
  for (const auto& [name, json] : object.items()) {
    member(name);
    value(json);
  }
}

ordered_json number_json(float value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  // The double whose shortest decimal form also round-trips the float.
  return text::number_of<double>(text::float_text(value)).value();
}

ordered_json seed_json(torch::Seed seed) {
  const std::uint64_t bits = seed;
  return seed.is_negative() ? ordered_json(static_cast<std::int64_t>(bits)) : ordered_json(bits);
}

void write_values(JsonWriter& json, const Tensor& tensor) {
  const auto write = [&](const auto& values) {
    const auto* next = values.data();
    write_nested(json, next, tensor.shape());
  };
  std::visit(write, *tensor.array().contents());
}

void write_json(std::ostream& out, const Document& document) {
  const bool is_list = document.chapters.size() != 1;
  JsonWriter json(out);
  if (is_list) {
    json.begin_array();
  }
  for (const ShownChapter& chapter : document.chapters) {
    if (document.cell) {
      json.value(derivation_json(chapter, *document.cell, document.depth));
    } else if (const ShownWhatIf* const what_if = asked_what_if(chapter)) {
      write_comparison(json, chapter, *what_if, document.text);
    } else {
      write_steps(json, chapter);
    }
  }
  if (is_list) {
    json.end();
  }
  out << '\n';
}

namespace {

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
  Derivations(const Tensor& tensor, const Shape& index, std::int64_t depth) : depth_(depth) {
    enqueue(tensor, index, 0);
    for (; !is_complete() && all_.size() < most_derivations; queue_.pop_front()) {
      all_.push_back(derivation_json(Task(queue_.front())));
    }
  }

  const ordered_json& all() const { return all_; }
  bool is_complete() const { return queue_.empty(); }

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
  ordered_json all_ = ordered_json::array();
};

}  // namespace

ordered_json derivation_json(const ShownChapter& chapter, const CellRequest& request, std::int64_t depth) {
  const Cell cell = find_cell(chapter.all_steps, request, chapter.tokens);
  const Derivations derivations(*cell.step->tensor, cell.index, depth);
  ordered_json json = chapter.about();
  json["tokens"] = chapter.tokens;
  json["cell"] = {{"section", cell.step->section}, {"name", cell.step->name}, {"index", cell.index}};
  json["derivations"] = derivations.all();
  json["complete"] = derivations.is_complete();
  return json;
}

}  // namespace attn::render
