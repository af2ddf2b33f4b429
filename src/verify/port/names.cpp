#include "verify/port/right.hpp"

#include <algorithm>
#include <array>
#include <iterator>
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

/// names.txt: meanings by name, and what words are.
struct Table {
  std::map<std::string, Habit> habits;
  std::map<std::string, std::string> roles;
};

Table read_table() {
  Table table;
  for (const std::string& line : split(names_text(), '\n')) {
    const std::size_t colon = line.find(':');
    if (line[0] == '#' || colon == std::string::npos) {
      continue;
    }
    const std::string_view meaning = std::string_view(line).substr(0, colon);
    for (const std::string& name : split(std::string_view(line).substr(colon + 1), ' ')) {
      meaning[0] == '~' ? void(table.roles.emplace(name, meaning.substr(1)))
                        : void(table.habits.emplace(name, habit_in(meaning)));
    }
  }
  return table;
}

const Table& table() {
  static const Table own = read_table();
  return own;
}

const Habit* habit_of(const std::string& name) {
  const auto found = table().habits.find(name);
  return found == table().habits.end() ? nullptr : &found->second;
}

const Habit* habit_of(std::span<const std::string> words) { return habit_of(text::joined(words, "_")); }

/// "weight", "columns" or "bias" of a parameter's ending, "result" of a module's, "foreign" of what surrounds
/// attention; empty of other words.
std::string_view role_of(const std::string& word) {
  const auto found = table().roles.find(word);
  return found == table().roles.end() ? std::string_view() : found->second;
}

bool is_suffix(std::string_view role) { return role == "weight" || role == "columns" || role == "bias"; }

// ---- Names in parts

bool is_number(std::string_view word) { return !word.empty() && std::ranges::all_of(word, text::is_digit); }

std::optional<std::int64_t> small_number(std::string_view digits) {
  constexpr std::size_t most_digits = 4;
  return is_number(digits) && digits.size() <= most_digits ? text::number_of<std::int64_t>(digits) : std::nullopt;
}

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
    path.last = is_suffix(role_of(plain)) ? path.last : plain;
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

/// Takes ".weight", "_bias" and the like off the path's end, and returns what it is.
std::string_view take_suffix(Path& path) {
  Words& last = path.segments.back();
  const std::string_view role = role_of(last.back());
  if (!is_suffix(role) || (last.size() == 1 && path.segments.size() == 1)) {
    return "";
  }
  last.pop_back();
  last.empty() ? path.segments.pop_back() : void();
  return role;
}

/// Takes the last word off what a module gives, as hooks and graphs call it: "q_proj.output", "query/BiasAdd".
void take_result(Path& path) {
  Path module = path;
  module.segments.pop_back();
  const Habit* const habit = module.segments.empty() ? nullptr : certain_habit(module);
  const std::string own = habit == nullptr ? "" : module.segments.back().back();
  const bool is_layer =
      habit != nullptr && (!habit->module.empty() || !habit->parts.empty() || own == "softmax" || own == "dropout");
  if (is_layer && role_of(text::joined(path.segments.back(), "_")) == "result") {
    path = std::move(module);
  }
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
  const bool is_foreign = std::ranges::find(all, "foreign", role_of) != all.end();
  const Habit* habit = habit_of(all);
  if (is_foreign && habit == nullptr && !names_norm(path)) {
    return meant;
  }
  if (segments.size() > 1) {  // "attn.weights", and "attn.bias", GPT-2's buffer
    const Habit* const of_two = habit_of(text::joined(segments[segments.size() - 2], "_") + "_" + segments.back()[0]);
    habit = of_two == nullptr || segments.back().size() > 1 ? habit : of_two;
  }
  habit == nullptr ? take_result(path) : void();
  habit = habit == nullptr && segments.back().size() > 1 ? habit_of(segments.back()) : habit;
  if (const std::string_view role = habit == nullptr ? take_suffix(path) : ""; !role.empty()) {
    meant.kind = role == "bias" ? Meant::Kind::bias : Meant::Kind::weight;
    meant.is_columns = role == "columns";
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
