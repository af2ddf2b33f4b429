#include "system/pager.hpp"

#include <cstdlib>
#include <string_view>

#include <sys/wait.h>

namespace attn::system {

std::optional<std::string> pager_command() {
  const char* const pager = std::getenv("PAGER");
  if (pager == nullptr) {
    const char* const term = std::getenv("TERM");
    const bool moves_cursor = term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
    return moves_cursor ? std::optional<std::string>("command -v less >/dev/null || exit 127; exec less")
                        : std::nullopt;
  }
  const std::string_view command = pager;
  const bool is_blank = command.find_first_not_of(" \t\n") == std::string_view::npos;
  return is_blank || command == "cat" ? std::nullopt : std::optional<std::string>(command);
}

Pager::Pager(const std::string& command) {
  setenv("LESS", "FRX", 0);
  setenv("LV", "-c", 0);
  std::signal(SIGPIPE, SIG_DFL);  // the pager inherits what is ignored
  pipe_ = popen(command.c_str(), "we");
  leave_keys_to_pager(pipe_ != nullptr);
  let_writes_fail();
}

bool Pager::finish() {
  if (pipe_ == nullptr) {
    return false;
  }
  const int status = pclose(pipe_);
  pipe_ = nullptr;
  leave_keys_to_pager(false);
  const bool is_unknown = WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
  return !is_unknown;
}

}  // namespace attn::system
