#include "render/page/nodes.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <variant>

#include "lesson/explain.hpp"
#include "lesson/printed.hpp"
#include "lesson/told.hpp"
#include "render/writers.hpp"
#include "tensor/words.hpp"
#include "text/numbers.hpp"
#include "torch/print.hpp"

namespace attn::render {

namespace {

using Json = nlohmann::ordered_json;

/// All numbers with enough digits to identify them exactly, separated by spaces.
std::string value_digits(const Contents& contents) {
  return std::visit(
      [](const auto& values) {
        std::string text;
        for (const auto value : values) {
          text += text.empty() ? "" : " ";
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, float>) {
            text += text::float_text(value);
          } else if constexpr (std::is_same_v<Value, bool>) {
            text += value ? "1" : "0";
          } else {
            text += text::shortest_text(value);
          }
        }
        return text;
      },
      contents);
}

/// All numbers as PyTorch prints them, separated by spaces.
std::string printed_numbers(const Contents& contents, const torch::PrintOptions& print) {
  const torch::PrintedTensor printed = torch::print_tensor(contents, {}, print);
  std::string text;
  for (const torch::PrintedCell& cell : printed.cells) {
    text += (text.empty() ? "" : " ") + torch::cell_text(printed, cell);
  }
  return text;
}

/// The source of a contiguous copy, which has the same numbers in the same places.
const Tensor& spoken(const Tensor& tensor) {
  return tensor.kind() == Kind::contiguous ? spoken(tensor.operands()[0]) : tensor;
}

/// A tensor with more terms than this is not explained number by number: a page would load slowly.
constexpr std::int64_t most_page_terms = 100'000;

Json telling_json(const Telling& telling, const Derivation& derivation) {
  const PageTelling& page = telling.page;
  Json json = {{"shown", page.paragraphs}, {"said", page.said}};
  for (const Lines& hint : telling.hints) {
    json["hints"].push_back({hint.opening, hint.each, hint.bias});
  }
  if (derivation.rule == Derivation::Rule::copy) {
    json["copy"] = 1;
  }
  if (telling.has_own) {
    json["own"] = 1;
  }
  if (telling.has_constant) {
    json["c"] = text::float_text(static_cast<float>(derivation.constant));
  }
  if (!page.head.empty()) {
    json.update({{"head", page.head}, {"each", page.each}, {"bias", page.bias}, {"saidEach", page.said_each}});
  }
  for (const Column& column : telling.columns) {
    json["columns"].push_back({column.name, column.operation, column.x, column.y});
  }
  return json;
}

/// The label and the printed value that the step's article element shows.
Json printed_json(const Step& step, const TextOptions& text) {
  return {{"label", label_text(step)}, {"printed", value_text(step, text)}};
}

bool is_same(const StepPair& pair, const TextOptions& text) {
  const std::string_view alike = likeness(pair, text);
  const bool is_tensor = pair.as_is->kind == Step::Kind::tensor;
  return !alike.empty() && !(is_tensor && !same_numbers(*pair.as_is->tensor, *pair.changed->tensor));
}

}  // namespace

std::size_t PageNodes::add_chapter(std::span<const std::string> tokens) {
  tokens_.push_back(tokens);
  return tokens_.size() - 1;
}

std::optional<std::size_t> PageNodes::add(const Tensor& tensor, std::size_t chapter) {
  const std::int64_t count = element_count(tensor.shape());
  if (count > std::min(print_.threshold, most_page_elements)) {
    return std::nullopt;
  }
  if (const auto found = numbers_.find(tensor.id()); found != numbers_.end()) {
    return found->second;
  }
  std::vector<std::int64_t> operands;
  for (const Tensor& operand : tensor.operands()) {
    const auto number = add(operand, chapter);
    operands.push_back(number ? static_cast<std::int64_t>(*number) : -1);
  }
  nodes_.push_back({tensor, chapter, std::move(operands), std::nullopt, tensor.name()});
  numbers_.emplace(tensor.id(), nodes_.size() - 1);
  return nodes_.size() - 1;
}

void PageNodes::set_step(std::size_t node, std::size_t step, const std::string& name) {
  if (!nodes_[node].step) {
    nodes_[node].step = step;
    nodes_[node].name = nodes_[node].name.empty() ? name : nodes_[node].name;
  }
}

Json PageNodes::node_json(std::size_t node) {
  const auto& [tensor, chapter, operands, step, name] = nodes_[node];
  const std::span<const std::string> tokens = tokens_[chapter];
  Json json = {{"n", name}, {"s", tensor.shape()}, {"t", dtype_name(tensor.dtype())}};
  if (name.empty()) {
    const Tensor& told = spoken(tensor);
    json["e"] = told.name().empty() ? grouped(told.expression()) : told.name();
  }
  json["x"] = Json::array();
  const std::vector<bool> by_tokens = token_axes(tensor, tokens.size());
  for (std::size_t axis = 0; axis < by_tokens.size(); ++axis) {
    json["x"].push_back(by_tokens[axis] ? 1 : counts_heads(tensor, axis) ? 2 : 0);
  }
  if (const auto token = token_of(tensor); token && *token < static_cast<std::int64_t>(tokens.size())) {
    json["w"] = *token;
  }
  json["o"] = operands;
  if (std::all_of(operands.begin(), operands.end(), [](std::int64_t operand) { return operand >= 0; })) {
    json["d"] = derivations_json(tensor);
  }
  const auto is_copy = [&](const Json& one) { return tellings_[one[0]].contains("copy"); };
  const bool is_seen_elsewhere =
      json.contains("d") && !json["d"].empty() && std::all_of(json["d"].begin(), json["d"].end(), is_copy);
  const auto contents = tensor.array().contents();
  if (!is_seen_elsewhere) {
    json["v"] = value_digits(*contents);
  }
  if (tensor.array().count() > 0) {
    json["p"] = printed_numbers(*contents, print_);
  }
  if (step) {
    json["i"] = *step;
  }
  if (chapter > 0) {
    json["k"] = chapter;
  }
  return json;
}

std::size_t PageNodes::telling_number(const Json& telling) {
  const auto [found, is_new] = telling_numbers_.emplace(telling.dump(), tellings_.size());
  if (is_new) {
    tellings_.push_back(telling);
  }
  return found->second;
}

Json PageNodes::tellings_from(std::size_t first) const {
  return std::vector<Json>(tellings_.begin() + static_cast<std::ptrdiff_t>(first), tellings_.end());
}

Json PageNodes::derivations_json(const Tensor& tensor) {
  const auto& operands = tensor.operands();
  std::vector<std::int64_t> begins = {0};
  for (const Tensor& operand : operands) {
    begins.push_back(begins.back() + element_count(operand.shape()));
  }
  const auto place = [&](const Element& element) {
    return begins[element.operand] + position_of(element.index, operands[element.operand].shape());
  };
  const std::int64_t count = element_count(tensor.shape());
  std::map<std::tuple<Derivation::Rule, double, std::size_t, bool>, std::size_t> alike;  // are told in the same words
  Json all = Json::array();
  for (std::int64_t position = 0; position < count; ++position) {
    const Derivation derivation = tensor.operation().derive(operands, index_at(position, tensor.shape()));
    if (static_cast<std::int64_t>(derivation.terms.size()) * count > most_page_terms) {
      return Json::array();
    }
    const auto& terms = derivation.terms;
    const auto [told_as, is_new] = alike.try_emplace(
        {derivation.rule, derivation.constant, terms.size(), !terms.empty() && terms[0].b.has_value()});
    if (is_new) {
      told_as->second = telling_number(telling_json(told(tensor, derivation), derivation));
    }
    std::vector<std::int64_t> a;
    std::vector<std::int64_t> b;
    std::vector<std::int64_t> bias;
    for (const Derivation::Term& term : terms) {
      a.push_back(place(term.a));
      if (term.b) {
        b.push_back(place(*term.b));
      }
    }
    if (derivation.bias) {
      bias.push_back(place(*derivation.bias));
    }
    Json one = {told_as->second, a, b, bias};
    while (one.back().is_array() && one.back().empty()) {
      one.erase(one.size() - 1);
    }
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::ordered_json asks_json(const Step& step, Questions& questions, const TextOptions& text) {
  const torch::PrintedTensor printed = printed_step(step, text);
  std::vector<std::int64_t> positions;
  for (const torch::PrintedCell& cell : questions.open(step, printed)) {
    positions.push_back(cell.position);
  }
  std::ranges::sort(positions);
  questions.note_shown(step, printed);
  std::vector<std::int64_t> runs;
  for (const std::int64_t position : positions) {
    if (!runs.empty() && position == runs[runs.size() - 2] + runs.back()) {
      ++runs.back();
    } else {
      runs.insert(runs.end(), {position, 1});
    }
  }
  return runs.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(runs);
}

std::vector<Json> changes_json(const ShownChapter& chapter, const ShownWhatIf& what_if, std::size_t number,
                               std::size_t first_step, PageNodes& nodes, const TextOptions& text) {
  std::vector<Json> changes;
  Json added = Json::array();  // steps that only the changed chapter has, before the next one of both
  for (const StepPair& pair : pairs_of(chapter.steps, what_if.steps)) {
    const auto& [as_is, changed] = pair;
    if (as_is == nullptr) {
      added.push_back(printed_json(*changed, text));
      added.back()["what"] = changed->name + (changed->tensor ? " = " + changed->tensor->expression() : "");
      continue;
    }
    Json change = Json::object();
    if (!added.empty()) {
      change["added"] = std::exchange(added, Json::array());
    }
    if (changed == nullptr) {
      change["gone"] = "no " + as_is->name + " here";
    } else if (!is_same(pair, text)) {
      change.update(printed_json(*changed, text));
      const bool is_tensor = changed->kind == Step::Kind::tensor;
      if (const auto node = is_tensor ? nodes.add(*changed->tensor, number) : std::nullopt) {
        nodes.set_step(*node, first_step + changes.size(), changed->name);
        change["node"] = *node;
      }
      if (heading_of(*changed) != heading_of(*as_is)) {
        change["heading"] = heading_of(*changed);
      }
      if (const std::string_view alike = likeness(pair, text); !alike.empty()) {
        change["alike"] = alike;
      }
      const StepExplanation said = explain(*changed, {}, chapter.tokens);  // the unchanged step already has its reason
      if (is_tensor) {
        change["expression"] = changed->name + " = " + said.expression;
      }
      change["shapes"] = said.shapes;
      change["notices"] = said.notices;
    }
    changes.push_back(std::move(change));
  }
  for (Json& one : added) {
    changes.back()["added"].push_back(std::move(one));
  }
  std::ranges::replace_if(
      changes, [](const Json& change) { return change.empty(); }, Json(0));
  return changes;
}

}  // namespace attn::render
