#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "cli/option.hpp"
#include "cli/options.hpp"
#include "files/write/save.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

struct ReportEnding {
  std::string_view ending;
  ReportFormat format;
};

constexpr std::array reports = {ReportEnding{".txt", ReportFormat::text}, ReportEnding{".json", ReportFormat::json},
                                ReportEnding{".html", ReportFormat::html}, ReportEnding{".xml", ReportFormat::junit}};

/// Endings of files that hold no text, and that nothing here writes.
constexpr auto other_files =
    std::to_array<std::string_view>({".docx", ".gif", ".jpg", ".pdf", ".png", ".pt", ".pth", ".xlsx"});

std::string ending_of(const std::string& path) { return text::lower(std::filesystem::path(path).extension().string()); }

/// Returns false for a device or a pipe: the ending of its name means nothing.
bool may_be_file(const std::string& path) {
  std::error_code none;
  const auto kind = std::filesystem::status(path, none).type();
  return kind == std::filesystem::file_type::not_found || kind == std::filesystem::file_type::regular;
}

template <class Table>
auto with_ending(const Table& table, const std::string& ending) {
  const auto found = std::ranges::find_if(table, [&](const auto& one) { return one.ending == ending; });
  return ending.empty() || found == table.end() ? nullptr : &*found;
}

/// Returns true if the command can write this ending, and chooses its form.
bool is_chosen(Options& options, const std::string& ending) {
  if (options.command == Command::verify) {
    const ReportEnding* const report = with_ending(reports, ending);
    options.verify.format = report != nullptr ? report->format : options.verify.format;
    return report != nullptr;
  }
  if (const render::Writer* const writer = with_ending(render::writers(), ending)) {
    options.format = writer;
    return true;
  }
  options.emit = with_ending(emit::emitters(), ending);
  options.tensors = options.emit != nullptr ? nullptr : with_ending(render::tensor_writers(), ending);
  return options.emit != nullptr || options.tensors != nullptr;
}

/// The endings that the command can write.
std::vector<std::string> known_endings(const Options& options) {
  std::vector<std::string> endings;
  const auto add = [&endings](std::string_view ending) {
    ending.empty() ? void() : void(endings.emplace_back(ending));
  };
  if (options.command == Command::verify) {
    for (const ReportEnding& report : reports) {
      add(report.ending);
    }
    return endings;
  }
  for (const Form& text : render::writers()) {
    add(text.ending);
  }
  for (const Form& program : emit::emitters()) {
    add(program.ending);
  }
  const std::vector<const Form*> all = formats();
  for (const Form* tensors : std::span(all).subspan(render::writers().size())) {
    add(tensors->ending);
  }
  return endings;
}

}  // namespace

std::vector<const Form*> formats() {
  std::vector<const Form*> forms;
  for (const render::Writer& writer : render::writers()) {
    forms.push_back(&writer);
  }
  for (const render::TensorWriter& writer : render::tensor_writers()) {
    const bool is_text = std::ranges::find(forms, writer.name, &Form::name) != forms.end();
    is_text ? void() : forms.push_back(&writer);
  }
  return forms;
}

void choose_form(Options& options) {
  if (!options.output || !may_be_file(*options.output)) {
    return;
  }
  const std::string ending = ending_of(*options.output);
  if (options.given.has("--emit")) {
    const bool is_notebook = ending == ".ipynb" && options.emit->name == "pytorch";
    options.emit = is_notebook ? with_ending(emit::emitters(), ending) : options.emit;
    return;
  }
  if (options.given.has("--format") || is_chosen(options, ending)) {
    return;
  }
  const bool is_form = with_ending(render::writers(), ending) != nullptr ||
                       with_ending(emit::emitters(), ending) != nullptr || with_ending(reports, ending) != nullptr ||
                       with_ending(render::tensor_writers(), ending) != nullptr;
  if (is_form || std::ranges::find(other_files, ending) != other_files.end()) {
    throw UsageError("--output cannot write a " + ending + " file here; use " + text::joined(known_endings(options)) +
                     "; name another file, or add --format text");
  }
}

std::string wrong_ending_to_save(const std::string& path) {
  const std::string ending = ending_of(path);
  const bool is_text = render::tensor_writer(path) == nullptr && (with_ending(render::writers(), ending) != nullptr ||
                                                                  with_ending(emit::emitters(), ending) != nullptr);
  return is_text || std::ranges::find(other_files, ending) != other_files.end()
             ? "it cannot write a " + ending +
                   " file; use .npz, .safetensors, .npy or .csv for one tensor, or a folder for .npy files; try "
                   "--save " +
                   path.substr(0, path.size() - ending.size()) + ".npz"
             : "";
}

}  // namespace attn::cli
