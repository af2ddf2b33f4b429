#include "render/html.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "render/lineage.hpp"
#include "render/ramp.hpp"
#include "torch/print.hpp"

namespace attn::render {

/// src/render/page, made strings by embed.cmake.
namespace page {
extern const std::string_view lesson_html;
extern const std::string_view lesson_css;
extern const std::string_view lesson_js;
}  // namespace page

namespace {

using Json = nlohmann::ordered_json;

/// Larger tensors stay as printed, whatever the threshold.
constexpr std::int64_t most_elements = 5000;
/// More multiplications than this are not explained one by one.
constexpr std::int64_t most_terms = 500'000;
constexpr int ramp_colours = 33;

// ---- Text ------------------------------------------------------------------------------------------

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

using Values = std::map<std::string_view, std::string>;

/// The template with {{name}} replaced; the values are not looked at again.
std::string filled(std::string_view pattern, const Values& values) {
  std::string text;
  while (true) {
    const std::size_t open = pattern.find("{{");
    const std::size_t close = pattern.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      return text.append(pattern);
    }
    text += pattern.substr(0, open);
    text += values.at(pattern.substr(open + 2, close - open - 2));
    pattern.remove_prefix(close + 2);
  }
}

/// What is between <!--name--> and <!--/name-->, and the pattern with {{name}} in its place.
std::pair<std::string, std::string> cut_out(const std::string& pattern, const std::string& name) {
  const std::string begin = "<!--" + name + "-->";
  const std::string end = "<!--/" + name + "-->";
  const std::size_t from = pattern.find(begin);
  const std::size_t to = pattern.find(end, from);
  const std::size_t inner = from + begin.size();
  return {pattern.substr(inner, to - inner),
          pattern.substr(0, from) + "{{" + name + "}}" + pattern.substr(to + end.size())};
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view space = " \n\t";
  const std::size_t first = text.find_first_not_of(space);
  const std::size_t last = text.find_last_not_of(space);
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

// ---- Numbers ---------------------------------------------------------------------------------------

template <class T>
std::string digits(T value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

/// The shortest digits that a script reads as a double that rounds to this float.
std::string float_digits(float value) {
  std::string text = digits(value);
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return static_cast<float>(read) == value || value != value ? text : digits(static_cast<double>(value));
}

std::string value_digits(const Contents& contents) {
  return std::visit(
      [](const auto& values) {
        std::string text;
        for (const auto value : values) {
          text += text.empty() ? "" : " ";
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, float>) {
            text += float_digits(value);
          } else if constexpr (std::is_same_v<Value, bool>) {
            text += value ? "1" : "0";
          } else {
            text += digits(value);
          }
        }
        return text;
      },
      contents);
}

std::int64_t position_of(const Shape& index, const Shape& shape) {
  const Shape strides = row_major_strides(shape);
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

// ---- Derivations: where each element's terms are ---------------------------------------------------

/// For elements of the result, by position: the positions of their terms in one operand.
struct Places {
  std::size_t operand = 0;
  std::vector<std::vector<std::int64_t>> terms;
};

/// How the positions change from one element to a later one along an axis; 0 where no two elements tell.
std::int64_t slope(const std::vector<std::int64_t>& elements, const Places& places, const Shape& shape,
                   std::size_t axis) {
  const std::int64_t stride = row_major_strides(shape)[axis];
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::int64_t room = shape[axis] - 1 - elements[i] / stride % shape[axis];
    for (std::int64_t far = 1; far <= room; ++far) {
      const auto found = std::lower_bound(elements.begin(), elements.end(), elements[i] + far * stride);
      if (found != elements.end() && *found == elements[i] + far * stride) {
        return (places.terms[static_cast<std::size_t>(found - elements.begin())][0] - places.terms[i][0]) / far;
      }
    }
  }
  return 0;
}

/// [operand, start, steps along each axis of the result..., step from term to term] where that says it all, else
/// {"o": operand, "x": all positions}.
Json places_json(const std::vector<std::int64_t>& elements, const Places& places, const Shape& shape) {
  std::vector<std::int64_t> slopes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    slopes.push_back(slope(elements, places, shape, axis));
  }
  const auto along = [&](std::size_t i) {
    const Shape index = index_at(elements[i], shape);
    return std::inner_product(index.begin(), index.end(), slopes.begin(), std::int64_t{0});
  };
  const std::vector<std::int64_t>& first = places.terms[0];
  const std::int64_t start = first[0] - along(0);
  const std::int64_t step = first.size() > 1 ? first[1] - first[0] : 0;
  bool fits = true;
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::int64_t expected = start + along(i);
    for (const std::int64_t position : places.terms[i]) {
      fits = fits && position == expected;
      all.push_back(position);
      expected += step;
    }
  }
  if (!fits) {
    return {{"o", places.operand}, {"x", all}};
  }
  std::vector<std::int64_t> line = {static_cast<std::int64_t>(places.operand), start};
  line.insert(line.end(), slopes.begin(), slopes.end());
  line.push_back(step);
  return line;
}

/// Elements that came about in the same way.
struct Case {
  std::vector<std::int64_t> elements;
  Places a;
  Places b;
  Places bias;
  Places position;  ///< softmax: which term is the element's own
};

using CaseKey = std::tuple<int, double, std::size_t, std::int64_t, std::int64_t, std::int64_t>;

std::string_view rule_name(Derivation::Rule rule) {
  using Rule = Derivation::Rule;
  switch (rule) {
    case Rule::given: return "given";
    case Rule::copy: return "copy";
    case Rule::products: return "products";
    case Rule::sum: return "sum";
    case Rule::product: return "product";
    case Rule::quotient: return "quotient";
    case Rule::exponential: return "exponential";
    case Rule::softmax: return "softmax";
    case Rule::masked: return "masked";
    case Rule::kept: return "kept";
    case Rule::dropped: return "dropped";
    case Rule::comparison: return "comparison";
  }
  return "given";
}

CaseKey case_key(const Derivation& derivation) {
  const bool has_terms = !derivation.terms.empty();
  const auto& b = has_terms ? derivation.terms[0].b : std::nullopt;
  return {static_cast<int>(derivation.rule),
          derivation.constant,
          derivation.terms.size(),
          has_terms ? static_cast<std::int64_t>(derivation.terms[0].a.operand) : -1,
          b ? static_cast<std::int64_t>(b->operand) : -1,
          derivation.bias ? static_cast<std::int64_t>(derivation.bias->operand) : -1};
}

void add_to(Case& one, const Derivation& derivation, const std::vector<Tensor>& operands, std::int64_t element) {
  const auto at = [&](Places& places, const Element& from) {
    places.operand = from.operand;
    places.terms.back().push_back(position_of(from.index, operands[from.operand].shape()));
  };
  one.elements.push_back(element);
  for (Places* places : {&one.a, &one.b, &one.bias, &one.position}) {
    places->terms.emplace_back();
  }
  for (const Derivation::Term& term : derivation.terms) {
    at(one.a, term.a);
    if (term.b) {
      at(one.b, *term.b);
    }
  }
  if (derivation.bias) {
    at(one.bias, *derivation.bias);
  }
  one.position.terms.back().push_back(static_cast<std::int64_t>(derivation.position));
}

Json case_json(const CaseKey& key, const Case& one, const Shape& shape) {
  const auto rule = static_cast<Derivation::Rule>(std::get<0>(key));
  Json json = {{"r", rule_name(rule)}};
  const auto put = [&](const char* name, const Places& places) {
    if (!places.terms[0].empty()) {
      json[name] = places_json(one.elements, places, shape);
    }
  };
  json["n"] = std::get<2>(key);
  put("a", one.a);
  put("b", one.b);
  put("bias", one.bias);
  if (rule == Derivation::Rule::softmax) {
    put("at", one.position);
  }
  if (std::get<1>(key) != 0) {
    json["c"] = float_digits(static_cast<float>(std::get<1>(key)));
  }
  return json;
}

/// The ways in which a tensor's elements came about, "c", and which element came about in which, "z".
Json cases_json(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  const auto& operands = tensor.operands();
  const std::int64_t count = element_count(shape);
  std::map<CaseKey, std::size_t> numbers;
  std::vector<std::pair<CaseKey, Case>> cases;
  std::vector<std::size_t> which;
  for (std::int64_t element = 0; element < count; ++element) {
    const Derivation derivation = tensor.operation().derive(operands, index_at(element, shape));
    if (static_cast<std::int64_t>(derivation.terms.size()) * count > most_terms) {
      return Json::object();
    }
    const CaseKey key = case_key(derivation);
    const auto [found, is_new] = numbers.emplace(key, cases.size());
    if (is_new) {
      cases.emplace_back(key, Case{});
    }
    add_to(cases[found->second].second, derivation, operands, element);
    which.push_back(found->second);
  }
  Json json = Json::object();
  for (const auto& [key, one] : cases) {
    json["c"].push_back(case_json(key, one, shape));
  }
  if (cases.size() > 1) {
    json["z"] = which;
  }
  return json;
}

// ---- Tensors ---------------------------------------------------------------------------------------

/// The shown tensors and all that they were made from, operands first.
class Graph {
 public:
  explicit Graph(const LessonPage& page) : page_(page) {}

  /// The tensor's number; none where it has too many elements.
  std::optional<std::size_t> add(const Tensor& tensor) {
    const std::int64_t count = element_count(tensor.shape());
    if (count > std::min(page_.text.print.threshold, most_elements)) {
      return std::nullopt;
    }
    if (const auto found = numbers_.find(tensor.id()); found != numbers_.end()) {
      return found->second;
    }
    Json operands = Json::array();
    for (const Tensor& operand : tensor.operands()) {
      const auto number = add(operand);
      operands.push_back(number ? static_cast<std::int64_t>(*number) : -1);
    }
    nodes_.push_back(node_json(tensor, std::move(operands)));
    numbers_.emplace(tensor.id(), nodes_.size() - 1);
    label_mask(tensor, nodes_.back());
    return nodes_.size() - 1;
  }

  void set_step(std::size_t node, std::size_t step) {
    if (!nodes_[node].contains("i")) {
      nodes_[node]["i"] = step;
    }
  }

  /// Tensors that are no steps bring their printed numbers with them.
  Json json(const std::map<std::size_t, Tensor>& shown) && {
    for (const auto& [id, number] : numbers_) {
      if (!shown.contains(number) && !printed_[number].empty()) {
        nodes_[number]["p"] = printed_[number];
      }
    }
    return std::move(nodes_);
  }

 private:
  Json node_json(const Tensor& tensor, Json operands) {
    const bool has_operands = std::all_of(operands.begin(), operands.end(), [](const Json& o) { return o >= 0; });
    Json node = {{"n", tensor.name()}, {"s", tensor.shape()}, {"t", dtype_name(tensor.dtype())}};
    if (tensor.name().empty()) {
      node["e"] = tensor.expression();
    }
    node["x"] = Json::array();
    for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) {
      const bool fits = tensor.shape()[axis] == static_cast<std::int64_t>(page_.tokens.size());
      node["x"].push_back(fits && counts_tokens(tensor, axis) ? 1 : 0);
    }
    if (const auto token = token_of(tensor); token && *token < static_cast<std::int64_t>(page_.tokens.size())) {
      node["w"] = *token;
    }
    node["o"] = std::move(operands);
    if (has_operands) {
      node.update(cases_json(tensor));
    }
    const auto is_copy = [](const Json& one) { return one["r"] == "copy"; };
    const bool is_seen_elsewhere = node.contains("c") && std::all_of(node["c"].begin(), node["c"].end(), is_copy);
    const auto contents = tensor.array().contents();
    if (!is_seen_elsewhere) {
      node["v"] = value_digits(*contents);
    }
    printed_.push_back(element_count(tensor.shape()) == 0
                           ? "" : torch::format_tensor(*contents, {}, page_.text.print));
    return node;
  }

  /// A mask is labelled as what it masks.
  void label_mask(const Tensor& tensor, const Json& node) {
    const Made how = made(tensor);
    if ((how != Made::masked && how != Made::dropout) || node["o"].size() < 2 || node["o"][1] < 0) {
      return;
    }
    Json& mask = nodes_[node["o"][1].get<std::size_t>()];
    const std::size_t extra = node["x"].size() - mask["x"].size();
    for (std::size_t axis = 0; axis < mask["x"].size(); ++axis) {
      mask["x"][axis] = node["x"][axis + extra];
    }
  }

  const LessonPage& page_;
  Json nodes_ = Json::array();
  std::vector<std::string> printed_;
  std::unordered_map<const void*, std::size_t> numbers_;
};

// ---- Colours ---------------------------------------------------------------------------------------

std::string hex(Rgb colour) {
  constexpr std::string_view figures = "0123456789abcdef";
  std::string text = "#";
  for (const int channel : {colour.red, colour.green, colour.blue}) {
    text += figures[static_cast<std::size_t>(channel / 16)];
    text += figures[static_cast<std::size_t>(channel % 16)];
  }
  return text;
}

/// As diverging_colour, for a dark page: blue over near black to brown, getting lighter evenly.
Rgb dark_diverging_colour(double t) {
  const double share = 2 * t - 1;
  const OkLab end = to_oklab(diverging_colour(share < 0 ? 0 : 1));
  const double strength = std::max(share, -share);
  return from_oklab({std::lerp(0.27, 0.78, strength), end.a * strength, end.b * strength});
}

Json ramp_json(Rgb (*colour)(double)) {
  Json ramp = Json::array();
  for (int i = 0; i < ramp_colours; ++i) {
    ramp.push_back(hex(colour(static_cast<double>(i) / (ramp_colours - 1))));
  }
  return ramp;
}

// ---- Steps -----------------------------------------------------------------------------------------

/// For #step addresses: the variable's name, with its section where another step has the same name.
std::vector<std::string> step_ids(std::span<const Step> steps) {
  const auto plain = [](std::string_view text) {
    std::string id;
    for (const char c : text) {
      const bool is_fit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      id += is_fit ? c : '-';
    }
    return id.empty() ? "step" : id;
  };
  std::vector<std::string> ids(steps.size());
  std::set<std::string> taken;
  const auto name_all = [&](bool tensors) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if ((steps[i].kind == Step::Kind::tensor) != tensors) {
        continue;
      }
      std::string id = plain(steps[i].name);
      if (taken.contains(id) && !steps[i].section.empty()) {
        id = plain(steps[i].section) + "." + id;
      }
      const std::string first = id;
      for (int n = 2; !taken.insert(id).second; ++n) {
        id = first + "-" + std::to_string(n);
      }
      ids[i] = id;
    }
  };
  name_all(true);
  name_all(false);
  return ids;
}

std::string heading_of(const Step& step) {
  std::string heading = trimmed(step.label);
  while (heading.ends_with(':')) {
    heading.pop_back();
  }
  return heading.empty() ? step.name : heading;
}

std::string printed_text(const Step& step, const TextOptions& options) {
  switch (step.kind) {
    case Step::Kind::tensor: return tensor_text(*step.tensor, options);
    case Step::Kind::size: return torch::format_size(step.tensor->shape());
    case Step::Kind::text: break;
  }
  return step.text;
}

Values step_values(const Step& step, const LessonPage& page) {
  const StepExplanation said = explain(step, page.why ? page.why(step) : "", page.tokens);
  Values values;
  values["heading"] = escaped(heading_of(step));
  values["section"] = escaped(step.section);
  values["extra"] = step.in_article ? "" : "not printed by the article";
  const bool has_expression = step.kind == Step::Kind::tensor;
  values["expression"] = has_expression ? escaped(step.name + " = " + said.expression) : "";
  values["shapes"] = escaped(said.shapes);
  values["why"] = escaped(said.why);
  values["notices"] = "";
  for (const std::string& notice : said.notices) {
    values["notices"] += "<li>" + escaped(notice) + "</li>";
  }
  values["label"] = escaped(step.label + (step.label.empty() ? "" : " "));
  values["printed"] = escaped(printed_text(step, page.text));
  return values;
}

/// What the command's options were, as far as any were given: "seed 123, steps all".
std::string options_text(const Json& about) {
  std::string text;
  if (!about.contains("options")) {
    return text;
  }
  for (const char* name : {"seed", "tokens", "d_in", "batch", "query", "d_out_kq", "d_out_v", "num_heads", "dropout"}) {
    const auto found = about["options"].find(name);
    if (found != about["options"].end() && !found->is_null()) {
      text += (text.empty() ? "" : ", ") + std::string(name) + " " +
              (found->is_string() ? found->get<std::string>() : found->dump());
    }
  }
  return text;
}

std::string text_of(const Json& about, const char* name) {
  return about.contains(name) && about[name].is_string() ? about[name].get<std::string>() : "";
}

/// Nothing in it can end the script element that it stands in.
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    text += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return text;
}

}  // namespace

void write_html(std::ostream& out, const LessonPage& lesson) {
  const auto [step_pattern, without_steps] = cut_out(std::string(page::lesson_html), "step");
  const auto [entry_pattern, pattern] = cut_out(without_steps, "entry");
  const std::vector<std::string> ids = step_ids(lesson.steps);

  Graph graph(lesson);
  std::map<std::size_t, Tensor> shown;
  Json steps = Json::array();
  std::string articles;
  std::string entries;
  std::string section;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const Step& step = lesson.steps[i];
    Json json = {{"id", ids[i]}};
    if (step.end != "\n") {
      json["end"] = step.end;
    }
    if (step.kind == Step::Kind::tensor) {
      if (const auto node = graph.add(*step.tensor)) {
        json["node"] = *node;
        graph.set_step(*node, i);
        shown.emplace(*node, *step.tensor);
      }
    }
    steps.push_back(std::move(json));

    Values values = step_values(step, lesson);
    values["id"] = ids[i];
    values["number"] = std::to_string(i + 1);
    values["count"] = std::to_string(lesson.steps.size());
    articles += filled(step_pattern, values);
    values["section"] = step.section == section ? "" : escaped(step.section);
    section = step.section;
    entries += filled(entry_pattern, values);
  }

  const Json data = {
      {"about", lesson.about},
      {"tokens", std::vector<std::string>(lesson.tokens.begin(), lesson.tokens.end())},
      {"ramps",
       {{"sequential", ramp_json(sequential_colour)},
        {"light", ramp_json(diverging_colour)},
        {"dark", ramp_json(dark_diverging_colour)}}},
      {"steps", std::move(steps)},
      {"nodes", std::move(graph).json(shown)},
  };
  const std::string version = text_of(lesson.about, "version");
  out << filled(pattern, {
                             {"title", escaped(lesson.title)},
                             {"article", escaped(text_of(lesson.about, "article"))},
                             {"options", escaped(options_text(lesson.about))},
                             {"version", escaped(version)},
                             {"style", std::string(page::lesson_css)},
                             {"script", std::string(page::lesson_js)},
                             {"entry", entries},
                             {"step", articles},
                             {"data", script_json(data)},
                         });
}

}  // namespace attn::render
