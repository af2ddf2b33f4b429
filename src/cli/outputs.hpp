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

/// Prints a note on standard error.
void tell(const std::string& note);

/// Writes to standard output. A pipe that its reader closes is not an error. Throws std::runtime_error.
void to_standard_output(const Write& write);

/// Writes to standard output, on a terminal through a pager if the options allow one. Calls `write` twice if the pager
/// fails to start.
void to_reader(const Options& options, const Write& write);

/// The destinations of a walkthrough: standard output or --output's file for its text, --save's folder or file for its
/// tensors.
class Outputs {
 public:
  /// Checks the destinations before anything is computed. Throws if one is not usable.
  explicit Outputs(const Options& options);

  /// Writes the text and, with --save, the tensors; on an error, neither. Throws std::runtime_error.
  void write(const std::vector<render::ShownChapter>& chapters, const Write& write) const;

 private:
  void require_folder() const;
  void write_text(const Write& write) const;
  void write_where_asked(const Write& write) const;

  const Options& options_;
  std::optional<system::Place> output_;
};

}  // namespace attn::cli
