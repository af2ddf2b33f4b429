#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <nlohmann/json.hpp>

#include "files/read/formats.hpp"
#include "files/wrong.hpp"
#include "text/numbers.hpp"

namespace attn::files {
namespace {

using nlohmann::json;

constexpr int most_nested = 72;  // 64 axes, within a list of chapters

[[noreturn]] void throw_not_ours(const std::string& what) {
  throw Wrong(what, "write it again, in Python with json.dump({name: tensor.tolist()}, file)",
              "it must be JSON of tensors' names and nested lists, or what attn-walkthrough wrote");
}

[[noreturn]] void throw_misshapen(const std::string& name) {
  throw_not_ours("the values of '" + name + "' do not have its shape");
}

/// Converts a number, a bool, null, or the word of a number that JSON lacks; empty for anything else.
std::optional<double> number_of(const json& value) {
  if (value.is_number()) {
    return value.get<double>();
  }
  if (value.is_boolean()) {
    return value.get<bool>() ? 1 : 0;
  }
  if (value.is_null()) {
    return -std::numeric_limits<double>::infinity();
  }
  const auto number = value.is_string() ? text::number_of<double>(value.get_ref<const std::string&>()) : std::nullopt;
  return number && !std::isfinite(*number) ? number : std::nullopt;
}

void append(const json& value, std::span<const std::int64_t> shape, bool is_float32, const std::string& name,
            std::vector<double>& values) {
  if (shape.empty()) {
    const std::optional<double> number = number_of(value);
    number ? values.push_back(is_float32 ? static_cast<double>(static_cast<float>(*number)) : *number)
           : throw_misshapen(name);
    return;
  }
  if (!value.is_array() || static_cast<std::int64_t>(value.size()) != shape[0]) {
    throw_misshapen(name);
  }
  for (const json& item : value) {
    append(item, shape.subspan(1), is_float32, name, values);
  }
}

/// The string under the key; empty without one.
std::string text_at(const json& object, const char* key) {
  const json found = object.value(key, json());
  return found.is_string() ? found.get<std::string>() : "";
}

/// Python's words for numbers that JSON lacks, as strings.
std::string with_quoted_words(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_quoted = i > 0 && (text[i - 1] == '"' || text[i - 1] == '-');
    std::string_view taken = text.substr(i, 1);
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      taken = !is_quoted && text.substr(i).starts_with(word) ? word : taken;
    }
    made += taken.size() > 1 ? '"' + std::string(taken) + '"' : std::string(taken);
    i += taken.size();
  }
  return made;
}

/// The shape of a nested list whose lists are all as long as the first of them; none if it holds no numbers.
std::optional<Shape> shape_of_list(const json& list) {
  Shape shape;
  const json* value = &list;
  for (; value->is_array() && !value->empty(); value = &value->front()) {
    shape.push_back(static_cast<std::int64_t>(value->size()));
  }
  return number_of(*value) ? std::optional(shape) : std::nullopt;
}

/// Adds a number or a nested list if it is wanted, and returns 1; 0 if it holds no numbers.
std::size_t add(const json& value, const std::string& name, const std::string& dtype, const Wanted& wanted,
                std::vector<Dumped>& tensors) {
  const std::optional<Shape> shape = shape_of_list(value);
  if (!shape) {
    return 0;
  }
  check_name(name);
  if (wanted({name, *shape, dtype})) {
    std::vector<double> values;
    append(value, *shape, dtype == "float32", name, values);
    tensors.push_back({name, *shape, dtype, std::move(values)});
  }
  return 1;
}

/// Adds the wanted lists of an object, or a list alone; returns the number of all of them.
std::size_t add_lists(const json& value, const std::string& name, const Wanted& wanted, std::vector<Dumped>& tensors) {
  if (!value.is_object()) {
    return value.is_array() ? add(value, name, "float64", wanted, tensors) : 0;
  }
  std::size_t count = 0;
  for (const auto& [key, item] : value.items()) {
    count += add_lists(item, name.empty() ? key : name + "/" + key, wanted, tensors);
  }
  return count;
}

/// Adds the wanted steps of what attn-walkthrough wrote; returns the number of all of them.
std::size_t add_steps(const json& document, const Wanted& wanted, std::vector<Dumped>& tensors) {
  std::set<std::string> names;
  std::size_t count = 0;
  for (const json& chapter : document.is_array() ? document : json::array({document})) {
    const json steps = chapter.is_object() ? chapter.value("steps", json()) : json();
    for (const json& step : steps.is_array() ? steps : json::array()) {
      if (!step.is_object() || !step.contains("values")) {
        continue;
      }
      const std::string section = text_at(step, "section");
      const std::string name = (document.is_array() ? text_at(chapter, "chapter") + "/" : "") +
                               (section.empty() ? "" : section + "/") + text_at(step, "name");
      count += names.insert(name).second ? add(step["values"], name, text_at(step, "dtype"), wanted, tensors) : 0;
    }
  }
  return count;
}

}  // namespace

nlohmann::json json_object(const std::filesystem::path& path, const std::set<std::string>& left_out) {
  constexpr std::size_t most = std::size_t{1} << 26U;
  const Bytes bytes(path);
  if (bytes.size() > most) {
    throw Wrong("it has more than 64 MiB", "see that it is the right file", "it must be a short JSON file");
  }
  const auto is_kept = [&](int /*depth*/, json::parse_event_t event, const json& value) {
    return event != json::parse_event_t::key || !left_out.contains(value.get_ref<const std::string&>());
  };
  json parsed =
      json::parse(bytes.piece(0, bytes.size()), left_out.empty() ? nullptr : json::parser_callback_t(is_kept), false);
  if (!parsed.is_object()) {
    throw Wrong("it is not a JSON object", "see that it is the model's own file", "it must be JSON");
  }
  return parsed;
}

std::vector<Dumped> parse_json(const Bytes& bytes, const std::string& of_file, const Wanted& wanted) {
  constexpr std::int64_t times_larger = 4;  // lists of numbers take at most this many times the text's memory
  check_name(of_file);
  check_memory(times_larger * static_cast<std::int64_t>(bytes.size()));
  const auto is_shallow = [](int depth, json::parse_event_t /*event*/, json& /*value*/) { return depth < most_nested; };
  const std::string text = bytes.piece(0, bytes.size());
  const bool has_words = text.find("NaN") != std::string::npos || text.find("Infinity") != std::string::npos;
  const json document = json::parse(has_words ? with_quoted_words(text) : text, is_shallow, false);
  if (document.is_discarded()) {
    throw_not_ours("it is not whole JSON");
  }
  const json& first = document.is_array() && !document.empty() ? document.front() : document;
  std::vector<Dumped> tensors;
  const std::size_t count = first.is_object() && first.contains("tool")
                                ? add_steps(document, wanted, tensors)
                                : add_lists(document, document.is_array() ? of_file : "", wanted, tensors);
  if (count == 0) {
    throw_not_ours("it has no tensor");
  }
  return tensors;
}

}  // namespace attn::files
