#include <limits>
#include <set>
#include <utility>

#include "cli/option.hpp"
#include "tensor/blas.hpp"
#include "walk/names.hpp"

namespace attn::cli {
namespace {

using chapters::Takes;

constexpr Value tensor_file = some_value("FILE[:NAME]", ValueKind::file);

const std::map<std::string, torch::SciMode> sci_modes = {
    {"auto", torch::SciMode::automatic}, {"on", torch::SciMode::on}, {"off", torch::SciMode::off}};

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
                    .value = size(one->example),
                    .doc = one->doc,
                    .member = OwnSize{name}});
  }
  return rows;
}

/// Sets a member of the lesson to a valid value.
struct Setting {
  Lesson& lesson;
  const std::string& text;

  void operator()(std::monostate) const {}
  void operator()(OwnSize size) const { lesson.own_sizes[std::string(size.name)] = whole_value(text); }
  void operator()(bool Lesson::*member) const { lesson.*member = true; }
  void operator()(std::optional<std::int64_t> Lesson::*member) const { lesson.*member = whole_value(text); }
  void operator()(std::optional<std::string> Lesson::*member) const { lesson.*member = text; }
  void operator()(std::optional<GivenTensor> Lesson::*) const {}  // read after the whole line
};

}  // namespace

void take(const Option& option, const std::string& text, Options& options) {
  std::visit(Setting{options.lesson, text}, option.member);
  if (option.read != nullptr) {
    option.read(options, text);
  }
}

void add_settings(std::vector<Option>& table) {
  constexpr unsigned by_kernels = by_walks | by_verify;
  add(table, "A layer of a checkpoint", by_layer,
      {{.name = "--weights",
        .is_common = true,
        .value = some_value("FILE|DIR"),
        .doc = "checkpoint: .safetensors file, its index, or folder"},
       {.name = "--layer",
        .others = "--block --layer-idx",
        .takers = by_layer | by_verify,
        .is_common = true,
        .value = number(0, most_size, 1),
        .doc = "which of its layers, counted from 0 (default: 0)",
        .clashes = {{{"--article", "--chapter"}, "the checkpoint tells which program its layers have"}},
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
        .value = some_value("WORDS", ValueKind::sentence),
        .doc = "or words, which the model embeds for layer 0",
        .member = &Lesson::sentence},
       {.name = "--tokenizer",
        .others = "--vocab --vocabulary",
        .takers = by_layer | by_verify,
        .value = some_value("FILE"),
        .doc = "their vocabulary (default: tokenizer.json beside it)",
        .check = check_layer},
       {.name = "--config",
        .takers = by_layer | by_verify,
        .value = some_value("FILE"),
        .doc = "its settings (default: config.json beside it)",
        .check = check_layer}});
  add(table, group::inputs, by_lessons,
      {{.name = "--seed",
        .takers = by_draws,
        .is_common = true,
        .value = some_value("N", ValueKind::seed),
        .doc = "seed of torch.manual_seed (default: 123)",
        .read = [](Options& o, const std::string& text) { o.lesson.seed = torch::parsed_seed(text); }},
       {.name = "--tokens",
        .others = "--length --seq-len --context-length --n",
        .value = size(6),
        .doc = "random inputs with N tokens",
        .member = &Lesson::tokens,
        .clashes = {{{"--sentence"}, "a sentence has its own tokens"}}},
       {.name = "--d-in",
        .others = "--dim --embed-dim --d-model --in-features",
        .value = size(3),
        .doc = "random inputs with N dimensions",
        .member = &Lesson::d_in},
       {.name = "--batch",
        .others = "--batch-size",
        .taken = &Takes::batch,
        .value = size(2),
        .doc = "stack the same inputs N times",
        .member = &Lesson::batch},
       {.name = "--sentence",
        .others = "--text --words --prompt",
        .value = some_value("WORDS", ValueKind::sentence),
        .doc = "embed these words instead of the article's inputs",
        .member = &Lesson::sentence},
       {.name = "--inputs",
        .value = tensor_file,
        .doc = "your own inputs [tokens, d_in]; see help formats",
        .member = &Lesson::inputs,
        .clashes = {{{"--tokens", "--d-in", "--sentence"}, "a file has its own tokens and dimensions"}}},
       {.name = "--second-inputs",
        .taken = &Takes::second_inputs,
        .value = tensor_file,
        .doc = "your own second sequence [tokens, d_in]",
        .member = &Lesson::second_inputs},
       {.name = "--fixture",
        .takers = by_draws,
        .doc = "sizes at which every known mistake changes the result",
        .member = &Lesson::fixture},
       {.name = "--query",
        .taken = &Takes::query,
        .value = some_value("TOKEN|INDEX"),
        .doc = "token to follow by hand (default: the second)",
        .member = &Lesson::query}});
  add(table, group::weights, by_lessons,
      {{.name = "--weights",
        .taken = &Takes::projections,
        .value = some_value("FILE|NAME=FILE[,...]", ValueKind::file),
        .doc = "weights from a file or folder, matched by step name"},
       {.name = "--attend-to",
        .others = "--weights-that",
        .takers = by_draws,
        .taken = [](const Takes& takes) { return takes.projections && !takes.only_drawn; },
        .value = choice([](const Options&) { return words_of(attend_to_names()); }),
        .doc = "one-hot inputs, with hand-made weights that produce this pattern",
        .read = [](Options& o, const std::string& text) { o.lesson.attend_to = attend_to_names().at(text); },
        .clashes = {{{"--d-in", "--inputs", "--second-inputs"}, "it makes the inputs"},
                    {{"--d-out", "--d-out-kq", "--d-out-v", "--qkv-bias", "--weights", "--fixture"},
                     "it makes the weights and their sizes"}}},
       {.name = "--d-out-kq",
        .taken = &Takes::projections,
        .value = size(3),
        .doc = "dimensions of queries and keys",
        .member = &Lesson::d_out_kq},
       {.name = "--d-out-v",
        .taken = &Takes::projections,
        .value = size(3),
        .doc = "dimensions of values",
        .member = &Lesson::d_out_v},
       {.name = "--d-out",
        .others = "--out-features --head-dim",
        .taken = &Takes::projections,
        .value = size(3),
        .doc = "dimensions of queries, keys and values",
        .read =
            [](Options& o, const std::string& text) {
              for (std::optional<std::int64_t>* d_out : {&o.lesson.d_out_kq, &o.lesson.d_out_v}) {
                *d_out = d_out->value_or(whole_value(text));
              }
            }},
       {.name = "--init",
        .taken = &Takes::projections,
        .value = choice([](const Options&) { return words_of(init_names()); }),
        .doc = "nn.Linear, or nn.Parameter of torch.rand or randn",
        .read = [](Options& o, const std::string& text) { o.lesson.init = init_names().at(text); }},
       {.name = "--qkv-bias",
        .taken = &Takes::projections,
        .doc = "add a bias to queries, keys and values",
        .member = &Lesson::qkv_bias,
        .check = check_bias},
       {.name = "--num-heads",
        .others = "--heads --n-heads --nhead --n-head",
        .takers = by_lessons | by_layer,
        .taken = &Takes::heads,
        .value = size(3),
        .doc = "number of heads; must divide d_out if they share it",
        .member = &Lesson::num_heads}});
  add(table, group::weights, by_lessons, own_sizes());
  add(table, group::dropout, by_lessons,
      {{.name = "--dropout",
        .others = "--p --drop --drop-rate",
        .taken = &Takes::dropout,
        .value = some_value("P", ValueKind::probability),
        .doc = "probability of dropping a weight",
        .read = [](Options& o, const std::string& text) { o.lesson.dropout = number_value(text); }},
       {.name = "--dropout-kernel",
        .takers = by_draws,
        .taken = &Takes::dropout,
        .value = choice([](const Options&) { return words_of(dropout_kernel_names()); }),
        .doc = "PyTorch's Bernoulli kernel (default: default)",
        .read = [](Options& o, const std::string& text) {
          o.typed.dropout_kernel = dropout_kernel_names().at(text);
        }}});
  add(table, "Kernels", by_kernels,
      {{.name = "--cpu",
        .value = choice([](const Options&) { return words_of(cpu_names()); }),
        .doc = "PyTorch's CPU kernels (default: the article's)",
        .read = [](Options& o, const std::string& text) { o.typed.cpu = cpu_names().at(text); }},
       {.name = "--blas",
        .value = choice([](const Options&) { return words_of(blas_names()); }),
        .doc = has_openblas() ? "kernels for matrix products (default: haswell)" : "kernels for matrix products",
        .read = [](Options& o, const std::string& text) { o.typed.blas = blas_names().at(text); }},
       {.name = "--threads",
        .others = "--jobs --cores --num-threads",
        .takers = by_walks,
        .value = number(1, most_threads, 4),
        .doc = "number of threads (default: one per core)",
        .read = [](Options& o, const std::string& text) { o.threads = whole_value(text); }}});
  add(table, "Printing, as torch.set_printoptions", by_walks,
      {{.name = "--precision",
        .value = number(0, 100, 4),
        .doc = "digits after the decimal point (default: 4)",
        .read = [](Options& o,
                   const std::string& text) { o.text.print.precision = static_cast<int>(whole_value(text)); }},
       {.name = "--threshold",
        .value = number(0, std::numeric_limits<std::int64_t>::max(), 1000),
        .doc = "summarise tensors with more elements (default: 1000)",
        .read = [](Options& o, const std::string& text) { o.text.print.threshold = whole_value(text); }},
       {.name = "--edgeitems",
        .value = number(0, most_size, 3),
        .doc = "items at either end of a summarised axis (default: 3)",
        .read = [](Options& o, const std::string& text) { o.text.print.edgeitems = whole_value(text); }},
       {.name = "--linewidth",
        .value = size(80),
        .doc = "characters per line, also of heat maps (default: 80)",
        .read = [](Options& o, const std::string& text) { o.text.print.linewidth = whole_value(text); }},
       {.name = "--sci-mode",
        .value = choice([](const Options&) { return words_of(sci_modes); }),
        .doc = "scientific notation (default: auto)",
        .read = [](Options& o, const std::string& text) { o.text.print.sci_mode = sci_modes.at(text); }},
       {.name = "--no-grad", .doc = "leave out grad_fn and requires_grad", .read = [](Options& o, const std::string&) {
          o.text.show_grad = false;
        }}});
}

}  // namespace attn::cli
