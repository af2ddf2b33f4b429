#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/read/written.hpp"

namespace attn::verify {

/// Notes what a program writes while it runs.
class Trace {
 public:
  void set_place(const Place& place) { place_ = place; }
  std::size_t scope() const { return scope_; }
  /// Inside of a run of a function; returns the scope that it came from.
  std::size_t enter() { return std::exchange(scope_, ++scopes_); }
  void leave(std::size_t scope) { scope_ = scope; }

  /// An attribute, "head.mask", and what is ours is the program's, whatever the scope.
  void assign(std::string_view name, std::string_view value) { assign(name, value, scope_); }
  void assign(std::string_view name, std::string_view value, std::size_t in);
  /// A new name of ours for a value.
  std::string item(std::string_view value);
  std::string new_name(std::string_view what) { return "our_" + std::string(what) + "_" + std::to_string(++names_); }
  void forget(std::string_view name) { assign(name, ""); }
  void print(std::string_view value, std::string_view label, bool is_certain, std::string_view text = {});
  /// What nobody knows how often it is printed.
  void print_something() { print("", "", true); }

  /// What was assigned last to a name; empty where nothing was.
  std::string_view last(std::string_view name) const;

  std::vector<Written> take() { return std::move(written_); }

 private:
  void add(Written written);

  Place place_;
  std::size_t scope_ = 0;
  std::size_t scopes_ = 0;
  std::size_t names_ = 0;
  std::map<std::pair<std::size_t, std::string>, std::string> last_;
  std::vector<Written> written_;
};

}  // namespace attn::verify
