#include "verify/explain/kernel_words.hpp"

namespace attn::verify {

std::string cpu_words(const Explanation& explanation) { return explanation.cpu + " kernels"; }

std::string blas_words(const Explanation& explanation) { return "OpenBLAS's " + explanation.blas + " kernels"; }

std::string dropout_words(const Explanation& explanation) {
  return (explanation.dropout_kernel == "mkl" ? "MKL" : explanation.dropout_kernel) + " dropout kernel";
}

std::string whose_numbers(const Explanation& whose, const Explanation& other) {
  std::string words;
  const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : " and ") + more; };
  if (whose.cpu != other.cpu) {
    add(cpu_words(whose));
  }
  if (whose.blas != other.blas) {
    add("products by " + blas_words(whose));
  }
  if (whose.dropout_kernel != other.dropout_kernel) {
    add(dropout_words(whose));
  }
  return "these are the numbers of PyTorch" + (words.empty() ? "" : "'s " + words);
}

}  // namespace attn::verify
