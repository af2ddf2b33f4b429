#pragma once

#include "tensor/blas.hpp"
#include "walk/lesson.hpp"

/// Names of settings on the command line, in manifests and in reports.
namespace attn {

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

inline const std::map<std::string, Cpu>& cpu_names() {
  static const std::map<std::string, Cpu> names = {
      {"avx2", Cpu::avx2}, {"avx512", Cpu::avx512}, {"default", Cpu::standard}};
  return names;
}

inline std::string blas_name(Blas blas) {
  return blas == Blas::haswell ? "haswell" : blas == Blas::skylakex ? "skylakex" : "portable";
}

/// The values of --blas: the sets that this program contains.
inline std::map<std::string, Blas> blas_names() {
  std::map<std::string, Blas> names;
  for (const Blas blas : {Blas::haswell, Blas::portable, Blas::skylakex}) {
    if (has_openblas() || blas == Blas::portable) {
      names[blas_name(blas)] = blas;
    }
  }
  return names;
}

inline const std::map<std::string, DropoutKernel>& dropout_kernel_names() {
  static const std::map<std::string, DropoutKernel> names = {{"default", DropoutKernel::standard},
                                                             {"mkl", DropoutKernel::mkl}};
  return names;
}

inline const std::map<std::string, Init>& init_names() {
  static const std::map<std::string, Init> names = {
      {"rand", Init::rand}, {"randn", Init::randn}, {"linear", Init::linear}};
  return names;
}

inline const std::map<std::string, AttendTo>& attend_to_names() {
  static const std::map<std::string, AttendTo> names = {{"previous", AttendTo::previous},
                                                        {"same", AttendTo::same},
                                                        {"earlier", AttendTo::earlier},
                                                        {"first", AttendTo::first}};
  return names;
}

}  // namespace attn
