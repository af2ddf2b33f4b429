#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "chapters/chapter.hpp"
#include "cli/option.hpp"
#include "cli/option_rows.hpp"
#include "render/json.hpp"
#include "tensor/blas_kernels.hpp"
#include "text/lines.hpp"
#include "walk/names.hpp"

namespace attn::cli {
namespace {

using chapters::Takes;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

constexpr Value tensor_file = {.kind = ValueKind::tensor, .placeholder = "FILE[:NAME]"};

const std::map<std::string, bool> steps_names = {{"article", false}, {"all", true}};
const std::map<std::string, torch::SciMode> sci_modes = {
    {"auto", torch::SciMode::automatic}, {"on", torch::SciMode::on}, {"off", torch::SciMode::off}};

/// The names of the rules that apply to the chapter; of all rules if no chapter is named.
Words rules_here(const Options& options) {
  if (options.chapters.empty()) {
    return names_in(all_what_ifs(), &WhatIf::name);
  }
  std::vector<const chapters::Chapter*> chapters = options.chapters;
  chapters.resize(options.name == "layer" ? chapters.size() : 1);
  std::vector<const WhatIf*> rules;
  for (const chapters::Chapter* chapter : chapters) {
    const std::vector<const WhatIf*> its = chapters::what_ifs(*chapter);
    rules.insert(rules.end(), its.begin(), its.end());
  }
  Words names;
  for (const WhatIf& what_if : all_what_ifs()) {
    if (std::ranges::find(rules, &what_if) != rules.end()) {
      names.emplace_back(what_if.name);
    }
  }
  return names;
}

/// The sizes that only some chapters have.
std::vector<Option> own_sizes() {
  static std::set<std::string> options;  // whose names the rows point to
  std::map<std::string_view, const chapters::OwnSize*> by_name;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    for (const chapters::OwnSize& one : chapter.takes.sizes) {
      by_name.emplace(one.name, &one);
    }
  }
  std::vector<Option> rows;
  for (const auto& [name, one] : by_name) {
    rows.push_back({.name = *options.insert("--" + std::string(name)).first,
                    .taken = [name = name](const Takes& takes) { return chapters::takes_size(takes, name); },
                    .group = group::weights,
                    .value = size(one->example),
                    .doc = one->doc,
                    .member = OwnSize{name}});
  }
  return rows;
}

/// How a manifest tells a member's value.
template <class T>
Json json_of(const T& value) {
  if constexpr (std::is_same_v<T, Init>) {
    return name_of(init_names(), value);
  } else if constexpr (std::is_same_v<T, AttendTo>) {
    return name_of(attend_to_names(), value);
  } else if constexpr (std::is_same_v<T, torch::Seed>) {
    return render::seed_json(value);
  } else if constexpr (requires { value.source; }) {
    return value.source;
  } else {
    return value;
  }
}

/// What a manifest tells of a layer: its checkpoint's files, or its number.
template <auto member>
Json told_of_layer(const Options&, const Lesson& lesson) {
  return (*lesson.layer).*member;
}

/// Sets a member of the lesson to a valid value.
struct Setting {
  Lesson& lesson;
  const std::string& text;

  void operator()(std::monostate) const {}
  void operator()(OwnSize size) const { lesson.own_sizes[std::string(size.name)] = whole_value(text); }
  void operator()(bool Lesson::*member) const { lesson.*member = true; }
  template <class T>
  void operator()(std::optional<T> Lesson::*member) const {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      lesson.*member = whole_value(text);
    } else if constexpr (std::is_same_v<T, double>) {
      lesson.*member = number_value(text);
    } else if constexpr (std::is_same_v<T, std::string>) {
      lesson.*member = text;
    } else if constexpr (std::is_same_v<T, torch::Seed>) {
      lesson.*member = torch::parsed_seed(text);
    } else if constexpr (std::is_same_v<T, Init>) {
      lesson.*member = init_names().at(text);
    } else if constexpr (std::is_same_v<T, AttendTo>) {
      lesson.*member = attend_to_names().at(text);
    }
  }
};

/// What a manifest tells of a member; null if the article's value counts.
struct Telling {
  const Lesson& lesson;

  Json operator()(std::monostate) const { return {}; }
  Json operator()(OwnSize size) const {
    const auto found = lesson.own_sizes.find(size.name);
    return found == lesson.own_sizes.end() ? Json() : Json(found->second);
  }
  Json operator()(bool Lesson::*member) const { return lesson.*member; }
  template <class T>
  Json operator()(std::optional<T> Lesson::*member) const {
    return lesson.*member ? json_of(*(lesson.*member)) : Json();
  }
};

}  // namespace

void take(const Option& option, const std::string& text, Options& options) {
  std::visit(Setting{options.lesson, text}, option.member);
  if (option.read != nullptr) {
    option.read(options, text);
  }
}

Json told(const Option& option, const Options& options, const Lesson& settled) {
  return option.told != nullptr ? option.told(options, settled) : std::visit(Telling{settled}, option.member);
}

std::vector<Option> setting_options() {
  std::vector<Option> rows = {
      {.name = "--seed",
       .takers = by_draws,
       .group = group::inputs,
       .is_common = true,
       .value = {.kind = ValueKind::seed, .placeholder = "N"},
       .doc = "seed of torch.manual_seed (default: 123)",
       .member = &Lesson::seed,
       .told = [](const Options&, const Lesson& lesson) { return json_of(lesson.seed.value_or(default_seed)); }},
      {.name = "--steps",
       .takers = by_walks,
       .group = group::shown,
       .is_common = true,
       .value = choice([](const Options&) { return words_of(steps_names); }),
       .doc = "steps the article prints, or all (default: article)",
       .read = [](Options& o, const std::string& text) { o.all_steps = steps_names.at(text); },
       .told = [](const Options& o, const Lesson&) { return Json(o.all_steps ? "all" : "article"); }},
      {.name = "--only",
       .others = "--show --names",
       .takers = by_walks,
       .group = group::shown,
       .is_common = true,
       .value = {.kind = ValueKind::text, .placeholder = "NAME[,NAME...]"},
       .doc = "print only these steps",
       .read = [](Options& o, const std::string& text) { o.only = text::split(text); },
       .told = [](const Options& o, const Lesson&) { return Json(o.only); }},
      {.name = "--tokens",
       .others = "--length --seq-len --context-length --n",
       .group = group::inputs,
       .value = size(6),
       .doc = "random inputs with N tokens",
       .member = &Lesson::tokens,
       .clashes = {{{"--sentence"}, "a sentence has its own tokens"}}},
      {.name = "--d-in",
       .others = "--dim --embed-dim --d-model --in-features",
       .group = group::inputs,
       .value = size(3),
       .doc = "random inputs with N dimensions",
       .member = &Lesson::d_in},
      {.name = "--batch",
       .others = "--batch-size",
       .taken = &Takes::batch,
       .group = group::inputs,
       .value = size(2),
       .doc = "stack the same inputs N times",
       .member = &Lesson::batch},
      {.name = "--what-if",
       .others = "--rule --without --change",
       .takers = by_one,
       .group = group::classroom,
       .is_common = true,
       .value = choice(rules_here, "RULE"),
       .doc = "compare with one rule changed, side by side",
       .read = [](Options& o, const std::string& text) { o.what_if = &named(all_what_ifs(), text); },
       .told = [](const Options& o,
                  const Lesson&) { return o.what_if != nullptr ? Json(o.what_if->name) : Json(nullptr); },
       .needs = can::comparisons,
       .clashes = {{{"--cell", "--explain", "--heatmap"}, "a comparison prints the tensors of both walkthroughs"}}},
      {.name = "--sentence",
       .others = "--text --words --prompt",
       .group = group::inputs,
       .value = {.kind = ValueKind::sentence, .placeholder = "WORDS"},
       .doc = "embed these words instead of the article's inputs",
       .member = &Lesson::sentence},
      {.name = "--inputs",
       .group = group::inputs,
       .value = tensor_file,
       .doc = "your own inputs [tokens, d_in]; see help formats",
       .member = &Lesson::inputs,
       .clashes = {{{"--tokens", "--d-in", "--sentence"}, "a file has its own tokens and dimensions"}}},
      {.name = "--second-inputs",
       .taken = &Takes::second_inputs,
       .group = group::inputs,
       .value = tensor_file,
       .doc = "your own second sequence [tokens, d_in]",
       .member = &Lesson::second_inputs},
      {.name = "--weights",
       .taken = &Takes::projections,
       .group = group::weights,
       .value = {.kind = ValueKind::weights, .placeholder = "FILE|NAME=FILE[,...]"},
       .doc = "weights from a file or folder, matched by step name",
       .member = &Lesson::weights},
      {.name = "--attend-to",
       .others = "--weights-that",
       .takers = by_draws,
       .taken = [](const Takes& takes) { return takes.projections && !takes.only_drawn; },
       .group = group::weights,
       .value = choice([](const Options&) { return words_of(attend_to_names()); }),
       .doc = "one-hot inputs, with hand-made weights that produce this pattern",
       .member = &Lesson::attend_to,
       .clashes = {{{"--d-in", "--inputs", "--second-inputs"}, "it makes the inputs"},
                   {{"--d-out", "--d-out-kq", "--d-out-v", "--qkv-bias", "--weights", "--fixture"},
                    "it makes the weights and their sizes"}}},
      {.name = "--fixture",
       .takers = by_draws,
       .group = group::inputs,
       .doc = "sizes at which every known mistake changes the result",
       .member = &Lesson::fixture},
      {.name = "--query",
       .taken = &Takes::query,
       .group = group::inputs,
       .value = {.kind = ValueKind::text, .placeholder = "TOKEN|INDEX"},
       .doc = "token to follow by hand (default: the second)",
       .member = &Lesson::query},
      {.name = "--d-out-kq",
       .taken = &Takes::projections,
       .group = group::weights,
       .value = size(3),
       .doc = "dimensions of queries and keys",
       .member = &Lesson::d_out_kq},
      {.name = "--d-out-v",
       .taken = &Takes::projections,
       .group = group::weights,
       .value = size(3),
       .doc = "dimensions of values",
       .member = &Lesson::d_out_v},
      {.name = "--d-out",
       .others = "--out-features --head-dim",
       .taken = &Takes::projections,
       .group = group::weights,
       .value = size(3),
       .doc = "dimensions of queries, keys and values",
       .read =
           [](Options& o, const std::string& text) {
             for (std::optional<std::int64_t>* d_out : {&o.lesson.d_out_kq, &o.lesson.d_out_v}) {
               *d_out = d_out->value_or(whole_value(text));
             }
           },
       .check = check_sizes},
      {.name = "--init",
       .taken = &Takes::projections,
       .group = group::weights,
       .value = choice([](const Options&) { return words_of(init_names()); }),
       .doc = "nn.Linear, or nn.Parameter of torch.rand or randn",
       .member = &Lesson::init},
      {.name = "--qkv-bias",
       .taken = &Takes::projections,
       .group = group::weights,
       .doc = "add a bias to queries, keys and values",
       .member = &Lesson::qkv_bias,
       .check = check_bias},
      {.name = "--num-heads",
       .others = "--heads --n-heads --nhead --n-head",
       .takers = by_lessons | by_layer,
       .taken = &Takes::heads,
       .group = group::weights,
       .value = size(3),
       .doc = "number of heads; must divide d_out if they share it",
       .member = &Lesson::num_heads},
      {.name = "--dropout",
       .others = "--p --drop --drop-rate",
       .taken = &Takes::dropout,
       .group = group::dropout,
       .value = {.kind = ValueKind::probability, .placeholder = "P"},
       .doc = "probability of dropping a weight",
       .member = &Lesson::dropout},
      {.name = "--dropout-kernel",
       .takers = by_draws,
       .taken = &Takes::dropout,
       .group = group::dropout,
       .value = choice([](const Options&) { return words_of(dropout_kernel_names()); }),
       .doc = "PyTorch's Bernoulli kernel (default: default)",
       .read = [](Options& o, const std::string& text) { o.typed.dropout_kernel = dropout_kernel_names().at(text); },
       .told = [](const Options&,
                  const Lesson& lesson) { return Json(name_of(dropout_kernel_names(), lesson.dropout_kernel)); }},
      {.name = "--cpu",
       .takers = by_kernels,
       .group = group::kernels,
       .value = choice([](const Options&) { return words_of(cpu_names()); }),
       .doc = "PyTorch's CPU kernels (default: the article's)",
       .read = [](Options& o, const std::string& text) { o.typed.cpu = cpu_names().at(text); },
       .told = [](const Options&, const Lesson& lesson) { return Json(name_of(cpu_names(), lesson.kernels.cpu)); }},
      {.name = "--blas",
       .takers = by_kernels,
       .group = group::kernels,
       .value = {.kind = ValueKind::choice,
                 .choices = [](const Options&) { return words_of(blas_names()); },
                 .why_few = has_openblas() ? "" : "this program was built without OpenBLAS"},
       .doc = has_openblas() ? "kernels for matrix products (default: haswell)" : "kernels for matrix products",
       .read = [](Options& o, const std::string& text) { o.typed.blas = blas_names().at(text); },
       .told = [](const Options&, const Lesson& lesson) { return Json(blas_name(lesson.kernels.blas)); }},
      {.name = "--precision",
       .takers = by_walks,
       .group = group::printing,
       .value = number(0, 100, 4),
       .doc = "digits after the decimal point (default: 4)",
       .read = [](Options& o,
                  const std::string& text) { o.text.print.precision = static_cast<int>(whole_value(text)); },
       .told = [](const Options& o, const Lesson&) { return Json(o.text.print.precision); }},
      {.name = "--threshold",
       .takers = by_walks,
       .group = group::printing,
       .value = number(0, std::numeric_limits<std::int64_t>::max(), 1000),
       .doc = "summarise tensors with more elements (default: 1000)",
       .read = [](Options& o, const std::string& text) { o.text.print.threshold = whole_value(text); },
       .told = [](const Options& o, const Lesson&) { return Json(o.text.print.threshold); }},
      {.name = "--edgeitems",
       .takers = by_walks,
       .group = group::printing,
       .value = number(0, most_size, 3),
       .doc = "items at either end of a summarised axis (default: 3)",
       .read = [](Options& o, const std::string& text) { o.text.print.edgeitems = whole_value(text); },
       .told = [](const Options& o, const Lesson&) { return Json(o.text.print.edgeitems); }},
      {.name = "--linewidth",
       .takers = by_walks,
       .group = group::printing,
       .value = size(80),
       .doc = "characters per line, also of heat maps (default: 80)",
       .read =
           [](Options& o, const std::string& text) {
             o.text.print.linewidth = whole_value(text);
             o.own_linewidth = true;
           },
       .told = [](const Options& o, const Lesson&) { return Json(o.text.print.linewidth); }},
      {.name = "--sci-mode",
       .takers = by_walks,
       .group = group::printing,
       .value = choice([](const Options&) { return words_of(sci_modes); }),
       .doc = "scientific notation (default: auto)",
       .read = [](Options& o, const std::string& text) { o.text.print.sci_mode = sci_modes.at(text); },
       .told = [](const Options& o, const Lesson&) { return Json(name_of(sci_modes, o.text.print.sci_mode)); }},
      {.name = "--no-grad",
       .takers = by_walks,
       .group = group::printing,
       .doc = "leave out grad_fn and requires_grad",
       .read = [](Options& o, const std::string&) { o.text.show_grad = false; },
       .told = [](const Options& o, const Lesson&) { return Json(!o.text.show_grad); }},
  };
  std::ranges::move(own_sizes(), std::back_inserter(rows));
  return rows;
}

std::vector<Option> layer_options() {
  std::vector<Option> rows = {
      {.name = "--weights",
       .is_common = true,
       .value = {.kind = ValueKind::text, .placeholder = "FILE|DIR"},
       .doc = "checkpoint: .safetensors file, its index, or folder",
       .told = told_of_layer<&GivenLayer::source>},
      {.name = "--layer",
       .others = "--block --layer-idx",
       .takers = by_layer | by_verify,
       .is_common = true,
       .value = number(0, most_size, 1),
       .doc = "which of its layers, counted from 0 (default: 0)",
       .told = told_of_layer<&GivenLayer::number>,
       .clashes = {{{"--article", "--chapter"}, "the checkpoint tells which program its layers have"},
                   {{}, "the checkpoint has its own weights and sizes, and nothing is drawn"}},
       .check = check_layer},
      {.name = "--inputs",
       .is_common = true,
       .value = tensor_file,
       .doc = "hidden states that enter it: [tokens, d]",
       .member = &Lesson::inputs,
       .clashes = {{{"--sentence"}, "either gives the hidden states"}}},
      {.name = "--sentence",
       .others = "--text --words --prompt",
       .is_common = true,
       .value = {.kind = ValueKind::sentence, .placeholder = "WORDS"},
       .doc = "or words, which the model embeds for layer 0",
       .member = &Lesson::sentence},
      {.name = "--tokenizer",
       .others = "--vocab --vocabulary",
       .takers = by_layer | by_verify,
       .value = {.kind = ValueKind::text, .placeholder = "FILE"},
       .doc = "their vocabulary (default: tokenizer.json beside it)",
       .told = told_of_layer<&GivenLayer::tokenizer>,
       .check = check_tokenizer},
      {.name = "--config",
       .takers = by_layer | by_verify,
       .value = {.kind = ValueKind::text, .placeholder = "FILE"},
       .doc = "its settings (default: config.json beside it)",
       .told = told_of_layer<&GivenLayer::config>,
       .check = check_layer},
  };
  std::vector<std::string_view>& drawn = std::ranges::find(rows, "--layer", &Option::name)->clashes[1].others;
  for (const Option& option : setting_options()) {
    const bool is_there = std::ranges::find(rows, option.name, &Option::name) != rows.end();
    is_there || (option.takers & by_layer) != 0 ? void() : drawn.push_back(option.name);
  }
  return rows;
}

}  // namespace attn::cli
