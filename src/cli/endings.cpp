#include "cli/endings.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "cli/usage_error.hpp"
#include "files/save.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

struct Ending {
  std::string_view ending;
  std::string_view option;
  std::string_view value;
};

constexpr std::array forms = {Ending{".md", "--format", "markdown"}, Ending{".json", "--format", "json"},
                              Ending{".html", "--format", "html"},   Ending{".svg", "--format", "svg"},
                              Ending{".xml", "--format", "junit"},   Ending{".csv", "--format", "csv"},
                              Ending{".py", "--emit", "pytorch"},    Ending{".ipynb", "--emit", "notebook"}};

/// Endings of binary formats, which text must not get.
constexpr auto other_files = std::to_array<std::string_view>(
    {".docx", ".gif", ".jpg", ".npy", ".npz", ".pdf", ".png", ".pt", ".pth", ".safetensors", ".xlsx"});

std::string ending_of(const std::string& path) { return text::lower(std::filesystem::path(path).extension().string()); }

bool is_form(const std::string& ending) { return std::ranges::find(forms, ending, &Ending::ending) != forms.end(); }

bool is_other_file(const std::string& ending) { return std::ranges::find(other_files, ending) != other_files.end(); }

/// Returns true if the command takes the option with this value.
bool takes_form(const Subcommand& command, const Ending& form) {
  const Option* const option = find_option(command, form.option);
  const auto choices = option == nullptr ? std::vector<std::string>() : option->value.choices(nothing_read(command));
  return std::ranges::find(choices, form.value) != choices.end();
}

/// Returns false for a device or a pipe: the ending of its name means nothing.
bool may_be_file(const std::string& path) {
  std::error_code none;
  const auto kind = std::filesystem::status(path, none).type();
  return kind == std::filesystem::file_type::not_found || kind == std::filesystem::file_type::regular;
}

}  // namespace

void choose_form(CommandLine& line) {
  const auto output = line.given.find("--output");
  if (line.command == nullptr || output == line.given.end()) {
    return;
  }
  const std::string& path = output->second.back();
  const std::string ending = ending_of(path);
  if (const auto emit = line.given.find("--emit"); emit != line.given.end()) {
    if (emit->second.back() == "pytorch" && ending == ".ipynb") {
      emit->second = {"notebook"};
    }
    return;
  }
  if (line.given.contains("--format") || !may_be_file(path)) {
    return;
  }
  std::vector<std::string> accepted = {".txt"};
  for (const Ending& form : forms) {
    if (!takes_form(*line.command, form)) {
      continue;
    }
    accepted.emplace_back(form.ending);
    if (form.ending == ending) {
      line.given[std::string(form.option)] = {std::string(form.value)};
      return;
    }
  }
  if (is_form(ending) || is_other_file(ending)) {
    const bool is_saved =
        find_option(*line.command, "--save") != nullptr && render::tensor_file_writer(path) != nullptr;
    throw UsageError("--output cannot write a " + ending + " file; use " + text::joined(accepted, ", ") +
                     ", or another ending for text; " +
                     (is_saved ? "try --save " + path : "name another file, or add --format text"));
  }
}

std::string wrong_ending_to_save(const std::string& path) {
  const std::string ending = ending_of(path);
  const bool is_wrong =
      (is_form(ending) || ending == ".txt" || is_other_file(ending)) && render::tensor_file_writer(path) == nullptr;
  return is_wrong ? "it cannot write a " + ending +
                        " file; use .npz, .safetensors, .csv for one tensor, or a folder for .npy files; try --save " +
                        path.substr(0, path.size() - ending.size()) + ".npz"
                  : "";
}

}  // namespace attn::cli
