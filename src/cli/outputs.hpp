#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "render/document.hpp"
#include "system/place.hpp"

namespace attn::cli {

using Write = std::function<void(std::ostream&)>;

/// Says it on standard error.
void tell(const std::string& note);

/// Writes to standard output. A reader that closed the pipe early has what it wants. Throws std::runtime_error.
void to_standard_output(const Write& write);

/// The same for what is there to be read: on a terminal through a pager, where the options allow one. It may be written
/// twice, where the pager turns out not to have started.
void to_reader(const Options& options, const Write& write);

/// Where a walkthrough goes: its text to standard output or --output's file, its tensors to --save's folder
/// or file.
class Outputs {
 public:
  /// Throws where a target cannot be accepted, before anything is computed.
  explicit Outputs(const Options& options);

  /// Writes the text, and the tensors where they are asked for, or neither. Throws std::runtime_error.
  void write(const std::vector<render::ShownChapter>& chapters, const Write& write) const;

 private:
  template <class Saving>
  void save_and_write(const std::vector<render::ShownChapter>& chapters, const Write& write) const;
  void write_text(const Write& write) const;
  void write_where_asked(const Write& write) const;

  const Options& options_;
  std::optional<system::Place> output_;
};

}  // namespace attn::cli
