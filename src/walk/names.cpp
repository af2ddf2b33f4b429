#include "walk/names.hpp"

#include "tensor/blas_kernels.hpp"

namespace attn {

namespace {

const std::map<std::string, Blas>& all_blas_names() {
  static const std::map<std::string, Blas> names = {
      {"haswell", Blas::haswell}, {"portable", Blas::portable}, {"skylakex", Blas::skylakex}};
  return names;
}

}  // namespace

const std::map<std::string, Cpu>& cpu_names() {
  static const std::map<std::string, Cpu> names = {
      {"avx2", Cpu::avx2}, {"avx512", Cpu::avx512}, {"default", Cpu::standard}};
  return names;
}

const std::map<std::string, Blas>& blas_names() {
  static const std::map<std::string, Blas> without_openblas = {{"portable", Blas::portable}};
  return has_openblas() ? all_blas_names() : without_openblas;
}

std::string blas_name(Blas blas) { return name_of(all_blas_names(), blas); }

const std::map<std::string, DropoutKernel>& dropout_kernel_names() {
  static const std::map<std::string, DropoutKernel> names = {{"default", DropoutKernel::standard},
                                                             {"mkl", DropoutKernel::mkl}};
  return names;
}

const std::map<std::string, Init>& init_names() {
  static const std::map<std::string, Init> names = {
      {"rand", Init::rand}, {"randn", Init::randn}, {"linear", Init::linear}};
  return names;
}

const std::map<std::string, AttendTo>& attend_to_names() {
  static const std::map<std::string, AttendTo> names = {{"previous", AttendTo::previous},
                                                        {"same", AttendTo::same},
                                                        {"earlier", AttendTo::earlier},
                                                        {"first", AttendTo::first}};
  return names;
}

}  // namespace attn
