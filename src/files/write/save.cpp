#include "files/write/save.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "files/read/formats.hpp"

namespace attn::render {
namespace {

namespace fs = std::filesystem;
using system::Place;

[[noreturn]] void throw_error(const fs::path& path, const std::error_code& code) {
  const bool is_file = tensor_writer(path) != nullptr;
  const std::string kind = is_file ? "file" : "folder";
  if (code == std::errc::file_exists) {
    throw SaveError("--save: '" + path.string() + "' already exists; --save makes a new " + kind +
                    "; name another, or add --force to replace " + (is_file ? "a file" : "one that --save wrote"));
  }
  throw SaveError("--save cannot write '" + path.string() + "' (" + code.message() + "); give a " + kind +
                  " that can be created or written; try --save /tmp/steps" +
                  (is_file ? path.extension().string() : ""));
}

/// Runs an action and turns the system's errors into SaveError.
template <class Action>
auto checked(const fs::path& path, const Action& action) {
  try {
    return action();
  } catch (const std::system_error& error) {  // a filesystem_error is one
    throw_error(path, error.code());
  }
}

/// Throws SaveError if the folder contains anything that --save did not write.
void check_is_ours(const fs::path& folder, const fs::path& shown_as) {
  std::vector<std::string> files = files::files_of_manifest(folder);
  if (!files.empty()) {
    files.emplace_back(files::manifest_name);
  }
  const std::set<fs::path> listed(files.begin(), files.end());
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::file_type type = entry->symlink_status().type();
    const fs::path name = entry->path().lexically_relative(folder);
    const bool is_listed = type == fs::file_type::regular && listed.contains(name);
    if (type != fs::file_type::directory && !is_listed) {
      throw SaveError("--save: '" + shown_as.string() + "' has '" + name.string() +
                      "', which no --save wrote; accepted with --force is a folder that --save wrote, and nobody "
                      "else; name another, or move that away");
    }
  }
  if (error) {
    throw_error(shown_as, error);
  }
}

/// Writes to a device or a pipe. If its reader leaves, it has what it wanted.
void write_stream(const Place& stream, WriteTensors write, std::span<const ShownChapter> chapters) {
  const system::Descriptor descriptor = system::opened(stream);
  try {
    write([&](std::string_view bytes) { system::write_all(descriptor.number(), bytes); }, chapters);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::broken_pipe) {
      throw;
    }
  }
}

}  // namespace

std::span<const TensorWriter> tensor_writers() {
  constexpr unsigned one = can::comparisons | can::draws;
  static constexpr std::array table = {
      TensorWriter{{"npz", ".npz", one | can::several}, write_npz},
      TensorWriter{{"safetensors", ".safetensors", one | can::several}, write_safetensors},
      TensorWriter{{"npy", ".npy", one}, write_one_npy}, TensorWriter{{"csv", ".csv", one}, write_one_csv}};
  return table;
}

const TensorWriter* tensor_writer(const fs::path& path) {
  const auto found = std::ranges::find_if(
      tensor_writers(), [&](const TensorWriter& one) { return files::has_extension(path, one.ending); });
  return found == tensor_writers().end() ? nullptr : &*found;
}

Place accepted_place(const fs::path& path, bool may_replace) {
  const bool is_file = tensor_writer(path) != nullptr;
  Place place = checked(path, [&] { return system::place_of(path); });
  if (place.kind == (is_file ? Place::Kind::folder : Place::Kind::file) ||
      (!is_file && place.kind == Place::Kind::stream)) {
    throw_error(path, std::make_error_code(is_file ? std::errc::is_a_directory : std::errc::not_a_directory));
  }
  const bool exists = place.kind == Place::Kind::file || place.kind == Place::Kind::folder;
  if (exists && !may_replace) {
    throw_error(path, std::make_error_code(std::errc::file_exists));
  }
  if (exists && !is_file) {
    check_is_ours(place.path, path);
  }
  return place;
}

Saving::Saving(fs::path path, std::span<const ShownChapter> chapters, bool may_replace)
    : path_(std::move(path)), may_replace_(may_replace) {
  const Place place = accepted_place(path_, may_replace);
  const TensorWriter* const writer = tensor_writer(path_);
  checked(path_, [&] {
    if (place.kind == Place::Kind::stream) {
      return write_stream(place, writer->write, chapters);
    }
    beside_.emplace(place.path, writer == nullptr ? system::Beside::Kind::folder : system::Beside::Kind::file);
    if (writer == nullptr) {
      return write_folder(chapters);
    }
    system::Descriptor file = beside_->open();
    writer->write([&](std::string_view bytes) { system::write_all(file.number(), bytes); }, chapters);
    file.close();
  });
}

void Saving::write_folder(std::span<const ShownChapter> chapters) const {
  const auto file_of = [](const std::string& name) { return name + ".npy"; };
  for (const SavedTensor& saved : saved_tensors(chapters)) {
    system::Descriptor file = beside_->open(file_of(saved.name));
    system::write_all(file.number(), npy_header(*saved.step->tensor));
    stream_bytes(*saved.step->tensor, [&](std::string_view bytes) { system::write_all(file.number(), bytes); });
    file.close();
  }
  system::Descriptor manifest = beside_->open(files::manifest_name);
  system::write_all(manifest.number(), manifest_of(chapters, "file", file_of).dump(2) + "\n");
  manifest.close();
}

void Saving::publish() {
  const bool is_file = tensor_writer(path_) != nullptr;
  const system::Beside::Check check = [&](const fs::path& found) {
    if (!is_file) {
      check_is_ours(found, path_);
    } else if (!fs::is_regular_file(fs::symlink_status(found))) {
      system::throw_exists(found);
    }
  };
  if (beside_) {
    checked(path_, [&] { beside_->publish(may_replace_ ? check : system::Beside::Check()); });
  }
}

}  // namespace attn::render
