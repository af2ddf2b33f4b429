#include "render/json.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "render/json_derivation.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace attn::render {
namespace {

using nlohmann::ordered_json;

/// The double that is written with the fewest digits which give the float back.
double as_double(float value) {
  return text::number_of<double>(text::float_text(value)).value();
}

/// As JSON writes it, and what stands before it, line breaks and all.
void write_element(std::ostream& out, float value) { out << number_json(value).dump(); }
void write_element(std::ostream& out, bool value) { out << (value ? "true" : "false"); }
void write_element(std::ostream& out, std::int64_t value) { out << value; }

template <class T>
void write_nested(std::ostream& out, const T*& next, std::span<const std::int64_t> shape, const std::string& line_break) {
  if (shape.empty()) {
    write_element(out, *next++);
    return;
  }
  const std::string deeper = line_break + "  ";
  out << '[';
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    out << (i == 0 ? "" : ",") << deeper;
    write_nested(out, next, shape.subspan(1), deeper);
  }
  out << (shape[0] == 0 ? "" : line_break) << ']';
}

std::string kind_name(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::size: return "size";
    case Step::Kind::text: return "text";
    case Step::Kind::tensor: break;
  }
  return "tensor";
}

void add_tensor(ordered_json& json, const Step& step) {
  const Tensor& tensor = *step.tensor;
  json["expression"] = tensor.expression();
  json["inputs"] = tensor.inputs();
  json["shape"] = tensor.shape();
  json["dtype"] = dtype_name(tensor.dtype());
  if (step.kind == Step::Kind::tensor) {
    json["values"] = nullptr;
  }
  const std::string grad_fn = tensor.grad_fn();
  json["requires_grad"] = tensor.requires_grad();
  json["grad_fn"] = grad_fn.empty() ? ordered_json(nullptr) : ordered_json(grad_fn);
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

ordered_json step_json(const Step& step, const StepExplanation& explanation) {
  ordered_json json = {
      {"kind", kind_name(step.kind)}, {"section", step.section},       {"name", step.name},
      {"label", step.label},          {"in_article", step.in_article},
  };
  if (step.tensor) {
    add_tensor(json, step);
  } else {
    json["text"] = step.text;
  }
  json["explanation"] = explanation_json(explanation);
  return json;
}

void write_step(std::ostream& out, const Step& step, const StepExplanation& explanation, const std::string& line_break) {
  const ordered_json json = step_json(step, explanation);
  if (step.kind == Step::Kind::tensor) {
    write_with(out, json, line_break, "values", [&] { write_values(out, *step.tensor, line_break + "  "); });
  } else {
    out << json_text(json, line_break);
  }
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

std::string json_text(const ordered_json& json, const std::string& line_break) {
  std::string text = json_text(json, 2);
  if (line_break != "\n") {
    std::string indented;
    for (const char c : text) {
      indented += c == '\n' ? line_break : std::string(1, c);
    }
    text = std::move(indented);
  }
  return text;
}

void write_with(std::ostream& out, const ordered_json& json, const std::string& line_break, const std::string& member,
                const std::function<void()>& write_member) {
  const std::string text = json_text(json, line_break);
  const std::string before = line_break + "  \"" + member + "\": ";  // within a string there is no line break
  constexpr std::string_view null = "null";
  const std::size_t at = text.find(before + std::string(null)) + before.size();
  out << std::string_view(text).substr(0, at);
  write_member();
  out << std::string_view(text).substr(at + null.size());
}

void write_list(std::ostream& out, std::size_t count, const std::string& line_break,
                const std::function<void(std::size_t, const std::string& line_break)>& write_item) {
  const std::string deeper = line_break + "  ";
  out << '[';
  for (std::size_t i = 0; i < count; ++i) {
    out << (i == 0 ? "" : ",") << deeper;
    write_item(i, deeper);
  }
  out << (count == 0 ? "" : line_break) << ']';
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

void write_values(std::ostream& out, const Tensor& tensor, const std::string& line_break) {
  const auto contents = tensor.array().contents();
  std::visit(
      [&](const auto& values) {
        const auto* next = values.data();
        write_nested(out, next, tensor.shape(), line_break);
      },
      *contents);
}

void write_steps_json(std::ostream& out, ordered_json about, std::span<const Step> steps, const Why& why,
                      std::span<const std::string> tokens, const std::string& line_break) {
  about["tokens"] = std::vector<std::string>(tokens.begin(), tokens.end());
  about["steps"] = nullptr;
  write_with(out, about, line_break, "steps", [&] {
    write_list(out, steps.size(), line_break + "  ", [&](std::size_t i, const std::string& deeper) {
      write_step(out, steps[i], explain(steps[i], why, tokens), deeper);
    });
  });
}

void write_json(std::ostream& out, const Document& document) {
  const auto write_chapter = [&](std::size_t i, const std::string& line_break) {
    const ShownChapter& chapter = document.chapters[i];
    if (document.cell) {
      out << json_text(derivation_json(chapter, *document.cell, document.depth), line_break);
    } else {
      write_steps_json(out, chapter.about(), chapter.steps, chapter.why, chapter.tokens, line_break);
    }
  };
  if (document.chapters.size() == 1) {
    write_chapter(0, "\n");
  } else {
    write_list(out, document.chapters.size(), "\n", write_chapter);
  }
  out << '\n';
}

}  // namespace attn::render
