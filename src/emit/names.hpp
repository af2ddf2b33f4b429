#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn::emit {

/// The variables of a program, each with a name of its own: the steps' names; where several tensors have the same one,
/// with their section's behind it.
class Names {
 public:
  /// Asks for a variable for the tensor; the first request for it counts.
  void add(const Tensor& tensor, const std::string& name, const std::string& section);
  /// Gives the names.
  void settle();

  bool has(const Tensor& tensor) const { return found_.contains(tensor.id()); }
  /// Throws std::out_of_range for a tensor without a variable.
  const std::string& of(const Tensor& tensor) const { return found_.at(tensor.id()); }

 private:
  struct Wanted {
    const void* id;
    std::string name;
    std::string section;
  };

  std::vector<Wanted> wanted_;
  std::map<const void*, std::string> found_;
};

}  // namespace attn::emit
