#pragma once

#include "chapters/chapter.hpp"
#include "tensor/tensor.hpp"
#include "torch/torch.hpp"
#include "verify/explain/finding.hpp"
#include "walk/lesson.hpp"

namespace attn::verify {

/// A tensor that may be the printed one after another seed. The draws are those of its program.
struct Drawing {
  const Printed* printed = nullptr;
  Tensor tensor;
  const torch::Draws* draws = nullptr;
};

/// A seed with which a drawing has the printed numbers.
struct Revealed {
  std::size_t drawing = 0;
  std::int64_t seed = 0;
};

/// Finds the seeds that the printed numbers reveal: tries `first` and, if there may be others, usual seeds and all
/// below 100,000, with as many drawings as a bounded amount of work allows. Few cells may be wrong; coincidence is
/// excluded. In the order of seeds tried.
std::vector<Revealed> find_seeds(std::span<const Drawing> drawings, std::span<const std::int64_t> first = {},
                                 bool only_first = false);

/// The seeds that people give, the likeliest first: small ones, and numbers that are easily typed.
std::span<const std::int64_t> usual_seeds();

/// Finds tensors that are the first draws after a seed: torch.rand, torch.randn, nn.Linear's weight, nn.Dropout's mask.
std::vector<Source> find_draws(std::span<const Printed* const> unexplained);

/// What is known about the program behind a page. Empty fields are varied.
struct Narrowing {
  const chapters::Article* article = nullptr;
  std::optional<std::string> chapter;
  std::optional<Cpu> cpu;
  std::optional<Blas> blas;
  std::optional<DropoutKernel> dropout_kernel;
  Lesson lesson;  ///< seed, sizes and other settings
};

/// A chapter's lesson, walked with some seed.
struct Walked {
  const chapters::Chapter* chapter;
  Lesson lesson;
  Walkthrough walk;
};

using Articles = std::span<const std::reference_wrapper<const chapters::Article>>;

/// The lessons to compare a page's tensors with. Known settings are not varied. A chapter that throws for a lesson's
/// sizes has no steps. `known` and the articles must outlive it.
class Lessons {
 public:
  explicit Lessons(const Narrowing& known, Articles articles = chapters::all_articles());

  /// Each chapter as its article has it.
  std::vector<Explanation> plain() const;
  /// The lessons that have some of these tensors: with any seed, and with usual widths. Their seeds are found by the
  /// printed numbers. These seeds, which its program gives, come first.
  std::vector<Explanation> revealed(std::span<const Printed* const> unexplained, std::vector<std::int64_t> seeds) const;

 private:
  Lesson base(const chapters::Chapter& chapter) const;
  std::vector<Walked> lessons_of(std::span<const std::int64_t> widths) const;
  void add(const chapters::Chapter& chapter, Lesson lesson, bool is_plain, std::vector<Explanation>& result) const;

  const Narrowing& known_;
  std::vector<std::reference_wrapper<const chapters::Chapter>> chapters_;
};

}  // namespace attn::verify
