#include "present/terminfo.hpp"

#include <curses.h>
#include <term.h>
#include <unistd.h>

namespace attn::present {

bool can_place_cursor(const std::string& name) {
  int error = 0;
  if (setupterm(name.c_str(), STDOUT_FILENO, &error) != OK) {
    return false;
  }
  const bool can = !capability("cup").empty();
  del_curterm(cur_term);
  return can;
}

std::string advice(const std::string& name, const std::function<bool(const std::string&)>& can_be_used) {
  for (const char* other : {"xterm-256color", "xterm", "vt100", "ansi"}) {
    if (name != other && can_be_used(other)) {
      return std::string("try TERM=") + other + ", or without --step";
    }
  }
  return "install terminfo (ncurses-base), name its folder in TERMINFO, or try without --step";
}

std::string capability(const char* name) {
  const char* const known = tigetstr(name);
  if (known == nullptr || known == reinterpret_cast<const char*>(-1)) {
    return "";
  }
  std::string text = known;
  for (std::size_t begin = text.find("$<"); begin != std::string::npos; begin = text.find("$<", begin)) {
    const std::size_t end = text.find('>', begin);
    if (end == std::string::npos) {
      break;
    }
    text.erase(begin, end + 1 - begin);
  }
  return text;
}

}  // namespace attn::present
