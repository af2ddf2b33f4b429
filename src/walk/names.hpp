#pragma once

#include <map>
#include <string>

#include "tensor/kernels.hpp"
#include "walk/lesson.hpp"

namespace attn {

/// The words of the command line, of manifests and of reports.
const std::map<std::string, Cpu>& cpu_names();
/// Those that --blas takes: all but Blas::environment, which is called "OPENBLAS_CORETYPE".
const std::map<std::string, Blas>& blas_names();
std::string blas_name(Blas blas);
const std::map<std::string, DropoutKernel>& dropout_kernel_names();
const std::map<std::string, Init>& init_names();

/// The word for a value.
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
