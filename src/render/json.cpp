#include "render/json.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "lesson/likeness.hpp"
#include "render/json_derivation.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace attn::render {
namespace {

using nlohmann::ordered_json;

/// The double whose shortest decimal form also round-trips the float.
double as_double(float value) { return text::number_of<double>(text::float_text(value)).value(); }

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

std::string kind_name(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::size: return "size";
    case Step::Kind::text: return "text";
    case Step::Kind::tensor: break;
  }
  return "tensor";
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

ordered_json reasons_json(std::span<const Reason> reasons) {
  ordered_json json = ordered_json::array();
  for (const Reason& reason : reasons) {
    json.push_back({{"text", reason.text}, {"table", reason.table}});
  }
  return json;
}

ordered_json explanation_json(const StepExplanation& explanation) {
  ordered_json json = {
      {"shapes", explanation.shapes},
      {"why", explanation.why},
      {"reasons", reasons_json(explanation.reasons)},
      {"notices", explanation.notices},
  };
  for (const StepExplanation& before : explanation.through) {
    ordered_json step = {{"name", before.name}, {"expression", before.expression}};
    step.update(explanation_json(before));
    json["through"].push_back(std::move(step));
  }
  return json;
}

void write_step_members(JsonWriter& json, const Step& step, const StepExplanation& explanation) {
  json.members({{"kind", kind_name(step.kind)},
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

void write_step(JsonWriter& json, const Step& step, const StepExplanation& explanation) {
  json.begin_object();
  write_step_members(json, step, explanation);
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
      write_step(json, *as_is, explain(*as_is, chapter.why, chapter.tokens));
    }
    json.end();
  }
  json.end();
  json.member("removed");
  json.begin_array();
  for (const auto& [as_is, changed] : pairs) {
    if (changed == nullptr) {
      write_step(json, *as_is, explain(*as_is, chapter.why, chapter.tokens));
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
  line_break_ += is_script() ? "" : "  ";
}

void JsonWriter::end() {
  if (!is_script()) {
    line_break_.erase(line_break_.size() - 2);
  }
  out_ << (open_.back().is_empty ? "" : line_break_) << open_.back().end;
  open_.pop_back();
}

void JsonWriter::member(std::string_view name) {
  separate();
  out_ << json_text(name, -1) << (is_script() ? ":" : ": ");
  has_name_ = true;
}

void JsonWriter::value(const nlohmann::ordered_json& json) {
  if (is_script()) {
    return text(script_json(json));
  }
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
  return as_double(value);
}

ordered_json seed_json(torch::Seed seed) {
  const std::uint64_t bits = seed;
  return seed.is_negative() ? ordered_json(static_cast<std::int64_t>(bits)) : ordered_json(bits);
}

void write_values(JsonWriter& json, const Tensor& tensor) {
  const auto contents = tensor.array().contents();
  std::visit(
      [&](const auto& values) {
        const auto* next = values.data();
        write_nested(json, next, tensor.shape());
      },
      *contents);
}

void write_steps_json(JsonWriter& json, const ordered_json& about, std::span<const Step> steps, const Why& why,
                      std::span<const std::string> tokens) {
  json.begin_object();
  json.members(about);
  json.member("tokens");
  json.value(tokens);
  json.member("steps");
  json.begin_array();
  for (const Step& step : steps) {
    write_step(json, step, explain(step, why, tokens));
  }
  json.end();
  json.end();
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
      write_steps_json(json, chapter.about(), chapter.steps, chapter.why, chapter.tokens);
    }
  }
  if (is_list) {
    json.end();
  }
  out << '\n';
}

}  // namespace attn::render
