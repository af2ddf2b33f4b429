#include "cli/compute.hpp"

#include <iostream>

#include <unistd.h>

#include "files/write/save.hpp"
#include "system/descriptor.hpp"
#include "system/pager.hpp"
#include "system/place.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

using system::Place;

void write_to(int descriptor, const Write& write) {
  try {
    system::Output out(descriptor);
    write(out);
    out.flush();
  } catch (const system::ReaderGone&) {  // the reader closed the pipe: not an error
  }
}

[[noreturn]] void throw_not_written(const std::string& output, const std::error_code& code) {
  if (code == std::errc::file_exists) {
    throw std::runtime_error("--output: '" + output + "' exists; choose another file, or add --force to replace it");
  }
  throw std::runtime_error("--output cannot write '" + output + "' (" + code.message() +
                           "); give a writable path; try --output steps.txt");
}

Place accepted_output(const std::string& output, bool force) try {
  Place place = system::place_of(output);
  if (place.kind == Place::Kind::folder || output.ends_with('/')) {
    throw_not_written(output, std::make_error_code(std::errc::is_a_directory));
  }
  if (place.kind == Place::Kind::file && !force) {
    throw_not_written(output, std::make_error_code(std::errc::file_exists));
  }
  if (place.path.has_parent_path() && !std::filesystem::exists(place.path.parent_path())) {
    throw_not_written(output, std::make_error_code(std::errc::no_such_file_or_directory));
  }
  return place;
} catch (const std::filesystem::filesystem_error& error) {
  throw_not_written(output, error.code());
}

/// Throws if one of --output and --save contains the other.
void check_apart(const Options& options, const Place& output, const Place& saved) try {
  const bool is_stream = output.kind == Place::Kind::stream || saved.kind == Place::Kind::stream;
  if (is_stream ? system::same_stream(output, saved) : system::overlap(output, saved)) {
    throw std::runtime_error("--output '" + options.output.value_or("-") + "' with --save '" + *options.save +
                             "': one contains the other; write the text outside the folder or file of tensors; try "
                             "--output steps.txt --save steps");
  }
} catch (const std::filesystem::filesystem_error& error) {
  throw_not_written(options.output.value_or("-"), error.code());
}

/// Writes to a pager; returns false if there is none.
bool through_pager(const Write& write) {
  const std::optional<std::string> command = system::pager_command();
  if (!command) {
    return false;
  }
  system::Pager pager(*command);
  if (pager.is_started()) {
    write_to(pager.input(), write);
  }
  return pager.finish();
}

}  // namespace

void tell(const std::string& note) { std::cerr << "attn-walkthrough: note: " << text::one_line(note) << '\n'; }

void to_standard_output(const Write& write) {
  try {
    write_to(STDOUT_FILENO, write);
  } catch (const system::WriteError&) {
    throw std::runtime_error("cannot write to standard output; is the disk full, or the pipe closed?");
  }
}

void to_reader(const Options& options, const Write& write) {
  const bool is_paged = options.pager && isatty(STDOUT_FILENO) != 0 && through_pager(write);
  if (!is_paged) {
    to_standard_output(write);
  }
}

Outputs::Outputs(const Options& options) : options_(options) {
  if (options.output || options.save) {
    system::watch_signals();
  }
  if (options.output) {
    output_ = accepted_output(*options.output, options.force);
  }
  if (options.save) {
    const Place saved = render::accepted_place(*options.save, options.force);
    if (output_ || saved.kind == Place::Kind::stream) {
      check_apart(options, output_ ? *output_ : system::place_of("/dev/stdout"), saved);
    }
  }
}

void Outputs::write(const std::vector<render::ShownChapter>& chapters, const Write& write) const {
  std::optional<render::Saving> saving;
  if (options_.save) {
    saving.emplace(*options_.save, chapters, options_.force);
  }
  const bool is_new = saving && !options_.force;  // another process may take the place: then nothing is printed
  if (is_new) {
    saving->publish();
  }
  try {
    options_.prints ? write_text(write) : void();
  } catch (...) {
    is_new ? saving->take_back() : void();
    throw;
  }
  if (saving && !is_new) {
    saving->publish();
  }
}

void Outputs::write_text(const Write& write) const {
  if (!output_) {
    to_reader(options_, write);
    return;
  }
  try {
    if (output_->kind == Place::Kind::stream) {
      write_to(system::opened(*output_).number(), write);
      return;
    }
    system::Beside beside(output_->path, system::Beside::Kind::file);
    system::Descriptor file = beside.open();
    write_to(file.number(), write);
    file.close();
    beside.publish(options_.force ? [](const std::filesystem::path&) {} : system::Beside::Check());
  } catch (const std::system_error& error) {
    throw_not_written(*options_.output, error.code());
  }
}

}  // namespace attn::cli
