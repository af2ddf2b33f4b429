#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "render/json.hpp"
#include "settled.hpp"
#include "tensor/blas_kernels.hpp"
#include "walk/names.hpp"

namespace attn::cli {
namespace {

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::string sci_mode_name(torch::SciMode mode) {
  switch (mode) {
    case torch::SciMode::on: return "on";
    case torch::SciMode::off: return "off";
    case torch::SciMode::automatic: break;
  }
  return "auto";
}

nlohmann::ordered_json head(const chapters::Chapter& chapter, const Options& options) {
  const Lesson lesson = chapters::settled(chapter, options.lesson);
  const auto source = [](const auto& own) { return own ? nlohmann::ordered_json(own->source) : nullptr; };
  const torch::PrintOptions& print = options.text.print;
  nlohmann::ordered_json head = {
      {"tool", "attn-walkthrough"},
      {"version", ATTN_VERSION},
      {"chapter", chapter.name},
      {"article", chapter.article->name},
      {"options",
       {
           {"seed", render::seed_json(lesson.seed.value_or(default_seed))},
           {"steps", options.all_steps ? "all" : "article"},
           {"only", options.only},
           {"tokens", or_null(lesson.tokens)},
           {"d_in", or_null(lesson.d_in)},
           {"batch", or_null(lesson.batch)},
           {"what_if", options.what_if != nullptr ? nlohmann::ordered_json(options.what_if->name) : nullptr},
           {"sentence", or_null(lesson.sentence)},
           {"inputs", source(lesson.inputs)},
           {"second_inputs", source(lesson.second_inputs)},
           {"weights", source(lesson.weights)},
           {"attend_to",
            lesson.attend_to ? nlohmann::ordered_json(name_of(attend_to_names(), *lesson.attend_to)) : nullptr},
           {"fixture", lesson.fixture},
           {"query", or_null(lesson.query)},
           {"d_out_kq", or_null(lesson.d_out_kq)},
           {"d_out_v", or_null(lesson.d_out_v)},
           {"init", lesson.init ? nlohmann::ordered_json(name_of(init_names(), *lesson.init)) : nullptr},
           {"qkv_bias", lesson.qkv_bias},
           {"num_heads", or_null(lesson.num_heads)},
           {"dropout", or_null(lesson.dropout)},
           {"dropout_kernel", name_of(dropout_kernel_names(), lesson.dropout_kernel)},
           {"cpu", name_of(cpu_names(), lesson.kernels.cpu)},
           {"blas", blas_name(lesson.kernels.blas)},
           {"blas_core", core_name(lesson.kernels.blas)},
           {"precision", print.precision},
           {"threshold", print.threshold},
           {"edgeitems", print.edgeitems},
           {"linewidth", print.linewidth},
           {"sci_mode", sci_mode_name(print.sci_mode)},
           {"no_grad", !options.text.show_grad},
       }},
  };
  if (lesson.layer) {
    head["options"]["weights"] = lesson.layer->source;
    head["options"]["layer"] = lesson.layer->number;
    head["options"]["config"] = lesson.layer->config;
    head["options"]["tokenizer"] = lesson.layer->tokenizer;
  }
  for (const chapters::OwnSize& size : chapter.takes.sizes) {
    const auto given = lesson.own_sizes.find(size.name);
    std::string name(size.name);
    std::ranges::replace(name, '-', '_');
    head["options"][name] =
        given == lesson.own_sizes.end() ? nlohmann::ordered_json() : nlohmann::ordered_json(given->second);
  }
  return head;
}

}  // namespace

std::function<nlohmann::ordered_json()> about(const chapters::Chapter& chapter, const Options& options) {
  return [&chapter, &options] { return head(chapter, options); };
}

}  // namespace attn::cli
