#pragma once

#include <map>
#include <string>

#include "tensor/kernels.hpp"
#include "walk/lesson.hpp"

namespace attn {

/// Names of settings on the command line, in manifests and in reports.
const std::map<std::string, Cpu>& cpu_names();
/// The values of --blas: the sets that this program contains.
const std::map<std::string, Blas>& blas_names();
std::string blas_name(Blas blas);
const std::map<std::string, DropoutKernel>& dropout_kernel_names();
const std::map<std::string, Init>& init_names();
const std::map<std::string, AttendTo>& attend_to_names();

/// The name of a value.
template <class Value>
std::string name_of(const std::map<std::string, Value>& names, Value wanted) {
  for (const auto& [name, value] : names) {
    if (value == wanted) {
      return name;
    }
  }
  return "";
}

}  // namespace attn
