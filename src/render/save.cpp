#include "render/save.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <nlohmann/json.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xnpy.hpp>

namespace attn::render {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "manifest.json";

[[noreturn]] void throw_error(const fs::path& path, const std::error_code& code) {
  throw SaveError("--save cannot write '" + path.string() + "' (" + code.message() +
                  "); accepted is a folder that can be made or written; try --save /tmp/steps");
}

/// Where a file stays until all are written, and what was there until all are in their places.
fs::path other_name(const fs::path& file, const std::string& kind) {
  return file.string() + "." + kind + std::to_string(getpid());
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

/// The files that a manifest of ours lists, the manifest first; none where there is none, or it is not ours.
std::vector<fs::path> listed_files(const fs::path& folder) {
  std::ifstream file(folder / manifest_name);
  const auto manifest = nlohmann::json::parse(file, nullptr, false);
  std::vector<fs::path> files = {manifest_name};
  for (const auto& chapter : manifest.is_array() ? manifest : nlohmann::json::array({manifest})) {
    if (!chapter.is_object() || chapter.value("tool", nlohmann::json()) != "attn-walkthrough" ||
        !chapter.contains("steps")) {
      return {};
    }
    for (const auto& step : chapter["steps"]) {
      if (!step.is_object() || !step.contains("file") || !step["file"].is_string()) {
        return {};
      }
      files.emplace_back(step["file"].get<std::string>());
    }
  }
  return files;
}

/// What was saved into the folder before, in it. Throws SaveError where there is anything else.
std::vector<fs::path> earlier_files(const fs::path& folder) {
  const std::vector<fs::path> listed = listed_files(folder);
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_directory() && !entry->is_symlink()) {
      continue;
    }
    const fs::path file = entry->path().lexically_relative(folder);
    if (std::find(listed.begin(), listed.end(), file) == listed.end()) {
      throw SaveError("--save: '" + folder.string() + "' has '" + file.string() +
                      "', which no earlier --save wrote; accepted is a folder that is new, empty or written by --save "
                      "alone; name another, or move that file away");
    }
    files.push_back(file);
  }
  if (error) {
    throw_error(folder, error);
  }
  return files;
}

}  // namespace

Saving::Saving(const fs::path& folder, std::span<const ShownChapter> chapters) : folder_(folder) {
  try {
    make_folder(folder_);
    earlier_ = earlier_files(folder_);
    write_all(chapters);
  } catch (...) {
    discard();
    throw;
  }
}

Saving::~Saving() { discard(); }

void Saving::write_all(std::span<const ShownChapter> chapters) {
  nlohmann::ordered_json manifests = nlohmann::ordered_json::array();
  for (const ShownChapter& chapter : chapters) {
    manifests.push_back(write_chapter(chapter, chapters.size() > 1 ? chapter.name : ""));
  }
  write(manifest_name, (chapters.size() > 1 ? manifests : manifests[0]).dump(2) + "\n");
}

nlohmann::ordered_json Saving::write_chapter(const ShownChapter& chapter, const fs::path& subfolder) {
  nlohmann::ordered_json manifest = *chapter.about;
  manifest["steps"] = nlohmann::ordered_json::array();
  for (const Step& step : chapter.all_steps) {
    if (step.kind != Step::Kind::tensor) {
      continue;
    }
    const fs::path file = subfolder / step.section / (step.name + ".npy");
    make_folder((folder_ / file).parent_path());
    write(file, npy_bytes(*step.tensor));
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

void Saving::publish() {
  try {
    for (const fs::path& file : earlier_) {
      move({folder_ / file, other_name(folder_ / file, "old")});
    }
    for (const Move& written : written_) {
      move(written);
    }
  } catch (...) {
    put_back();
    throw;
  }
  std::error_code ignored;
  for (std::size_t i = 0; i < earlier_.size(); ++i) {
    fs::remove(moved_[i].to, ignored);
    for (fs::path at = earlier_[i].parent_path(); !at.empty(); at = at.parent_path()) {
      fs::remove(folder_ / at, ignored);  // only where it is empty now
    }
  }
  written_.clear();
  folders_.clear();
}

void Saving::move(const Move& move) {
  std::error_code error;
  fs::rename(move.from, move.to, error);
  if (error) {
    throw_error(move.from, error);
  }
  moved_.push_back(move);
}

void Saving::put_back() {
  std::error_code ignored;
  for (auto move = moved_.rbegin(); move != moved_.rend(); ++move) {
    fs::rename(move->to, move->from, ignored);
  }
}

void Saving::discard() {
  std::error_code ignored;
  for (const Move& written : written_) {
    fs::remove(written.from, ignored);
  }
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
    fs::remove(*folder, ignored);
  }
}

void Saving::make_folder(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) {
    return;
  }
  make_folder(path.parent_path());
  if (fs::is_directory(path, error)) {
    return;  // "new/" and "new/.." are there once "new" is
  }
  if (!fs::create_directory(path, error)) {
    throw_error(path, error ? error : std::make_error_code(std::errc::not_a_directory));
  }
  folders_.push_back(path);
}

void Saving::write(const fs::path& file, std::string_view bytes) {
  const fs::path place = folder_ / file;
  std::error_code ignored;
  if (fs::is_directory(place, ignored)) {
    throw_error(place, std::make_error_code(std::errc::is_a_directory));
  }
  const fs::path written = other_name(place, "new");
  errno = 0;
  std::ofstream out(written, std::ios::binary);
  if (out) {
    written_.push_back({written, place});
  }
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    throw_error(place, std::error_code(errno == 0 ? EIO : errno, std::generic_category()));
  }
}

}  // namespace attn::render
