#pragma once

#include <string>

namespace attn::system {

/// A line on standard error that is erased by the destructor, and before a signal ends the process. One per process.
class PassingLine {
 public:
  PassingLine() = default;
  PassingLine(const PassingLine&) = delete;
  PassingLine& operator=(const PassingLine&) = delete;
  ~PassingLine();

  /// Replaces the line. The text must have one column per byte.
  void show(std::string text);

  /// Erases the line, if there is one. Safe in signal handlers: it allocates nothing.
  static void erase();
};

}  // namespace attn::system
