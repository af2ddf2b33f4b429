#include "files/save_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "files/file.hpp"
#include "files/save.hpp"
#include "files/save_csv.hpp"
#include "files/save_npz.hpp"
#include "files/save_safetensors.hpp"

namespace attn::render {
namespace {

namespace fs = std::filesystem;
using system::Place;

[[noreturn]] void throw_not_saved(const fs::path& path, const std::error_code& code) {
  if (code == std::errc::file_exists) {
    throw SaveError("--save: '" + path.string() +
                    "' already exists; --save makes a new file; name another, or add --force to replace a "
                    "file");
  }
  throw SaveError("--save cannot write '" + path.string() + "' (" + code.message() +
                  "); give a file that can be created or written; try --save /tmp/steps" + path.extension().string());
}

/// Runs an action and turns the system's errors into SaveError.
template <class Action>
auto written(const fs::path& path, const Action& action) {
  try {
    return action();
  } catch (const fs::filesystem_error& error) {
    throw_not_saved(path, error.code());
  } catch (const std::system_error& error) {
    throw_not_saved(path, error.code());
  }
}

void write_to_stream(const Place& stream, WriteTensors write, std::span<const ShownChapter> chapters,
                     const Written& told) {
  const system::Descriptor descriptor = system::opened(stream);
  try {
    const auto append = [&](std::string_view bytes) {
      system::write_all(descriptor.number(), bytes);
      told(bytes.size());
    };
    write({append}, chapters);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::broken_pipe) {  // the reader closed the pipe and has what it wanted
      throw;
    }
  }
}

}  // namespace

WriteTensors tensor_file_writer(const fs::path& path) {
  if (files::has_extension(path, ".npz")) {
    return write_npz;
  }
  if (holds_one_tensor(path)) {
    return write_one_csv;
  }
  return files::has_extension(path, ".safetensors") ? write_safetensors : nullptr;
}

Place accepted_file(const fs::path& path, bool may_replace) {
  Place place = written(path, [&] { return system::place_of(path); });
  if (place.kind == Place::Kind::folder) {
    throw_not_saved(path, std::make_error_code(std::errc::is_a_directory));
  }
  if (place.kind == Place::Kind::file && !may_replace) {
    throw_not_saved(path, std::make_error_code(std::errc::file_exists));
  }
  return place;
}

FileSaving::FileSaving(const fs::path& path, std::span<const ShownChapter> chapters, bool may_replace,
                       const Written& told)
    : path_(path), may_replace_(may_replace) {
  const Place place = accepted_file(path, may_replace);
  const WriteTensors write = tensor_file_writer(path);
  written(path, [&] {
    if (place.kind == Place::Kind::stream) {
      write_to_stream(
          place, write, chapters, told ? told : [](std::size_t) {});
    } else {
      writer_.emplace(place.path);
      const auto append = [&](std::string_view bytes) {
        writer_->write(bytes);
        if (told) {
          told(bytes.size());
        }
      };
      const auto overwrite = [&](std::uint64_t offset, std::string_view bytes) { writer_->overwrite(offset, bytes); };
      write({append, overwrite}, chapters);
    }
  });
}

void FileSaving::publish() {
  if (writer_) {
    written(path_, [&] { writer_->publish(may_replace_); });
  }
}

fs::path FileSaving::finish() { return writer_ ? writer_->finish() : fs::path(); }

}  // namespace attn::render
