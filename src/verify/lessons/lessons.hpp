#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapter.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/read/listing.hpp"
#include "verify/read/printed.hpp"
#include "walk/lesson.hpp"

namespace attn::verify {

/// What is known of the program that made a page. What is empty is tried.
struct Narrowing {
  const chapters::Article* article = nullptr;
  std::optional<std::string> chapter;
  std::optional<Cpu> cpu;
  std::optional<Blas> blas;
  std::optional<DropoutKernel> dropout_kernel;
  Lesson lesson;               ///< seed, sizes and the like
  bool is_seed_given = false;  ///< the seed is not varied
};

using Articles = std::span<const std::reference_wrapper<const chapters::Article>>;

/// The lessons that a page's tensors are held against, by what is known of its program, in waves: each article as it
/// is; with the seeds and sizes that the page names; with usual ones. Asked again, the same lesson is not walked again.
using LessonsToTry = std::function<std::vector<Explanation>(const Settings&)>;

/// Those of one page. What is known is not varied. A chapter that throws for a lesson's sizes has no steps then. All
/// arguments must live longer.
LessonsToTry lessons_to_try(const Narrowing& known, std::span<const Printed> printed,
                            Articles articles = chapters::all_articles());

}  // namespace attn::verify
