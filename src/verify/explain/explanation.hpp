#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "torch/seed.hpp"
#include "walk/slip.hpp"
#include "walk/walkthrough.hpp"

namespace attn::verify {

/// The steps of a chapter, walked through on demand and shared by copies.
class LazySteps {
 public:
  using Walk = std::function<std::vector<Step>()>;
  using Shapes = std::function<const std::set<Shape>&()>;

  LazySteps() : LazySteps(std::vector<Step>{}) {}
  LazySteps(std::vector<Step> steps);
  /// `shapes` computes the shapes of the steps' tensors with less work than the steps.
  LazySteps(Walk walk, Shapes shapes);

  const std::vector<Step>& get() const;
  const std::set<Shape>& shapes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// One possible origin of a page's tensors: a chapter of an article with one lesson.
struct Explanation {
  std::string article;
  std::string chapter;
  std::size_t chapter_order = 0;  ///< the chapter's place in the article
  torch::Seed seed = 123;
  std::string settings;             ///< "d_out 2, 3 heads": differences from the article; the seed is separate
  std::string cpu;                  ///< "avx2", "avx512", "default"
  std::string blas;                 ///< "haswell", "sandybridge"
  std::string dropout_kernel;       ///< "default", "mkl"
  bool is_pytorch = true;           ///< the article's program; otherwise another language's
  bool preferred = false;           ///< the article's own kernels: wins ties
  bool allowed = true;              ///< false: used only to name a differing number's origin
  int wave = 0;                     ///< tried after all lower waves, for what they leave unexplained
  std::vector<std::string> tokens;  ///< words for the inputs, used to name rows
  std::vector<Slip> slips;
  LazySteps steps;
  /// The same lesson with kernels that differ only in the last bits; may be empty. They live as long as this object.
  std::function<const std::vector<Explanation>&()> other_kernels;
};

/// Returns true if both have the same lesson; within one article the chapters may differ.
bool is_same_lesson(const Explanation& a, const Explanation& b);

}  // namespace attn::verify
