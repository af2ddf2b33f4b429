#include "verify/port/names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace attn::verify {

/// The text of names.txt.
std::string_view names_text();

namespace {

using Words = std::vector<std::string>;

// ---- The table

/// A line of names.txt: what its names mean.
struct Habit {
  Words steps;
  std::string module;  ///< a tensor of this name may be this module's .weight or .bias
  Words parts;         ///< for a fused tensor: its modules, side by side
  bool is_final = false;
};

Words split(std::string_view text, char separator) {
  Words words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) {
      words.emplace_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return words;
}

Habit habit_in(std::string_view meaning) {
  Habit habit;
  for (std::string& word : split(meaning, ' ')) {
    if (word[0] == '[') {
      habit.module = word.substr(1, word.size() - 2);
    } else if (word[0] == '+') {
      habit.parts.push_back(word.substr(1));
    } else if (word == "!") {
      habit.is_final = true;
    } else {
      habit.steps.push_back(std::move(word));
    }
  }
  return habit;
}

/// Meanings by name.
std::map<std::string, Habit> read_table() {
  std::map<std::string, Habit> table;
  for (const std::string& line : split(names_text(), '\n')) {
    const std::size_t colon = line.find(':');
    if (line[0] == '#' || colon == std::string::npos) {
      continue;
    }
    const Habit habit = habit_in(std::string_view(line).substr(0, colon));
    for (std::string& name : split(std::string_view(line).substr(colon + 1), ' ')) {
      table.emplace(std::move(name), habit);
    }
  }
  return table;
}

const Habit* habit_of(const std::string& name) {
  static const std::map<std::string, Habit> table = read_table();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

const Habit* habit_of(std::span<const std::string> words) { return habit_of(text::joined(words, "_")); }

// ---- Names in parts

/// Words that no attention has: of what surrounds it, whose other words say nothing here.
constexpr std::array<std::string_view, 24> foreign = {
    "mlp", "ffn",  "ff",  "feed", "fc1",  "fc2", "norm", "ln",    "layernorm", "rms",   "wte", "wpe",
    "lm",  "rope", "cos", "sin",  "gate", "pos", "tok",  "cache", "norm1",     "norm2", "lse", "logsumexp"};

/// What hooks and graphs call a module's result: "q_proj.output", "query/BiasAdd".
constexpr std::array<std::string_view, 3> results = {"output", "add", "bias_add"};

template <std::size_t Count>
bool is_one_of(std::string_view word, const std::array<std::string_view, Count>& all) {
  return std::ranges::find(all, word) != all.end();
}

bool is_number(std::string_view word) { return !word.empty() && std::ranges::all_of(word, text::is_digit); }

std::optional<std::int64_t> small_number(std::string_view digits) {
  constexpr std::size_t most_digits = 4;
  return is_number(digits) && digits.size() <= most_digits ? text::number_of<std::int64_t>(digits) : std::nullopt;
}

struct Suffix {
  std::string_view word;
  Meant::Kind kind;
  bool is_columns = false;
};
constexpr std::array<Suffix, 8> suffixes = {{{"weight", Meant::Kind::weight},
                                             {"weights", Meant::Kind::weight},
                                             {"kernel", Meant::Kind::weight, true},
                                             {"bias", Meant::Kind::bias},
                                             {"w", Meant::Kind::weight, true},
                                             {"b", Meant::Kind::bias},
                                             {"matrix", Meant::Kind::weight},
                                             {"param", Meant::Kind::weight}}};

/// A name in its parts: "h.0.attn.c_attn.weight" is {"h"}, {"attn"}, {"c", "attn"}, {"weight"}; numbers are left out.
struct Path {
  std::vector<Words> segments;
  std::string section;
  std::string last;  ///< with its numbers: "ln_1" of "h.0.ln_1.weight"
};

Path path_of(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return std::string_view("./:[]<>()|\\").find(c) != std::string::npos; }, '/');
  Path path;
  bool is_after_heads = false;
  for (const std::string& part : split(name, '/')) {
    const std::string plain = plain_name(part);
    path.last = std::ranges::find(suffixes, plain, &Suffix::word) == suffixes.end() ? plain : path.last;
    Words words = split(plain, '_');
    if (is_after_heads && words.size() == 1 && small_number(words[0])) {
      path.section = "head_" + std::to_string(*small_number(words[0]) + 1);  // "heads.0.q"
    }
    if (words.size() > 1 && (words[0] == "head" || words[0] == "heads") && is_number(words[1])) {  // "head_1_q"
      path.section = "head_" + words[1];
      words.erase(words.begin(), words.begin() + 2);
    }
    is_after_heads = words.size() == 1 && (words[0] == "heads" || words[0] == "head");
    while (!words.empty() && is_number(words.back())) {
      words.pop_back();
    }
    while (!words.empty() && is_number(words.front())) {
      words.erase(words.begin());
    }
    words.empty() ? void() : path.segments.push_back(std::move(words));
  }
  return path;
}

/// The meaning of the end of the path, with as much of it as has one.
const Habit* certain_habit(const Path& path) {
  for (std::size_t first = 0; first < path.segments.size(); ++first) {
    Words words;
    for (std::size_t i = first; i < path.segments.size(); ++i) {
      words.insert(words.end(), path.segments[i].begin(), path.segments[i].end());
    }
    if (const Habit* const habit = habit_of(words)) {
      return habit;
    }
  }
  return nullptr;
}

/// The meaning of the longest end, or else beginning, of the last segment's words.
const Habit* loose_habit(const Words& words) {
  const Habit* habit = nullptr;
  for (std::size_t first = 1; habit == nullptr && first < words.size(); ++first) {
    habit = habit_of(std::span(words).subspan(first));
  }
  for (std::size_t count = words.size(); habit == nullptr && count-- > 1;) {
    habit = habit_of(std::span(words).first(count));
  }
  return habit;
}

/// Takes ".weight", "_bias" and the like off the path's end.
const Suffix* take_suffix(Path& path) {
  Words& last = path.segments.back();
  const auto* const found = std::ranges::find(suffixes, std::string_view(last.back()), &Suffix::word);
  if (found == suffixes.end() || (last.size() == 1 && path.segments.size() == 1)) {
    return nullptr;
  }
  last.pop_back();
  last.empty() ? path.segments.pop_back() : void();
  return found;
}

/// What a module gets: "q_proj.input". Of what it gives ("query/add:0") takes the last word off.
const Habit* input_of_module(Path& path) {
  Path module = path;
  module.segments.pop_back();
  const Habit* const habit = module.segments.empty() ? nullptr : certain_habit(module);
  if (habit == nullptr) {
    return nullptr;
  }
  const std::string last = text::joined(path.segments.back(), "_");
  const std::string own = module.segments.back().back();
  const bool is_layer = own == "softmax" || own == "dropout";
  if (!is_layer && habit->module.empty() && habit->parts.empty()) {
    return nullptr;
  }
  if (last == "input") {
    return habit_of(own == "softmax"              ? "scores"
                    : own == "dropout"            ? "weights"
                    : habit->module == "out_proj" ? "context"
                                                  : "inputs");
  }
  if (is_one_of(last, results)) {
    path = std::move(module);
  }
  return nullptr;
}

/// Returns true for the norm of a layer's attention: "ln_1" and not "ln_2", "attention.output.LayerNorm" and not
/// "output.LayerNorm".
bool names_norm(const Path& path) {
  const auto has = [&](const char* word) {
    return std::ranges::find(path.segments, Words{word}) != path.segments.end();
  };
  const Habit* const habit = habit_of(path.last);
  return habit != nullptr && habit->module == "norm" && (!has("output") || has("attention")) && !has("mlp") &&
         !has("ffn");
}

// ---- What they mean

void add_steps(Meant& meant, const Habit& habit) {
  const auto add_parts = [&](const auto& step_of) {
    std::ranges::transform(habit.parts, std::back_inserter(meant.parts.emplace_back()), step_of);
  };
  const bool is_any = meant.kind == Meant::Kind::any;
  const bool has_parts = !habit.parts.empty();
  if (is_any) {
    meant.steps = habit.steps;
  }
  if (!habit.module.empty() && meant.kind != Meant::Kind::bias) {
    meant.steps.push_back(habit.module + (habit.module.starts_with("W_") ? "" : "_weight"));
  }
  if (!habit.module.empty() && meant.kind != Meant::Kind::weight) {
    meant.steps.push_back(habit.module + "_bias");
  }
  for (const char* const heads : {"", "_heads"}) {
    if (is_any && has_parts) {
      add_parts([&](const std::string& part) {
        return std::string(part == "W_query" ? "queries" : part == "W_key" ? "keys" : "values") + heads;
      });
    }
  }
  if (has_parts && meant.kind != Meant::Kind::bias) {
    meant.parts.push_back(habit.parts);
  }
  if (has_parts && meant.kind != Meant::Kind::weight) {
    add_parts([](const std::string& part) { return part + "_bias"; });
  }
  meant.is_final = habit.is_final && is_any;
}

}  // namespace

std::string plain_name(std::string_view name) {
  const auto is_upper = [](char c) { return text::lower(c) != c; };
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins_word = i > 0 && is_upper(name[i]) && text::is_letter(name[i - 1]) && !is_upper(name[i - 1]);
    const bool is_word = text::is_letter(name[i]) || text::is_digit(name[i]);
    result += begins_word ? "_" : "";
    result += is_word ? text::lower(name[i]) : '_';
  }
  return result;
}

Meant meant_by(std::string_view name) {
  Meant meant;
  name = name.substr(0, std::max<std::size_t>(name.find('('), 1));  // ggml's "Qcur-0 (permuted)"
  if (const std::size_t result = name.rfind("_output_"); result != std::string_view::npos && result > 0) {
    name = name.substr(0, is_number(name.substr(result + 8)) ? result : name.size());  // ONNX's "/attn/MatMul_output_0"
  }
  Path path = path_of(std::string(name));
  std::vector<Words>& segments = path.segments;
  meant.section = path.section;
  const auto is_word = [&](std::size_t from_end, const char* word) {
    return segments.size() > from_end && segments[segments.size() - 1 - from_end] == Words{word};
  };
  if (segments.size() > 2 && is_word(0, "value") && (is_word(1, "kernel") || is_word(1, "bias"))) {
    segments.pop_back();  // Flax's nnx has "kernel/value"
  }
  if (segments.empty()) {
    return meant;
  }
  Words all;
  std::ranges::for_each(segments, [&](const Words& words) { all.insert(all.end(), words.begin(), words.end()); });
  const bool is_foreign = std::ranges::any_of(all, [](const std::string& word) { return is_one_of(word, foreign); });
  const Habit* habit = habit_of(all);
  if (is_foreign && habit == nullptr && !names_norm(path)) {
    return meant;
  }
  if (segments.size() > 1) {  // "attn.weights", and "attn.bias", GPT-2's buffer
    const Habit* const of_two = habit_of(text::joined(segments[segments.size() - 2], "_") + "_" + segments.back()[0]);
    habit = of_two == nullptr || segments.back().size() > 1 ? habit : of_two;
  }
  habit = habit == nullptr ? input_of_module(path) : habit;
  habit = habit == nullptr && segments.back().size() > 1 ? habit_of(segments.back()) : habit;
  if (const Suffix* const suffix = habit == nullptr ? take_suffix(path) : nullptr) {
    meant.kind = suffix->kind;
    meant.is_columns = suffix->is_columns && suffix->kind == Meant::Kind::weight;
  }
  habit = habit == nullptr ? certain_habit(path) : habit;
  meant.is_certain = habit != nullptr;
  habit = habit == nullptr ? loose_habit(segments.back()) : habit;
  if (habit != nullptr) {
    add_steps(meant, *habit);
  }
  return meant;
}

}  // namespace attn::verify
