#include "cli/parser.hpp"

#include <algorithm>
#include <limits>

#include "cli/names.hpp"
#include "cli/text.hpp"
#include "cli/validators.hpp"
#include "tensor/blas_kernels.hpp"

namespace attn::cli {
namespace {

constexpr std::int64_t most_size = 2147483647;  // BLAS counts with 32 bits

const std::map<std::string, bool> steps_names = {{"article", false}, {"all", true}};
const std::map<std::string, torch::SciMode> sci_mode_names = {{"auto", torch::SciMode::automatic},
                                                              {"on", torch::SciMode::on},
                                                              {"off", torch::SciMode::off}};

}  // namespace

CLI::Option* Parser::add(const std::string& name, const std::string& placeholder, const std::string& help,
                         const CLI::callback_t& store) {
  return app_.add_option(name, store, help)
      ->type_name(placeholder)
      ->group(group_)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void Parser::text(const std::string& name, const std::string& placeholder, const std::string& help,
                  std::optional<std::string>& target) {
  add(name, placeholder, help, [&target](const CLI::results_t& texts) {
    target = texts.back();
    return true;
  });
}

template <class Target>
void Parser::bounded(const std::string& name, const std::string& help, Target& target, std::int64_t example,
                     std::int64_t least, std::int64_t most) {
  using Number = std::conditional_t<std::is_same_v<Target, int>, int, std::int64_t>;
  add(name, "N", help, [&target](const CLI::results_t& texts) {
    target = static_cast<Number>(std::stoll(texts.back()));
    return true;
  })->check(whole_number(least, most, example));
}

void Parser::number(const std::string& name, const std::string& help, std::optional<std::int64_t>& target,
                    std::int64_t example) {
  bounded(name, help, target, example, 1, most_size);
}

void Parser::add_choice(const std::string& name, const std::string& help, const std::vector<std::string>& names,
                        const CLI::callback_t& store) {
  std::string placeholder;
  for (const std::string& word : names) {
    placeholder += (placeholder.empty() ? "" : "|") + word;
  }
  add(name, placeholder, help, store)->check([names](const std::string& text) {
    if (std::find(names.begin(), names.end(), text) != names.end()) {
      return std::string();
    }
    const std::string near = nearest(text, names);
    return "'" + text + "' is not known; accepted are " + joined(names) + "; try " +
           (near.empty() ? names.front() : near);
  });
}

void Parser::flag(const std::string& name, const std::string& help, bool& target, bool value) {
  app_.add_flag_callback(name, [&target, value] { target = value; }, help)->group(group_)->disable_flag_override();
}

void Parser::add_seed(std::uint64_t& target) {
  add("--seed", "N", "as torch.manual_seed: any 64-bit integer (123)", [&target](const CLI::results_t& texts) {
    target = seed_value(texts.back());
    return true;
  })->check(seed());
}

void Parser::add_kernels(const std::string& cpu) {
  group("Kernels");
  choice("--cpu", "which of PyTorch's two sets of CPU kernels to follow (" + cpu + ")", cpu_names(), cpu_);
  choice("--blas", "whose OpenBLAS kernels multiply (haswell)", blas_names(), blas_);
}

Kernels Parser::kernels(Article article) {
  const Blas blas = blas_.value_or(default_blas());
  if (runnable(blas) != blas) {
    options_.note = "this processor cannot run OpenBLAS's " + blas_name(blas) + " kernels; " +
                    blas_name(runnable(blas)) + "'s run in their place, and last digits may differ";
  }
  return {cpu_.value_or(chapters::article_entry(article).cpu), blas};
}

void Parser::add_steps() {
  choice("--steps", "what the article prints, or every tensor (article)", steps_names, options_.all_steps);
}

void Parser::add_printing() {
  group("Printing, as torch.set_printoptions");
  torch::PrintOptions& print = options_.text.print;
  bounded("--precision", "digits after the point (4)", print.precision, 4, 0, 100);
  bounded("--threshold", "summarise tensors of more elements (1000)", print.threshold, 1000, 0,
          std::numeric_limits<std::int64_t>::max());
  bounded("--edgeitems", "items at either end of a summarised axis (3)", print.edgeitems, 3, 1, most_size);
  bounded("--linewidth", "characters a line (80)", print.linewidth, 80, 1, most_size);
  choice("--sci-mode", "scientific notation (auto)", sci_mode_names, print.sci_mode);
  flag("--no-grad", "leave out grad_fn and requires_grad", options_.text.show_grad, false);
}

}  // namespace attn::cli
