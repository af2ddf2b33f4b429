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

/// The steps of a chapter, walked through when first asked for. Copies share them.
class LazySteps {
 public:
  using Walk = std::function<std::vector<Step>()>;
  using Shapes = std::function<const std::set<Shape>&()>;

  LazySteps() : LazySteps(std::vector<Step>{}) {}
  LazySteps(std::vector<Step> steps);
  /// `shapes` are those of the steps' tensors: less work than the steps.
  LazySteps(Walk walk, Shapes shapes);

  const std::vector<Step>& get() const;
  const std::set<Shape>& shapes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// One way in which a page's tensors may have been made: a chapter of an article, told with one lesson.
struct Explanation {
  std::string article;
  std::string chapter;
  std::size_t chapter_order = 0;  ///< the chapter's place in the article
  torch::Seed seed = 123;
  std::string settings;             ///< "d_out 2, 3 heads": what is not as in the article; the seed is told apart
  std::string cpu;                  ///< "avx2", "avx512", "default"
  std::string blas;                 ///< "haswell", "sandybridge"
  std::string dropout_kernel;       ///< "default", "mkl"
  bool is_pytorch = true;           ///< the article's program; else another language's
  bool preferred = false;           ///< the article's own kernels: wins ties
  bool allowed = true;              ///< false: only looked at to tell what a differing number is instead
  int wave = 0;                     ///< tried after all of lower waves, for what they leave unexplained
  std::vector<std::string> tokens;  ///< the words of the inputs, to name rows with
  std::vector<Slip> slips;
  LazySteps steps;
  /// The same lesson by kernels that differ in the last bits alone; may be empty. They live as long as this.
  std::function<const std::vector<Explanation>&()> other_kernels;
};

/// Whether both are told with the same lesson: of one article, they may differ in the chapter.
bool is_same_lesson(const Explanation& a, const Explanation& b);

}  // namespace attn::verify
