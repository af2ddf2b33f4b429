#include "files/json.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "files/file.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

using nlohmann::json;

constexpr int most_nested = 72;  // 64 axes, within a list of chapters

[[noreturn]] void throw_not_ours(const std::string& what) {
  throw Wrong(what, "write it again with attn-walkthrough CHAPTER --steps all --format json",
              "it must be JSON that attn-walkthrough wrote");
}

[[noreturn]] void throw_misshapen(const std::string& name) {
  throw_not_ours("the values of '" + name + "' do not have its shape");
}

/// Converts a number, a bool, or a string for a number that JSON lacks.
double number_of(const json& value, const std::string& name) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value.is_number()) {
    return value.get<double>();
  }
  if (value.is_boolean()) {
    return value.get<bool>() ? 1 : 0;
  }
  for (const auto& [text, number] :
       {std::pair{"nan", std::numeric_limits<double>::quiet_NaN()}, {"inf", infinity}, {"-inf", -infinity}}) {
    if (value == text) {
      return number;
    }
  }
  throw_misshapen(name);
}

void append(const json& value, std::span<const std::int64_t> shape, bool is_float32, const std::string& name,
            std::vector<double>& values) {
  if (shape.empty()) {
    const double number = number_of(value, name);
    values.push_back(is_float32 ? static_cast<double>(static_cast<float>(number)) : number);
    return;
  }
  if (!value.is_array() || static_cast<std::int64_t>(value.size()) != shape[0]) {
    throw_misshapen(name);
  }
  for (const json& item : value) {
    append(item, shape.subspan(1), is_float32, name, values);
  }
}

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    throw_not_ours("a step has no " + std::string(key));
  }
  return found->get<std::string>();
}

Shape shape_of(const json& step, const std::string& name) {
  constexpr std::size_t most_axes = 64;
  const json shape = step.value("shape", json());
  const auto is_size = [](const json& size) { return size.is_number_unsigned() && size < (std::int64_t{1} << 62); };
  if (!shape.is_array() || shape.size() > most_axes || !std::all_of(shape.begin(), shape.end(), is_size)) {
    throw_misshapen(name);
  }
  return shape.get<Shape>();
}

}  // namespace

bool looks_like_json(std::string_view beginning) {
  std::string dense;
  for (const char c : beginning) {
    if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      dense += c;
    }
  }
  const std::string_view ours = R"({"tool":"attn-walkthrough")";
  return dense.starts_with(ours) || dense.starts_with("[" + std::string(ours));
}

std::vector<Dumped> parse_json(std::string_view text, const Wanted& wanted) {
  constexpr std::int64_t times_larger = 4;  // lists of numbers take at most this many times the text's memory
  check_memory(times_larger * static_cast<std::int64_t>(text.size()));
  const auto is_shallow = [](int depth, json::parse_event_t /*event*/, json& /*value*/) { return depth < most_nested; };
  const json document = json::parse(text.begin(), text.end(), is_shallow, false);
  if (document.is_discarded()) {
    throw_not_ours("it is not whole JSON");
  }
  std::vector<Dumped> tensors;
  std::set<std::string> names;
  for (const json& chapter : document.is_array() ? document : json::array({document})) {
    const json steps = chapter.is_object() ? chapter.value("steps", json::array()) : json::array();
    for (const json& step : steps.is_array() ? steps : json::array()) {
      if (!step.is_object() || !step.contains("values")) {
        continue;
      }
      const std::string section = text_at(step, "section");
      const std::string name = (document.is_array() ? text_at(chapter, "chapter") + "/" : "") +
                               (section.empty() ? "" : section + "/") + text_at(step, "name");
      check_name(name);
      Dumped tensor = {name, shape_of(step, name), text_at(step, "dtype"), {}};
      if (names.insert(name).second && wanted({name, tensor.shape, tensor.dtype})) {
        std::vector<double> values;
        append(step["values"], tensor.shape, tensor.dtype == "float32", name, values);
        tensor.values = std::move(values);
        tensors.push_back(std::move(tensor));
      }
    }
  }
  if (names.empty()) {
    throw_not_ours("it has no tensor");
  }
  return tensors;
}

}  // namespace attn::files
