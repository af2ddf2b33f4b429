#include "cli/about.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "chapters/chapter.hpp"
#include "cli/option_rows.hpp"
#include "cli/options.hpp"
#include "render/json.hpp"
#include "tensor/blas_kernels.hpp"

namespace attn::cli {

namespace {

using Json = nlohmann::ordered_json;

/// "--d-out-kq" is "d_out_kq".
std::string key_of(const Option& option) {
  std::string key(option.name.substr(2));
  std::ranges::replace(key, '-', '_');
  return key;
}

Json head(const chapters::Chapter& chapter, const Options& options) {
  static const std::vector<Option> settings = setting_options();
  static const std::vector<Option> of_layers = layer_options();
  const Lesson lesson = chapters::settled(chapter, options.lesson);
  Json told_options;
  for (const Option& option : settings) {
    const bool is_told = option.told != nullptr || !std::holds_alternative<std::monostate>(option.member);
    if (is_told && !std::holds_alternative<OwnSize>(option.member)) {
      told_options[key_of(option)] = told(option, options, lesson);
    }
    if (option.name == "--blas") {
      told_options["blas_core"] = core_name(lesson.kernels.blas);
    }
  }
  for (const Option& option : of_layers) {
    if (lesson.layer && option.told != nullptr) {
      told_options[key_of(option)] = told(option, options, lesson);
    }
  }
  for (const chapters::OwnSize& size : chapter.takes.sizes) {
    const auto row = std::ranges::find(settings, "--" + std::string(size.name), &Option::name);
    told_options[key_of(*row)] = told(*row, options, lesson);
  }
  return {{"tool", "attn-walkthrough"},
          {"version", ATTN_VERSION},
          {"chapter", chapter.name},
          {"article", chapter.article->name},
          {"options", std::move(told_options)}};
}

}  // namespace

std::function<Json()> about(const chapters::Chapter& chapter, const Options& options) {
  return [&chapter, &options] { return head(chapter, options); };
}

namespace {

using Json = nlohmann::ordered_json;

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
  const bool is_file = option.value.kind == ValueKind::tensor || option.value.kind == ValueKind::weights;
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
