// Which terminals can be used, and what is said where one cannot.

#include "present/terminfo.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

TEST_CASE("another terminal is suggested only if it can be used") {
  const auto advice_where = [](const std::string& name, const std::set<std::string>& known) {
    return attn::present::advice(name, [&known](const std::string& other) { return known.contains(other); });
  };
  CHECK(advice_where("nonsense", {"xterm", "vt100"}) == "try TERM=xterm, or without --step");
  CHECK(advice_where("xterm", {"xterm", "vt100"}) == "try TERM=vt100, or without --step");
  CHECK(advice_where("xterm", {"xterm-256color"}) == "try TERM=xterm-256color, or without --step");
  const std::string install = advice_where("nonsense", {});
  CHECK(install.find("ncurses-base") != std::string::npos);
  CHECK(install.find("TERM=") == std::string::npos);
  CHECK(advice_where("xterm", {}) == install);
  CHECK(advice_where("xterm", {"xterm"}) == install);
}
