#include "render/save.hpp"

#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xnpy.hpp>

namespace attn::render {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using system::Place;

constexpr const char* manifest_name = "manifest.json";

[[noreturn]] void throw_error(const fs::path& path, const std::error_code& code) {
  if (code == std::errc::file_exists) {
    throw SaveError("--save: '" + path.string() +
                    "' exists; accepted is a new folder; name another, or add --force to replace one that --save "
                    "wrote");
  }
  throw SaveError("--save cannot write '" + path.string() + "' (" + code.message() +
                  "); accepted is a folder that can be made or written; try --save /tmp/steps");
}

/// Does what throws the system's errors.
template <class Action>
auto checked(const Action& action) {
  try {
    return action();
  } catch (const fs::filesystem_error& error) {
    throw_error(error.path1(), error.code());
  }
}

std::string npy_bytes(const Tensor& tensor) {
  const auto contents = tensor.array().contents();
  return std::visit(
      [](const auto& values) {
        const std::vector<std::size_t> shape(values.shape().begin(), values.shape().end());
        return xt::dump_npy(xt::adapt(values.data(), values.size(), xt::no_ownership(), shape));
      },
      *contents);
}

bool has_text(const json& object, const char* key) { return object.contains(key) && object[key].is_string(); }

/// The files that a manifest of ours lists, the manifest too; none where there is none, or it is not ours.
std::set<fs::path> listed_files(const fs::path& folder) {
  std::error_code ignored;
  if (fs::symlink_status(folder / manifest_name, ignored).type() != fs::file_type::regular) {
    return {};  // reading a pipe would wait for its writer
  }
  std::ifstream file(folder / manifest_name);
  const json manifest = json::parse(file, nullptr, false);
  std::set<fs::path> files;
  for (const json& chapter : manifest.is_array() ? manifest : json::array({manifest})) {
    if (!chapter.is_object() || chapter.value("tool", json()) != "attn-walkthrough" || !has_text(chapter, "version") ||
        !has_text(chapter, "chapter") || !chapter.contains("steps") || !chapter["steps"].is_array()) {
      return {};
    }
    for (const json& step : chapter["steps"]) {
      if (!step.is_object() || !has_text(step, "file")) {
        return {};
      }
      files.insert(step["file"].get<std::string>());
    }
  }
  if (!files.empty()) {
    files.insert(manifest_name);
  }
  return files;
}

/// Throws SaveError where anything is in the folder that no --save wrote.
void check_is_ours(const fs::path& folder, const fs::path& shown_as) {
  const std::set<fs::path> files = listed_files(folder);
  std::set<fs::path> folders;
  for (const fs::path& file : files) {
    for (fs::path at = file.parent_path(); !at.empty() && at != at.parent_path(); at = at.parent_path()) {
      folders.insert(at);
    }
  }
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::file_type type = entry->symlink_status().type();
    const fs::path name = entry->path().lexically_relative(folder);
    if (type == fs::file_type::directory ? !folders.contains(name)
                                         : type != fs::file_type::regular || !files.contains(name)) {
      throw SaveError("--save: '" + shown_as.string() + "' has '" + name.string() +
                      "', which no --save wrote; accepted with --force is a folder that --save wrote, and nobody "
                      "else; name another, or move that away");
    }
  }
  if (error) {
    throw_error(shown_as, error);
  }
}

}  // namespace

Place accepted_folder(const fs::path& folder, bool may_replace) {
  Place place = checked([&] { return system::place_of(folder); });
  if (place.kind == Place::Kind::file || place.kind == Place::Kind::stream) {
    throw_error(folder, std::make_error_code(std::errc::not_a_directory));
  }
  if (place.kind == Place::Kind::folder) {
    if (!may_replace) {
      throw_error(folder, std::make_error_code(std::errc::file_exists));
    }
    check_is_ours(place.path, folder);
  }
  return place;
}

Saving::Saving(const fs::path& folder, std::span<const ShownChapter> chapters, bool may_replace)
    : folder_(folder), may_replace_(may_replace), writer_(checked([&] { return system::FolderWriter(folder); })) {
  nlohmann::ordered_json manifests = nlohmann::ordered_json::array();
  checked([&] {
    for (const ShownChapter& chapter : chapters) {
      manifests.push_back(write_chapter(chapter, chapters.size() > 1 ? chapter.name : ""));
    }
    writer_.write(manifest_name, (chapters.size() > 1 ? manifests : manifests[0]).dump(2) + "\n");
  });
}

void Saving::publish() {
  system::FolderWriter::Check check;
  if (may_replace_) {
    check = [this](const fs::path& found) { check_is_ours(found, folder_); };
  }
  checked([&] { writer_.publish(check); });
}

nlohmann::ordered_json Saving::write_chapter(const ShownChapter& chapter, const fs::path& subfolder) {
  nlohmann::ordered_json manifest = chapter.about();
  manifest["steps"] = nlohmann::ordered_json::array();
  for (const Step& step : chapter.all_steps) {
    if (step.kind != Step::Kind::tensor) {
      continue;
    }
    const fs::path file = subfolder / step.section / (step.name + ".npy");
    writer_.write(file, npy_bytes(*step.tensor));
    manifest["steps"].push_back({
        {"section", step.section},
        {"name", step.name},
        {"label", step.label},
        {"expression", step.tensor->expression()},
        {"inputs", step.tensor->inputs()},
        {"shape", step.tensor->shape()},
        {"dtype", dtype_name(step.tensor->dtype())},
        {"file", file.string()},
    });
  }
  return manifest;
}

}  // namespace attn::render
