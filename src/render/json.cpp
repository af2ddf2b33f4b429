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

ordered_json element(float value) { return number_json(value); }
ordered_json element(bool value) { return value; }
ordered_json element(std::int64_t value) { return value; }

template <class T>
ordered_json nested(const T*& next, std::span<const std::int64_t> shape) {
  if (shape.empty()) {
    return element(*next++);
  }
  ordered_json list = ordered_json::array();
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    list.push_back(nested(next, shape.subspan(1)));
  }
  return list;
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
    json["values"] = values_json(tensor);
  }
  const std::string grad_fn = tensor.grad_fn();
  json["requires_grad"] = tensor.requires_grad();
  json["grad_fn"] = grad_fn.empty() ? ordered_json(nullptr) : ordered_json(grad_fn);
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
  json["explanation"] = {
      {"shapes", explanation.shapes},
      {"why", explanation.why},
      {"notices", explanation.notices},
  };
  return json;
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

ordered_json values_json(const Tensor& tensor) {
  const auto contents = tensor.array().contents();
  return std::visit(
      [&tensor](const auto& values) {
        const auto* next = values.data();
        return nested(next, tensor.shape());
      },
      *contents);
}

ordered_json steps_json(ordered_json about, std::span<const Step> steps, const Why& why,
                        std::span<const std::string> tokens) {
  about["tokens"] = std::vector<std::string>(tokens.begin(), tokens.end());
  about["steps"] = ordered_json::array();
  for (const Step& step : steps) {
    about["steps"].push_back(step_json(step, explain(step, why(step), tokens)));
  }
  return about;
}

void write_json(std::ostream& out, const Document& document) {
  ordered_json chapters = ordered_json::array();
  for (const ShownChapter& chapter : document.chapters) {
    chapters.push_back(document.cell ? derivation_json(chapter, *document.cell, document.depth)
                                     : steps_json(*chapter.about, chapter.steps, chapter.why, chapter.tokens));
  }
  out << json_text(chapters.size() == 1 ? chapters[0] : chapters, 2) << '\n';
}

}  // namespace attn::render
