#pragma once

#include <string>

namespace attn::system {

/// A line on standard error that is erased with this object, and before a signal ends the process. A process has one.
class PassingLine {
 public:
  PassingLine() = default;
  PassingLine(const PassingLine&) = delete;
  PassingLine& operator=(const PassingLine&) = delete;
  ~PassingLine();

  /// Replaces the line. The text has one column per byte.
  void show(std::string text);

  /// Erases the line, if there is one. For signal handlers too: it allocates nothing.
  static void erase();
};

}  // namespace attn::system
