#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn::emit {

/// The variables of a program with unique names: the steps' names, followed by their section's if several tensors have
/// the same name.
class Names {
 public:
  /// Requests a variable for the tensor; later requests for it are ignored.
  void add(const Tensor& tensor, const std::string& name, const std::string& section);
  /// Assigns the names.
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
