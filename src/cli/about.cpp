#include <nlohmann/json.hpp>

#include "cli/options.hpp"

namespace attn::cli {
namespace {

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json init_name(const std::optional<Init>& init) {
  if (!init) {
    return nullptr;
  }
  switch (*init) {
    case Init::rand: return "rand";
    case Init::randn: return "randn";
    case Init::linear: break;
  }
  return "linear";
}

std::string sci_mode_name(torch::SciMode mode) {
  switch (mode) {
    case torch::SciMode::on: return "on";
    case torch::SciMode::off: return "off";
    case torch::SciMode::automatic: break;
  }
  return "auto";
}

}  // namespace

nlohmann::ordered_json about(const Options& options) {
  const Lesson& lesson = options.lesson;
  const torch::PrintOptions& print = options.text.print;
  return {
      {"tool", "attn-walkthrough"},
      {"version", ATTN_VERSION},
      {"chapter", options.chapter->name},
      {"article", chapters::article_entry(lesson.article).name},
      {"options",
       {
           {"seed", lesson.seed},
           {"steps", options.all_steps ? "all" : "article"},
           {"only", options.only},
           {"tokens", or_null(lesson.tokens)},
           {"d_in", or_null(lesson.d_in)},
           {"batch", or_null(lesson.batch)},
           {"query", or_null(lesson.query)},
           {"d_out_kq", or_null(lesson.d_out_kq)},
           {"d_out_v", or_null(lesson.d_out_v)},
           {"init", init_name(lesson.init)},
           {"qkv_bias", lesson.qkv_bias},
           {"num_heads", or_null(lesson.num_heads)},
           {"dropout", or_null(lesson.dropout)},
           {"dropout_kernel", lesson.dropout_kernel == DropoutKernel::mkl ? "mkl" : "default"},
           {"cpu", lesson.cpu == Cpu::avx2 ? "avx2" : "default"},
           {"precision", print.precision},
           {"threshold", print.threshold},
           {"edgeitems", print.edgeitems},
           {"linewidth", print.linewidth},
           {"sci_mode", sci_mode_name(print.sci_mode)},
           {"no_grad", !options.text.show_grad},
       }},
  };
}

}  // namespace attn::cli
