#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "chapter.hpp"
#include "cli/option_checks.hpp"
#include "cli/option_rows.hpp"
#include "cli/values.hpp"
#include "tensor/blas_kernels.hpp"
#include "text/lines.hpp"
#include "walk/names.hpp"

namespace attn::cli {
namespace {

using chapters::Takes;
using Words = std::vector<std::string>;

constexpr Value tensor_file = {.kind = ValueKind::tensor, .placeholder = "FILE[:NAME]"};
constexpr Value any_tolerance = {.kind = ValueKind::tolerance, .placeholder = "X"};

Words articles_of_verify(const Options&) { return names_in(chapters::all_articles(), &chapters::Article::name); }

/// The sizes that only some chapters have, by their options.
const std::map<std::string, const chapters::OwnSize*>& own_sizes() {
  static const auto sizes = [] {
    std::map<std::string, const chapters::OwnSize*> by_option;
    for (const chapters::Chapter& chapter : chapters::all_chapters()) {
      for (const chapters::OwnSize& one : chapter.takes.sizes) {
        by_option.emplace("--" + std::string(one.name), &one);
      }
    }
    return by_option;
  }();
  return sizes;
}

/// The options that set what a lesson draws, and its sizes.
std::vector<std::string_view> drawn_and_sized() {
  std::vector<std::string_view> names = {"--seed",  "--tokens",   "--d-in",      "--second-inputs", "--batch",
                                         "--query", "--fixture",  "--d-out",     "--d-out-kq",      "--d-out-v",
                                         "--init",  "--qkv-bias", "--attend-to", "--dropout",       "--dropout-kernel"};
  for (const auto& [option, size] : own_sizes()) {
    names.push_back(option);
  }
  return names;
}

}  // namespace

std::vector<Option> input_options() {
  return {
      {.name = "--seed",
       .takers = by_draws,
       .is_common = true,
       .value = {.kind = ValueKind::seed, .placeholder = "N"},
       .doc = "seed of torch.manual_seed (default: 123)",
       .read = [](Options& o, const std::string& text) { o.lesson.seed = torch::parsed_seed(text).value(); }},
      {.name = "--tokens",
       .others = "--length --seq-len --context-length --n",
       .value = size(6),
       .doc = "random inputs with N tokens",
       .read = [](Options& o, const std::string& text) { o.lesson.tokens = whole_value(text); },
       .clashes = {{{"--sentence"}, "a sentence has its own tokens"}}},
      {.name = "--d-in",
       .others = "--dim --embed-dim --d-model --in-features",
       .value = size(3),
       .doc = "random inputs with N dimensions",
       .read = [](Options& o, const std::string& text) { o.lesson.d_in = whole_value(text); }},
      {.name = "--sentence",
       .others = "--text --words --prompt",
       .value = {.kind = ValueKind::sentence, .placeholder = "WORDS"},
       .doc = "embed these words instead of the article's inputs",
       .read = [](Options& o, const std::string& text) { o.lesson.sentence = text; }},
      {.name = "--inputs",
       .value = tensor_file,
       .doc = "your own inputs [tokens, d_in]; see help formats",
       .read = [](Options& o, const std::string& text) { o.typed.inputs = text; },
       .clashes = {{{"--tokens", "--d-in", "--sentence"}, "a file has its own tokens and dimensions"}}},
      {.name = "--second-inputs",
       .taken = &Takes::second_inputs,
       .value = tensor_file,
       .doc = "your own second sequence [tokens, d_in]",
       .read = [](Options& o, const std::string& text) { o.typed.second_inputs = text; }},
      {.name = "--batch",
       .others = "--batch-size",
       .taken = &Takes::batch,
       .value = size(2),
       .doc = "stack the same inputs N times",
       .read = [](Options& o, const std::string& text) { o.lesson.batch = whole_value(text); }},
      {.name = "--query",
       .taken = &Takes::query,
       .value = {.kind = ValueKind::text, .placeholder = "TOKEN|INDEX"},
       .doc = "token to follow by hand (default: the second)",
       .read = [](Options& o, const std::string& text) { o.lesson.query = text; }},
      {.name = "--fixture",
       .takers = by_draws,
       .doc = "sizes for testing a port: every known mistake shows",
       .read = [](Options& o, const std::string&) { o.lesson.fixture = true; }},
  };
}

std::vector<Option> layer_options() {
  return {
      {.name = "--weights",
       .is_common = true,
       .value = {.kind = ValueKind::tensor, .placeholder = "FILE|DIR"},
       .doc = "checkpoint: .safetensors file, its index, or folder",
       .read = [](Options& o, const std::string& text) { o.typed.weights = text; }},
      {.name = "--layer",
       .others = "--block --layer-idx",
       .takers = by_layer | by_verify,
       .is_common = true,
       .value = number(0, most_size, 1),
       .doc = "which of its layers, counted from 0 (default: 0)",
       .read = [](Options& o, const std::string& text) { o.typed.layer = whole_value(text); },
       .clashes = {{{"--article", "--chapter"}, "the checkpoint tells which program its layers have"},
                   {drawn_and_sized(), "the checkpoint has its own weights and sizes, and nothing is drawn"}},
       .check = check_layer},
      {.name = "--inputs",
       .is_common = true,
       .value = tensor_file,
       .doc = "hidden states that enter it: [tokens, d]",
       .read = [](Options& o, const std::string& text) { o.typed.inputs = text; },
       .clashes = {{{"--sentence"}, "either gives the hidden states"}}},
      {.name = "--sentence",
       .others = "--text --words --prompt",
       .is_common = true,
       .value = {.kind = ValueKind::sentence, .placeholder = "WORDS"},
       .doc = "or words, which the model embeds for layer 0",
       .read = [](Options& o, const std::string& text) { o.lesson.sentence = text; }},
      {.name = "--tokenizer",
       .others = "--vocab --vocabulary",
       .takers = by_layer | by_verify,
       .value = {.kind = ValueKind::tensor, .placeholder = "FILE"},
       .doc = "their vocabulary (default: tokenizer.json beside it)",
       .read = [](Options& o, const std::string& text) { o.typed.tokenizer = text; },
       .need = {{"--sentence"}, "has the ids of its words", "add --sentence \"Your journey starts\""},
       .check = check_layer},
      {.name = "--config",
       .takers = by_layer | by_verify,
       .value = {.kind = ValueKind::tensor, .placeholder = "FILE"},
       .doc = "its settings (default: config.json beside it)",
       .read = [](Options& o, const std::string& text) { o.typed.config = text; },
       .check = check_layer},
  };
}

std::vector<Option> weight_options() {
  return {
      {.name = "--d-out",
       .others = "--out-features --head-dim",
       .taken = &Takes::projections,
       .value = size(3),
       .doc = "dimensions of queries, keys and values",
       .read = [](Options& o, const std::string& text) { o.typed.d_out = whole_value(text); },
       .check = check_sizes},
      {.name = "--d-out-kq",
       .taken = &Takes::projections,
       .value = size(3),
       .doc = "dimensions of queries and keys",
       .read = [](Options& o, const std::string& text) { o.lesson.d_out_kq = whole_value(text); }},
      {.name = "--d-out-v",
       .taken = &Takes::projections,
       .value = size(3),
       .doc = "dimensions of values",
       .read = [](Options& o, const std::string& text) { o.lesson.d_out_v = whole_value(text); }},
      {.name = "--init",
       .taken = &Takes::projections,
       .value = choice([](const Options&) { return words_of(init_names()); }),
       .doc = "nn.Linear, or nn.Parameter of torch.rand or randn",
       .read = [](Options& o, const std::string& text) { o.lesson.init = init_names().at(text); }},
      {.name = "--qkv-bias",
       .taken = &Takes::projections,
       .doc = "add a bias to queries, keys and values",
       .read = [](Options& o, const std::string&) { o.lesson.qkv_bias = true; },
       .check = check_bias},
      {.name = "--num-heads",
       .others = "--heads --n-heads --nhead --n-head",
       .takers = by_lessons | by_layer,
       .taken = &Takes::heads,
       .value = size(3),
       .doc = "number of heads; must divide d_out if they share it",
       .read = [](Options& o, const std::string& text) { o.lesson.num_heads = whole_value(text); }},
      {.name = "--weights",
       .taken = &Takes::projections,
       .value = {.kind = ValueKind::weights, .placeholder = "FILE|NAME=FILE[,...]"},
       .doc = "weights from a file or folder, matched by step name",
       .read = [](Options& o, const std::string& text) { o.typed.weights = text; }},
      {.name = "--attend-to",
       .others = "--weights-that",
       .takers = by_draws,
       .taken = [](const Takes& takes) { return takes.projections && !takes.only_drawn; },
       .value = choice([](const Options&) { return words_of(attend_to_names()); }),
       .doc = "one-hot inputs, and weights made by hand to attend so",
       .read = [](Options& o, const std::string& text) { o.lesson.attend_to = attend_to_names().at(text); },
       .clashes = {{{"--d-in", "--inputs", "--second-inputs"}, "it makes the inputs"},
                   {{"--d-out", "--d-out-kq", "--d-out-v", "--qkv-bias", "--weights", "--fixture"},
                    "it makes the weights and their sizes"}},
       .check = check_drawn},
  };
}

std::vector<Option> own_size_options() {
  std::vector<Option> rows;
  for (const auto& [option, one] : own_sizes()) {
    const std::string_view name = one->name;
    rows.push_back(
        {.name = option,
         .taken = [name](const Takes& takes) { return chapters::takes_size(takes, name); },
         .value = size(one->example),
         .doc = one->doc,
         .read = [name](Options& o,
                        const std::string& text) { o.lesson.own_sizes[std::string(name)] = whole_value(text); }});
  }
  return rows;
}

std::vector<Option> dropout_options() {
  return {
      {.name = "--dropout",
       .others = "--p --drop --drop-rate",
       .takers = by_lessons,
       .taken = &Takes::dropout,
       .value = {.kind = ValueKind::probability, .placeholder = "P"},
       .doc = "probability of dropping a weight",
       .read = [](Options& o, const std::string& text) { o.lesson.dropout = number_value(text); }},
      {.name = "--dropout-kernel",
       .taken = &Takes::dropout,
       .value = choice([](const Options&) { return words_of(dropout_kernel_names()); }),
       .doc = "PyTorch's Bernoulli kernel (default: default)",
       .read = [](Options& o, const std::string& text) { o.typed.dropout_kernel = dropout_kernel_names().at(text); }},
  };
}

std::vector<Option> kernel_options() {
  return {
      {.name = "--cpu",
       .value = choice([](const Options&) { return words_of(cpu_names()); }),
       .doc = "PyTorch's CPU kernels (default: the article's)",
       .read = [](Options& o, const std::string& text) { o.typed.cpu = cpu_names().at(text); }},
      {.name = "--blas",
       .value = {.kind = ValueKind::choice,
                 .choices = [](const Options&) { return words_of(blas_names()); },
                 .why_few = has_openblas() ? "" : "this program was built without OpenBLAS"},
       .doc = has_openblas() ? "kernels for matrix products (default: haswell)" : "kernels for matrix products",
       .read = [](Options& o, const std::string& text) { o.typed.blas = blas_names().at(text); }},
      {.name = "--threads",
       .others = "--jobs --cores --num-threads",
       .takers = by_walks,
       .value = number(1, most_threads, 4),
       .doc = "number of threads (default: one per core)",
       .read = [](Options& o, const std::string& text) { o.threads = whole_value(text); }},
  };
}

std::vector<Option> page_options() {
  return {
      {.name = "--article",
       .is_common = true,
       .value = choice(articles_of_verify, "ARTICLE"),
       .doc = "only this article's chapters",
       .read = [](Options& o, const std::string& text) { o.verify.article = &article_named(text); }},
      {.name = "--chapter",
       .is_common = true,
       .value = {.kind = ValueKind::text, .placeholder = "CHAPTER"},
       .doc = "only this chapter",
       .read = [](Options& o, const std::string& text) { o.verify.chapter = text; },
       .check = check_chapter},
  };
}

std::vector<Option> port_options() {
  return {
      {.name = "--rtol",
       .value = any_tolerance,
       .doc = "relative tolerance (default: 1.3e-6)",
       .read = [](Options& o, const std::string& text) { o.verify.rtol = number_value(text); }},
      {.name = "--atol",
       .is_common = true,
       .value = any_tolerance,
       .doc = "absolute tolerance (default: 1e-5)",
       .read = [](Options& o, const std::string& text) { o.verify.atol = number_value(text); }},
      {.name = "--map",
       .is_common = true,
       .value = {.kind = ValueKind::names, .placeholder = "THEIRS=STEP[,...]"},
       .doc = "match tensors to steps whose names differ",
       .read = [](Options& o, const std::string& text) { o.verify.names = names_value(text); }},
      {.name = "--ignore",
       .is_common = true,
       .value = {.kind = ValueKind::text, .placeholder = "GLOB[,...]"},
       .doc = "tensors to leave out; * matches any characters",
       .read =
           [](Options& o, const std::string& text) {
             const std::vector<std::string> names = text::split(text);
             o.verify.ignored.insert(o.verify.ignored.end(), names.begin(), names.end());
           }},
  };
}

}  // namespace attn::cli
