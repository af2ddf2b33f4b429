#include "render/page/nodes.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "lesson/lineage.hpp"
#include "render/page/words.hpp"
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
    json["d"] = derivations_json(tensor, tellings_);
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

}  // namespace attn::render
