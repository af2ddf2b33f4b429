#pragma once

#include <string>
#include <vector>

#include "torch/seed.hpp"
#include "walk/slip.hpp"
#include "walk/walkthrough.hpp"

namespace attn::verify {

/// The steps of one chapter.
struct ChapterSteps {
  std::string chapter;
  std::vector<Step> steps;
};

/// One way in which a page may have been made: an article's chapters under certain kernels.
struct Explanation {
  std::string article;
  torch::Seed seed = 123;
  std::string cpu;             ///< "avx2", "default"
  std::string blas;            ///< "haswell", "sandybridge"
  std::string dropout_kernel;  ///< "default", "mkl"
  bool preferred = false;      ///< the article's own kernels: wins ties
  bool allowed = true;         ///< false: only looked at to tell what a differing number is instead
  std::vector<ChapterSteps> chapters;
  std::vector<std::string> tokens;  ///< the words of the inputs, to name rows with
  std::vector<Slip> slips;
};

}  // namespace attn::verify
