#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "files/read/formats.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

using nlohmann::json;

constexpr int most_nested = 72;  // 64 axes, within a list of chapters

[[noreturn]] void throw_not_ours(const std::string& what) {
  throw Wrong(what, "write it again, in Python with json.dump({name: tensor.tolist()}, file)",
              "it must be JSON of tensors' names and nested lists, or what attn-walkthrough wrote");
}

[[noreturn]] double throw_misshapen(const std::string& name) {
  throw_not_ours("the values of '" + name + "' do not have its shape");
}

struct Word {
  const char* text;
  double number;
};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// Numbers that JSON lacks: as attn-walkthrough writes them, and as Python and JavaScript do.
constexpr auto words = std::to_array<Word>({{"nan", nan},
                                            {"inf", infinity},
                                            {"-inf", -infinity},
                                            {"NaN", nan},
                                            {"Infinity", infinity},
                                            {"-Infinity", -infinity}});

/// Converts a number, a bool, or a string for a number that JSON lacks.
double number_of(const json& value, const std::string& name) {
  if (value.is_number()) {
    return value.get<double>();
  }
  if (value.is_boolean()) {
    return value.get<bool>() ? 1 : 0;
  }
  if (value.is_null()) {
    return -infinity;
  }
  const auto* const word = std::ranges::find_if(words, [&](const Word& one) { return value == one.text; });
  return word == words.end() ? throw_misshapen(name) : word->number;
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

/// Python's words for numbers that JSON lacks, as strings.
std::string with_quoted_words(std::string_view text) {
  std::string made;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const std::string_view word = is_in_string                    ? ""
                                  : rest.starts_with("-Infinity") ? "-Infinity"
                                  : rest.starts_with("Infinity")  ? "Infinity"
                                  : rest.starts_with("NaN")       ? "NaN"
                                                                  : "";
    if (!word.empty()) {
      made += '"' + std::string(word) + '"';
      i += word.size() - 1;
      continue;
    }
    is_in_string = is_in_string != (text[i] == '"');
    made += text[i];
    if (is_in_string && text[i] == '\\' && i + 1 < text.size()) {
      made += text[++i];
    }
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
  const bool is_number = value->is_number() || value->is_boolean() || value->is_null() ||
                         std::ranges::any_of(words, [&](const Word& one) { return *value == one.text; });
  return is_number ? std::optional(shape) : std::nullopt;
}

/// Adds the wanted lists of an object, or a list alone; returns the number of all of them.
std::size_t add_lists(const json& value, const std::string& name, const Wanted& wanted, std::vector<Dumped>& tensors) {
  if (value.is_object()) {
    std::size_t count = 0;
    for (const auto& [key, item] : value.items()) {
      count += add_lists(item, name.empty() ? key : name + "/" + key, wanted, tensors);
    }
    return count;
  }
  const auto shape = value.is_array() ? shape_of_list(value) : std::nullopt;
  if (!shape) {
    return 0;
  }
  check_name(name);
  if (wanted({name, *shape, "float64"})) {
    std::vector<double> values;
    append(value, *shape, false, name, values);
    tensors.push_back({name, *shape, "float64", std::move(values)});
  }
  return 1;
}

}  // namespace

bool looks_like_json(const Beginning& beginning) {
  std::string dense;
  for (const char c : beginning.bytes) {
    if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      dense += c;
    }
  }
  const std::string_view ours = R"({"tool":"attn-walkthrough")";
  return dense.starts_with(ours) || dense.starts_with("[" + std::string(ours));
}

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
  std::string text = bytes.piece(0, bytes.size());
  if (text.find("NaN") != std::string::npos || text.find("Infinity") != std::string::npos) {
    text = with_quoted_words(text);
  }
  const json document = json::parse(text, is_shallow, false);
  if (document.is_discarded()) {
    throw_not_ours("it is not whole JSON");
  }
  std::vector<Dumped> tensors;
  const json& first = document.is_array() && !document.empty() ? document.front() : document;
  if (!first.is_object() || !first.contains("tool")) {
    if (add_lists(document, document.is_array() ? of_file : "", wanted, tensors) == 0) {
      throw_not_ours("it has no tensor");
    }
    return tensors;
  }
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
