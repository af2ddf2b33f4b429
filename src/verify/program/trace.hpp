#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/program/listed.hpp"

namespace attn::verify {

/// Records what a program assigns and prints while it runs.
class Trace {
 public:
  /// The record must outlive it.
  explicit Trace(Listed& record) : record_(record) {}

  void set_place(const Place& place) { place_ = place; }
  std::size_t scope() const { return scope_; }
  /// Enters a function's run; returns the previous scope.
  std::size_t enter() { return std::exchange(scope_, ++scopes_); }
  void leave(std::size_t scope) { scope_ = scope; }

  /// Attributes, such as "head.mask", and names beginning with "our_" belong to the program, whatever the scope.
  void assign(std::string_view name, std::string_view value) { assign(name, value, scope_); }
  void assign(std::string_view name, std::string_view value, std::size_t in);
  /// Creates a new "our_" name for a value.
  std::string item(std::string_view value);
  std::string new_name(std::string_view what) { return "our_" + std::string(what) + "_" + std::to_string(++names_); }
  void forget(std::string_view name) { assign(name, ""); }
  void print(std::string_view value, std::string_view label, bool is_certain, std::string_view text = {});
  /// Records prints whose number is unknown.
  void print_something() { print("", "", true); }

  /// The value last assigned to a name; empty if there is none.
  std::string_view last(std::string_view name) const;

  std::vector<Written> take() const;

 private:
  Listed& record_;
  Place place_;
  std::size_t scope_ = 0;
  std::size_t scopes_ = 0;
  std::size_t names_ = 0;
};

}  // namespace attn::verify
