#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapter.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/program/listing.hpp"
#include "verify/read/printed.hpp"
#include "walk/lesson.hpp"

namespace attn::verify {

/// What is known about the program behind a page. Empty fields are varied.
struct Narrowing {
  const chapters::Article* article = nullptr;
  std::optional<std::string> chapter;
  std::optional<Cpu> cpu;
  std::optional<Blas> blas;
  std::optional<DropoutKernel> dropout_kernel;
  Lesson lesson;               ///< seed, sizes and other settings
  bool is_seed_given = false;  ///< do not vary the seed
};

using Articles = std::span<const std::reference_wrapper<const chapters::Article>>;

/// The lessons to compare a page's tensors with, given what is known about its program, in waves: each article as it
/// is; with the seeds and sizes that the page names; with usual ones. A repeated request does not walk the same lesson
/// again.
using LessonsToTry = std::function<std::vector<Explanation>(const Settings&)>;

/// The lessons for one page. Known settings are not varied. A chapter that throws for a lesson's sizes has no steps.
/// All arguments must outlive the result.
LessonsToTry lessons_to_try(const Narrowing& known, std::span<const Printed> printed,
                            Articles articles = chapters::all_articles());

}  // namespace attn::verify
