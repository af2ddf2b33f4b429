#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapters/chapter.hpp"
#include "verify/explain/finding.hpp"
#include "verify/page/printed.hpp"
#include "walk/lesson.hpp"

namespace attn::verify {

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
