#include "system/pager.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "system/signals.hpp"

namespace attn::system {
namespace {

// State that a signal handler may read.
std::atomic<pid_t> running = 0;
std::atomic<int> open_input = -1;

constexpr std::array ends = {SIGHUP, SIGTERM};
constexpr std::array readers = {SIGINT, SIGQUIT};
std::array<struct sigaction, NSIG> before_pager{};

struct sigaction& before(int signal) {
  return before_pager.at(static_cast<std::size_t>(signal));
}

/// Returns true for the exit statuses of sh and posix_spawn if the command could not be started.
bool could_not_start(int status) {
  return WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
}

/// Waits for the pager, if one is running, and returns its status.
int wait_for(pid_t process) {
  int status = 0;
  while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Ends this process only after the pager: two processes that read one terminal interfere with each other.
void end_after_pager(int signal) {
  if (passed_to_main_thread(signal)) {
    return;
  }
  close(open_input.exchange(-1));
  wait_for(running.exchange(0));
  sigaction(signal, &before(signal), nullptr);
  raise(signal);
}

void handle_signals() {
  for (const int signal : ends) {
    before(signal) = handle(signal, end_after_pager);
  }
  for (const int signal : readers) {
    before(signal) = handle(signal, SIG_IGN);
  }
}

void leave_signals() {
  for (const auto& signals : {ends, readers}) {
    for (const int signal : signals) {
      sigaction(signal, &before(signal), nullptr);
    }
  }
}

bool is_plain_word(std::string_view command) {
  return command.find_first_of("|&;<>()$`\\\"' \t\n*?[#~=%") == std::string_view::npos;
}

/// The environment, plus a variable that is not set yet.
class Environment {
 public:
  Environment() {
    for (char** variable = environ; *variable != nullptr; ++variable) {
      pointers_.push_back(*variable);
    }
  }

  void set_by_default(const char* name, std::string& variable) {
    if (std::getenv(name) == nullptr) {
      pointers_.push_back(variable.data());
    }
  }

  char** data() {
    pointers_.push_back(nullptr);
    return pointers_.data();
  }

 private:
  std::vector<char*> pointers_;
};

/// The initial state of a process.
class Beginning {
 public:
  /// The process reads from `input`. Signals that this process ignores for its own purposes are not ignored there.
  Beginning(int input, const sigset_t& mask) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    sigset_t ignored;
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigdefault(&attributes_, &ignored);
    posix_spawnattr_setsigmask(&attributes_, &mask);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;
  ~Beginning() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

std::optional<std::string> pager_command() {
  const char* pager = std::getenv("PAGER");
  if (pager == nullptr) {
    const char* term = std::getenv("TERM");
    const bool moves_cursor = term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
    return moves_cursor ? std::optional<std::string>("less") : std::nullopt;
  }
  const std::string_view command = pager;
  const bool is_blank = command.find_first_not_of(" \t\n") == std::string_view::npos;
  return is_blank || command == "cat" ? std::nullopt : std::optional<std::string>(command);
}

Pager::Pager(const std::string& command) {
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return;
  }
  const Descriptor output(pipe[0]);
  input_ = Descriptor(pipe[1]);
  const HeldSignals held;
  spawn(command, output.number(), held.before());
  if (is_started_) {
    open_input = input_.number();
    handle_signals();
  }
}

Pager::~Pager() { finish(); }

void Pager::spawn(const std::string& command, int output, const sigset_t& mask) {
  std::string less = "LESS=FRX";
  std::string lv = "LV=-c";
  Environment environment;
  environment.set_by_default("LESS", less);
  environment.set_by_default("LV", lv);
  const Beginning beginning(output, mask);
  std::string sh = "/bin/sh";
  std::string option = "-c";
  std::string words = command;
  const std::array<char*, 4> by_sh = {sh.data(), option.data(), words.data(), nullptr};
  const std::array<char*, 2> alone = {words.data(), nullptr};
  const bool is_alone = is_plain_word(command);
  pid_t process = 0;
  is_started_ = posix_spawnp(&process, is_alone ? words.c_str() : sh.c_str(), beginning.actions(),
                             beginning.attributes(), is_alone ? alone.data() : by_sh.data(), environment.data()) == 0;
  running = is_started_ ? process : 0;
}

bool Pager::finish() {
  if (!is_started_) {
    return false;
  }
  open_input = -1;
  input_ = Descriptor();
  const int status = wait_for(running);
  running = 0;
  leave_signals();
  is_started_ = !could_not_start(status);
  return is_started_;
}

}  // namespace attn::system
