#include "files/save.hpp"

#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "files/manifest.hpp"
#include "files/saved.hpp"

namespace attn::render {
namespace {

namespace fs = std::filesystem;
using system::Place;

[[noreturn]] void throw_error(const fs::path& path, const std::error_code& code) {
  if (code == std::errc::file_exists) {
    throw SaveError(
        "--save: '" + path.string() +
        "' already exists; --save makes a new folder; name another, or add --force to replace one that --save "
        "wrote");
  }
  throw SaveError("--save cannot write '" + path.string() + "' (" + code.message() +
                  "); give a folder that can be created or written; try --save /tmp/steps");
}

/// Runs an action and turns the system's errors into SaveError.
template <class Action>
auto checked(const Action& action) {
  try {
    return action();
  } catch (const fs::filesystem_error& error) {
    throw_error(error.path1(), error.code());
  }
}

/// Throws SaveError if the folder contains anything that --save did not write.
void check_is_ours(const fs::path& folder, const fs::path& shown_as) {
  const std::vector<std::string> listed = files::files_of_manifest(folder);
  std::set<fs::path> files(listed.begin(), listed.end());
  if (!files.empty()) {
    files.insert(files::manifest_name);
  }
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

Saving::Saving(const fs::path& folder, std::span<const ShownChapter> chapters, bool may_replace, const Written& written)
    : folder_(folder), may_replace_(may_replace), writer_(checked([&] { return system::FolderWriter(folder); })) {
  const auto file_of = [](const std::string& name) { return name + ".npy"; };
  checked([&] {
    for (const SavedTensor& saved : saved_tensors(chapters)) {
      const Tensor& tensor = *saved.step->tensor;
      writer_.write(file_of(saved.name), [&](const Sink& sink) {
        sink(npy_header(tensor));
        stream_bytes(tensor, [&](std::string_view bytes) {
          sink(bytes);
          if (written) {
            written(bytes.size());
          }
        });
      });
    }
    writer_.write(files::manifest_name,
                  [&](const Sink& sink) { sink(manifest_of(chapters, "file", file_of).dump(2) + "\n"); });
  });
}

void Saving::publish() {
  system::FolderWriter::Check check;
  if (may_replace_) {
    check = [this](const fs::path& found) { check_is_ours(found, folder_); };
  }
  checked([&] { writer_.publish(check); });
}

}  // namespace attn::render
