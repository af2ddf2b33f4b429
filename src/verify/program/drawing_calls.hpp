#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/program/draws.hpp"
#include "verify/program/values.hpp"

namespace attn::verify {

/// A program's names for the libraries.
class Imports {
 public:
  /// Returns true if the statement is an import, and records its names.
  bool add(std::string_view statement);
  /// The path with its library's own name: "numpy.random.rand" for np.random.rand.
  std::string full(std::string_view path) const;
  bool is(std::string_view path, std::string_view full_path) const { return full(path) == full_path; }

 private:
  std::map<std::string, std::string, std::less<>> names_{
      {"np", "numpy"}, {"nn", "torch.nn"}, {"F", "torch.nn.functional"}};
};

/// The value of an expression at the place of a call.
using ValueOf = std::function<Value(std::string_view text)>;

/// What a call of that path with these arguments seeds or draws; empty if it does neither. `generators` are the seeded
/// ones: a RandomState is identified by its variable.
std::optional<DrawCall> drawing_call(std::string_view path, std::string_view inside, const Imports& imports,
                                     std::span<const std::string> generators, const ValueOf& value_at);

/// Returns the text on one line with single spaces.
std::string one_spaced(std::string_view text);

}  // namespace attn::verify
