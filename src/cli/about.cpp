#include <array>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "cli/option.hpp"
#include "render/json.hpp"
#include "tensor/blas.hpp"
#include "walk/names.hpp"

namespace attn::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A value, or the file that it comes from; null if it is left to the article.
template <class T>
Json told(const std::optional<T>& given) {
  if constexpr (requires { given->source; }) {
    return given ? Json(given->source) : Json();
  } else {
    return given ? Json(*given) : Json();
  }
}

/// The name of a value; null if it is left to the article.
template <class T>
Json told(const std::map<std::string, T>& names, const std::optional<T>& given) {
  return given ? Json(name_of(names, *given)) : Json();
}

Json head(const chapters::Chapter& chapter, const Options& options) {
  const Lesson lesson = chapters::settled(chapter, options.lesson);
  const torch::PrintOptions& print = options.text.print;
  const std::string* const sci_mode = options.given.value_of("--sci-mode");
  Json settings = {{"seed", render::seed_json(lesson.seed.value_or(default_seed))},
                   {"steps", options.all_steps ? "all" : "article"},
                   {"only", options.only},
                   {"tokens", told(lesson.tokens)},
                   {"d_in", told(lesson.d_in)},
                   {"batch", told(lesson.batch)},
                   {"what_if", options.what_if != nullptr ? Json(options.what_if->name) : Json()},
                   {"sentence", told(lesson.sentence)},
                   {"inputs", told(lesson.inputs)},
                   {"second_inputs", told(lesson.second_inputs)},
                   {"weights", told(lesson.weights)},
                   {"attend_to", told(attend_to_names(), lesson.attend_to)},
                   {"fixture", lesson.fixture},
                   {"query", told(lesson.query)},
                   {"d_out_kq", told(lesson.d_out_kq)},
                   {"d_out_v", told(lesson.d_out_v)},
                   {"init", told(init_names(), lesson.init)},
                   {"qkv_bias", lesson.qkv_bias},
                   {"num_heads", told(lesson.num_heads)},
                   {"dropout", told(lesson.dropout)},
                   {"dropout_kernel", name_of(dropout_kernel_names(), lesson.dropout_kernel)},
                   {"cpu", name_of(cpu_names(), lesson.kernels.cpu)},
                   {"blas", blas_name(lesson.kernels.blas)},
                   {"blas_core", core_name(lesson.kernels.blas)},
                   {"precision", print.precision},
                   {"threshold", print.threshold},
                   {"edgeitems", print.edgeitems},
                   {"linewidth", print.linewidth},
                   {"sci_mode", sci_mode != nullptr ? *sci_mode : "auto"},
                   {"no_grad", !options.text.show_grad}};
  if (lesson.layer) {
    settings.update({{"weights", lesson.layer->source},
                     {"layer", lesson.layer->number},
                     {"tokenizer", lesson.layer->tokenizer},
                     {"config", lesson.layer->config}});
  }
  for (const chapters::OwnSize& size : chapter.takes.sizes) {
    std::string key(size.name);
    std::ranges::replace(key, '-', '_');
    const auto found = lesson.own_sizes.find(size.name);
    settings[key] = found == lesson.own_sizes.end() ? Json() : Json(found->second);
  }
  return {{"tool", "attn-walkthrough"},
          {"version", ATTN_VERSION},
          {"chapter", chapter.name},
          {"article", chapter.article->name},
          {"options", std::move(settings)}};
}

}  // namespace

std::function<Json()> about(const chapters::Chapter& chapter, const Options& options) {
  return [&chapter, &options] { return head(chapter, options); };
}

namespace {

/// The name of the script's field for this kind of value.
std::string_view field_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::flag: return "flag";
    case ValueKind::choice: return "choice";
    case ValueKind::number: return "number";
    case ValueKind::probability: return "probability";
    default: return "text";
  }
}

/// The option in this chapter.
Json setting_json(const Option& option, const Subcommand& command) {
  const Value& value = option.value;
  Json json = {{"name", option.name.substr(2)},
               {"group", option.group},
               {"common", option.is_common || value.kind == ValueKind::sentence},
               {"kind", field_of(value.kind)},
               {"doc", option.doc}};
  if (value.kind == ValueKind::number) {
    json["least"] = value.least;
    json["most"] = value.most;
  }
  if (value.kind == ValueKind::choice) {
    json["choices"] = value.choices(nothing_read(command));
  }
  return json;
}

/// Each option once for all chapters in which it is the same.
Json settings_json() {
  Json settings = Json::array();
  for (const Option& option : all_options()) {
    std::vector<std::pair<Json, Json>> forms;  // the option, and the chapters in which it is so
    for (const Subcommand& command : subcommands()) {
      if (is_setting(option) && command.taker == by_chapter && takes(command, option)) {
        Json json = setting_json(option, command);
        auto form = std::ranges::find(forms, json, &std::pair<Json, Json>::first);
        if (form == forms.end()) {
          form = forms.emplace(forms.end(), std::move(json), Json::array());
        }
        form->second.push_back(command.name);
      }
    }
    for (auto& [json, chapters] : forms) {
      json["chapters"] = std::move(chapters);
      settings.push_back(std::move(json));
    }
  }
  return settings;
}

}  // namespace

bool is_setting(const Option& option) {
  constexpr std::array groups = {group::inputs, group::weights, group::dropout};
  constexpr std::array<std::string_view, 3> others = {"--article", "--cpu", "--precision"};
  const bool is_file = option.value.kind == ValueKind::file;
  const auto is_group = [&](std::string_view group) { return group == option.group; };
  return (option.takers & by_chapter) != 0 && !is_file &&
         (std::ranges::any_of(groups, is_group) || std::ranges::find(others, option.name) != others.end());
}

std::string live_settings(const std::string& chapter, const std::vector<GivenOption>& given) {
  Json options = Json::object();
  for (const auto& [option, value] : given) {
    options[std::string(option->name.substr(2))] = value;
  }
  Json json = {{"shown", {{"chapter", chapter}, {"options", std::move(options)}}}, {"chapters", Json::array()}};
  for (const Subcommand& command : subcommands()) {
    if (command.taker == by_chapter) {
      json["chapters"].push_back({{"name", command.name}, {"summary", command.summary}});
    }
  }
  json["options"] = settings_json();
  return render::script_json(json);
}

}  // namespace attn::cli
