#include "verify/port/names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/port/habits.hpp"

namespace attn::verify {
namespace {

/// Words that no attention has: of what surrounds it, whose other words say nothing here.
constexpr std::array<std::string_view, 24> foreign = {
    "mlp", "ffn",  "ff",  "feed", "fc1",  "fc2", "norm", "ln",    "layernorm", "rms",   "wte", "wpe",
    "lm",  "rope", "cos", "sin",  "gate", "pos", "tok",  "cache", "norm1",     "norm2", "lse", "logsumexp"};

bool is_upper(char c) { return text::lower(c) != c; }

bool is_number(std::string_view word) { return !word.empty() && std::ranges::all_of(word, text::is_digit); }

std::vector<std::string> split_words(const std::string& plain) {
  std::string spaced = plain;
  std::ranges::replace(spaced, '_', ' ');
  return words_in(spaced);
}

std::string underscored(std::span<const std::string> words) { return text::joined(words, "_"); }

/// A name in its parts: "h.0.attn.c_attn.weight" is {"h"}, {"attn"}, {"c", "attn"}, {"weight"}; numbers are left out.
struct Path {
  std::vector<std::vector<std::string>> segments;
  std::string section;
};

Path path_of(std::string_view name) {
  Path path;
  std::string last;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("./:[]<>()|\\", begin), name.size());
    std::vector<std::string> words = split_words(plain_name(name.substr(begin, end - begin)));
    begin = end + 1;
    if ((last == "heads" || last == "head") && words.size() == 1 && is_number(words[0]) && words[0].size() < 6) {
      path.section = "head_" + std::to_string(std::stoi(words[0]) + 1);
    }
    if (words.size() > 2 && (words[0] == "head" || words[0] == "heads") && is_number(words[1])) {  // "head_0_q"
      path.section = "head_" + words[1];
      words.erase(words.begin(), words.begin() + 2);
    }
    last = underscored(words);
    if (last.starts_with("head_") && is_number(std::string_view(last).substr(5)) && begin <= name.size()) {
      path.section = last;
      continue;
    }
    while (!words.empty() && is_number(words.back())) {
      words.pop_back();
    }
    while (!words.empty() && is_number(words.front())) {
      words.erase(words.begin());
    }
    if (!words.empty()) {
      path.segments.push_back(std::move(words));
    }
  }
  return path;
}

std::optional<std::int64_t> small_number(std::string_view digits) {
  constexpr std::size_t most_digits = 4;
  return is_number(digits) && digits.size() <= most_digits ? text::number_of<std::int64_t>(digits) : std::nullopt;
}

/// "heads_1_q", "q_head_1", "head1", "q_h1"
std::optional<std::int64_t> head_in(const std::string& plain) {
  const std::vector<std::string> words = split_words(plain);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string_view word : {"heads", "head"}) {
      if (words[i] == word && i + 1 < words.size() && is_number(words[i + 1])) {
        return small_number(words[i + 1]);
      }
      if (words[i].starts_with(word) && small_number(std::string_view(words[i]).substr(word.size()))) {
        return small_number(std::string_view(words[i]).substr(word.size()));
      }
    }
  }
  return !words.empty() && words.size() > 1 && words.back().starts_with('h')
             ? small_number(std::string_view(words.back()).substr(1))
             : std::nullopt;
}

/// "q_2" or "q2" is {"q", 2}.
std::pair<std::string, std::optional<std::int64_t>> numbered_name(const std::string& plain) {
  const std::size_t last = plain.find_last_not_of("0123456789");
  const std::size_t begin = last == std::string::npos ? 0 : last + 1;
  const bool is_apart = begin > 0 && plain[begin - 1] == '_';
  return {plain.substr(0, begin - (is_apart ? 1 : 0)), small_number(std::string_view(plain).substr(begin))};
}

/// The row for the end of the path, with as much of it as has one.
const Habit* certain_habit(const Path& path) {
  for (std::size_t first = 0; first < path.segments.size(); ++first) {
    std::vector<std::string> words;
    for (std::size_t i = first; i < path.segments.size(); ++i) {
      words.insert(words.end(), path.segments[i].begin(), path.segments[i].end());
    }
    if (const Habit* const habit = habit_of(underscored(words))) {
      return habit;
    }
  }
  return nullptr;
}

/// The row for the longest end, or else beginning, of the last segment's words.
const Habit* loose_habit(const std::vector<std::string>& words) {
  for (std::size_t first = 1; first < words.size(); ++first) {
    if (const Habit* const habit = habit_of(underscored(std::span(words).subspan(first)))) {
      return habit;
    }
  }
  for (std::size_t count = words.size(); count-- > 1;) {
    if (const Habit* const habit = habit_of(underscored(std::span(words).first(count)))) {
      return habit;
    }
  }
  return nullptr;
}

/// What programs call both the contexts and the layer's result: in vLLM o_proj(attn_output), in GPT-2 its result.
constexpr std::array<std::string_view, 3> either_side = {"attn_output", "attn_out", "attn_outputs"};

/// The arguments of attention in Flax, Haiku, Keras and PyTorch.
constexpr std::array<std::string_view, 3> arguments = {"query", "key", "value"};

struct Suffix {
  std::string_view word;
  Meant::Kind kind;
  bool is_columns;
};
constexpr std::array<Suffix, 8> suffixes = {{{"weight", Meant::Kind::weight, false},
                                             {"weights", Meant::Kind::weight, false},
                                             {"kernel", Meant::Kind::weight, true},
                                             {"bias", Meant::Kind::bias, false},
                                             {"w", Meant::Kind::weight, true},
                                             {"b", Meant::Kind::bias, false},
                                             {"matrix", Meant::Kind::weight, false},
                                             {"param", Meant::Kind::weight, false}}};

/// Takes "value" off the end of "kernel/value", as Flax's nnx has its parameters.
void drop_parameter_value(Path& path) {
  const std::size_t count = path.segments.size();
  const auto is_one = [&](std::size_t i, const char* word) {
    return path.segments[i] == std::vector<std::string>{word};
  };
  if (count > 2 && is_one(count - 1, "value") && (is_one(count - 2, "kernel") || is_one(count - 2, "bias"))) {
    path.segments.pop_back();
  }
}

/// What hooks and graphs call a module's result: "q_proj.output", "query/BiasAdd".
constexpr std::array<std::string_view, 3> results = {"output", "add", "bias_add"};

/// What modules get and give.
struct Hooked {
  std::string_view module;
  const char* input;
  const char* output;
};
constexpr std::array<Hooked, 6> hooked = {{{"softmax", "scores", "weights"},
                                           {"dropout", "weights", "dropped"},
                                           {"W_query", "inputs", "queries"},
                                           {"W_key", "inputs", "keys"},
                                           {"W_value", "inputs", "values"},
                                           {"out_proj", "context", "out_proj"}}};

/// The row for what a module gets or gives: "q_proj.input", "query/add:0". Of a fused one takes the last word off.
const Habit* habit_at_module(Path& path) {
  if (path.segments.size() < 2) {
    return nullptr;
  }
  Path module = path;
  module.segments.pop_back();
  const std::string last = underscored(path.segments.back());
  const bool is_input = last == "input";
  if (!is_input && std::ranges::find(results, last) == results.end()) {
    return nullptr;
  }
  const auto known = std::ranges::find(hooked, std::string_view(module.segments.back().back()), &Hooked::module);
  if (known != hooked.end()) {
    return habit_of(is_input ? known->input : known->output);
  }
  const Habit* const habit = certain_habit(module);
  const auto own = habit == nullptr ? hooked.end() : std::ranges::find(hooked, habit->module, &Hooked::module);
  if (own != hooked.end()) {
    return habit_of(is_input ? own->input : own->output);
  }
  if (habit != nullptr && !habit->parts.empty() && !is_input) {
    path = std::move(module);
  }
  return nullptr;
}

/// Takes ".weight", "_bias" and the like off the path's end.
const Suffix* take_suffix(Path& path) {
  std::vector<std::string>& last = path.segments.back();
  const auto found = std::ranges::find(suffixes, std::string_view(last.back()), &Suffix::word);
  if (found == suffixes.end() || (last.size() == 1 && path.segments.size() == 1)) {
    return nullptr;
  }
  last.pop_back();
  if (last.empty()) {
    path.segments.pop_back();
  }
  return &*found;
}

/// Words for where numbers lie, or whose they are: "d_Q", "q_arr", "queryTensor".
constexpr std::array<std::string_view, 17> idle = {"d",   "dev", "h",     "host",   "gpu", "cuda",   "cpu", "cpp", "my",
                                                   "mat", "arr", "array", "tensor", "buf", "buffer", "ptr", "data"};

void drop_idle(std::vector<std::string>& words) {
  const auto is_idle = [](const std::string& word) { return std::ranges::find(idle, word) != idle.end(); };
  while (words.size() > 1 && is_idle(words.back())) {
    words.pop_back();
  }
  while (words.size() > 1 && is_idle(words.front())) {
    words.erase(words.begin());
  }
}

/// Takes "w_", "bias_" and the like off the last words, where a module's name follows.
const Suffix* take_prefix(Path& path) {
  std::vector<std::string>& last = path.segments.back();
  const auto found = std::ranges::find(suffixes, std::string_view(last.front()), &Suffix::word);
  const Habit* const habit = last.size() < 2 ? nullptr : habit_of(underscored(std::span(last).subspan(1)));
  if (found == suffixes.end() || habit == nullptr || habit->module.empty()) {
    return nullptr;
  }
  last.erase(last.begin());
  return &*found;
}

std::string weight_step(const std::string& module) {
  return module == "out_proj" || module == "norm" || module == "qkv" ? module + "_weight" : module;
}

/// Returns true for the norm of a layer's attention: "ln_1" and not "ln_2", "attention.output.LayerNorm" and not
/// "output.LayerNorm".
bool names_norm(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("./:", begin), name.size());
    parts.push_back(plain_name(name.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (parts.size() > 1 &&
      std::ranges::find(suffixes, std::string_view(parts.back()), &Suffix::word) != suffixes.end()) {
    parts.pop_back();
  }
  const auto has = [&](const char* part) { return std::ranges::find(parts, part) != parts.end(); };
  const Habit* const habit = habit_of(parts.back());
  return habit != nullptr && habit->module == "norm" && (!has("output") || has("attention")) && !has("mlp") &&
         !has("ffn");
}

void add_steps(Meant& meant, const Habit& habit) {
  const auto add_parts = [&](const auto& step_of) {
    std::vector<std::string> steps;
    for (const std::string& module : words_in(habit.parts)) {
      steps.push_back(step_of(module));
    }
    meant.parts.push_back(std::move(steps));
  };
  const std::string module(habit.module);
  if (meant.kind == Meant::Kind::any) {
    meant.steps = words_in(habit.steps);
  }
  if (!module.empty() && meant.kind != Meant::Kind::bias) {
    meant.steps.push_back(weight_step(module));
  }
  if (!module.empty() && meant.kind != Meant::Kind::weight) {
    meant.steps.push_back(module + "_bias");
  }
  if (!habit.parts.empty()) {
    if (meant.kind == Meant::Kind::any) {
      for (const std::string heads : {"", "_heads"}) {
        add_parts([&](const std::string& part) {
          return (part == "W_query" ? "queries" : part == "W_key" ? "keys" : "values") + heads;
        });
      }
    }
    if (meant.kind != Meant::Kind::bias) {
      add_parts([](const std::string& part) { return part; });
    }
    if (meant.kind != Meant::Kind::weight) {
      add_parts([](const std::string& part) { return part + "_bias"; });
    }
  }
  meant.is_final = habit.is_final && meant.kind == Meant::Kind::any;
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins_word = i > 0 && is_upper(name[i]) && text::is_letter(name[i - 1]) && !is_upper(name[i - 1]);
    const bool is_word = text::is_letter(name[i]) || text::is_digit(name[i]);
    result += begins_word ? "_" : "";
    result += is_word ? text::lower(name[i]) : '_';
  }
  return result;
}

void number_slices(std::span<Observed> dumped, std::int64_t heads, std::int64_t entries) {
  std::vector<std::pair<Observed*, std::int64_t>> said;
  std::map<std::string, std::map<std::int64_t, Observed*>> numbered;
  for (Observed& one : dumped) {
    const std::string plain = plain_name(one.name);
    if (const auto number = head_in(plain)) {
      said.emplace_back(&one, *number);
    } else if (const auto [stem, last] = numbered_name(plain); last) {
      numbered[stem].emplace(*last, &one);
    }
  }
  const auto has = [&](std::int64_t number) {
    return std::ranges::any_of(said, [number](const auto& one) { return one.second == number; });
  };
  if (heads > 1 && has(0) != has(heads)) {
    std::ranges::for_each(said, [first = has(0) ? 0 : 1](auto& one) { one.first->head = one.second - first; });
  }
  for (const auto& [stem, ones] : numbered) {
    const std::int64_t first = ones.begin()->first;
    const auto count = std::ssize(ones);
    const bool are_counted = count > 1 && first <= 1 && ones.rbegin()->first == first + count - 1;
    for (const auto& [number, one] : ones) {
      one->head = are_counted && count == heads ? std::optional(number - first) : std::nullopt;
      one->entry = are_counted && count != heads && count == entries ? std::optional(number - first) : std::nullopt;
    }
  }
}

Meant meant_by(std::string_view name) {
  Meant meant;
  name = name.substr(0, std::max<std::size_t>(name.find('('), 1));  // ggml's "Qcur-0 (permuted)"
  if (const std::size_t result = name.rfind("_output_"); result != std::string_view::npos && result > 0) {
    name = name.substr(0, is_number(name.substr(result + 8)) ? result : name.size());  // ONNX's "/attn/MatMul_output_0"
  }
  Path path = path_of(name);
  drop_parameter_value(path);
  meant.section = path.section;
  if (path.segments.empty()) {
    return meant;
  }
  const bool is_foreign = std::ranges::any_of(path.segments, [](const auto& words) {
    return std::ranges::any_of(
        words, [](const std::string& word) { return std::ranges::find(foreign, word) != foreign.end(); });
  });
  std::vector<std::string> all;
  for (const auto& words : path.segments) {
    all.insert(all.end(), words.begin(), words.end());
  }
  if (is_foreign && habit_of(underscored(all)) == nullptr && !names_norm(name)) {
    return meant;
  }
  const Habit* habit = habit_at_module(path);
  const std::vector<std::string>& end = path.segments.back();
  habit = habit == nullptr ? habit_of(underscored(all)) : habit;
  habit = habit == nullptr && end.size() > 1 ? habit_of(underscored(end)) : habit;
  const bool is_mask_buffer = end.size() == 1 && end[0] == "bias" && path.segments.size() > 1 &&
                              (path.segments[path.segments.size() - 2] == std::vector<std::string>{"attn"});
  if (is_mask_buffer) {
    habit = habit_of("mask");
  }
  if (habit == nullptr) {
    if (const Suffix* const suffix = take_suffix(path)) {
      meant.kind = suffix->kind;
      meant.is_columns = suffix->is_columns;
    }
    habit = certain_habit(path);
  }
  if (habit == nullptr && meant.kind == Meant::Kind::any) {
    drop_idle(path.segments.back());
    habit = certain_habit(path);
  }
  const Suffix* const prefix = habit == nullptr && meant.kind == Meant::Kind::any ? take_prefix(path) : nullptr;
  if (prefix != nullptr) {
    meant.kind = prefix->kind;
    habit = habit_of(underscored(path.segments.back()));
  }
  meant.is_certain = habit != nullptr;
  habit = habit == nullptr ? loose_habit(path.segments.back()) : habit;
  if (habit != nullptr) {
    const auto is_one_of = [last = underscored(path.segments.back())](const auto& words) {
      return std::ranges::find(words, std::string_view(last)) != words.end();
    };
    add_steps(meant, *habit);
    meant.is_also_context = meant.is_final && is_one_of(either_side);
    meant.is_also_input = meant.kind == Meant::Kind::any && is_one_of(arguments);
  }
  meant.is_columns = meant.is_columns && meant.kind == Meant::Kind::weight;
  if (prefix != nullptr && meant.kind == Meant::Kind::weight) {
    meant.kind = Meant::Kind::any;  // W_queries may be [d_in, d_out] or [d_out, d_in]
  }
  return meant;
}

}  // namespace attn::verify
