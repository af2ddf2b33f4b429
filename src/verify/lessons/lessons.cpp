#include "verify/lessons/lessons.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "tensor/blas_kernels.hpp"
#include "text/numbers.hpp"
#include "verify/lessons/seeds.hpp"
#include "verify/observed/observed.hpp"
#include "walk/names.hpp"

namespace attn::verify {
namespace {

using chapters::Article;
using chapters::Chapter;
using Mode = torch::Torch::Mode;

/// The chapter's walkthrough; one without steps for sizes that do not fit each other, or that it was not made for:
/// another lesson may explain the page.
Walkthrough walked(const Chapter& chapter, const Lesson& lesson, Mode mode) {
  try {
    torch::Torch torch(lesson.kernels, lesson.dropout_kernel, mode);
    return chapters::walk(chapter, lesson, torch);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return {};
  }
}

/// Returns true if the chapter has tensors, none of them too large to be on a page.
bool is_small(const Chapter& chapter, const Lesson& lesson) {
  constexpr std::int64_t most_numbers = 10'000'000;
  const std::vector<Step> steps = walked(chapter, lesson, Mode::plan).steps();
  return !steps.empty() && std::ranges::all_of(steps, [](const Step& step) {
    return !step.tensor || element_count(step.tensor->shape()) <= most_numbers;
  });
}

/// What the lesson has otherwise than the article: "d_out 2, 3 heads"
std::string settings_words(const Lesson& lesson) {
  std::string words;
  const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
  lesson.d_out_kq ? add("d_out " + std::to_string(*lesson.d_out_kq)) : void();
  lesson.init ? add(name_of(init_names(), *lesson.init) + " weights") : void();
  lesson.num_heads ? add(std::to_string(*lesson.num_heads) + (*lesson.num_heads == 1 ? " head" : " heads")) : void();
  lesson.batch ? add("batch " + std::to_string(*lesson.batch)) : void();
  lesson.dropout ? add("dropout " + text::number_text(*lesson.dropout)) : void();
  return words;
}

Explanation explanation_of(const Chapter& chapter, const Lesson& lesson, bool is_plain) {
  const Article& article = *chapter.article;
  Explanation result;
  result.article = article.name;
  result.chapter = chapter.name;
  result.chapter_order = static_cast<std::size_t>(&chapter - article.chapters.data());
  result.seed = lesson.seed.value_or(default_seed);
  result.settings = settings_words(lesson);
  result.cpu = name_of(cpu_names(), lesson.kernels.cpu);
  result.blas = blas_name(bits_of(lesson.kernels.blas));
  result.dropout_kernel = name_of(dropout_kernel_names(), lesson.dropout_kernel);
  result.is_pytorch = article.generator.empty();
  result.preferred = lesson.kernels.cpu == article.cpu && bits_of(lesson.kernels.blas) == Blas::haswell &&
                     lesson.dropout_kernel == DropoutKernel::standard;
  result.is_plain = is_plain;
  result.tokens = chapters::token_words(article, lesson);
  result.slips.assign(article.slips.begin(), article.slips.end());
  result.steps = walked(chapter, lesson, Mode::compute).steps();
  return result;
}

bool draws(const Chapter& chapter) { return chapter.takes.projections || chapter.takes.dropout || chapter.takes.heads; }

/// The steps of lessons that printed tensors may be after another seed.
std::vector<Drawing> drawings_of(const std::vector<Walked>& lessons, std::span<const Printed* const> printed) {
  constexpr std::size_t most_drawings = 4'000;
  constexpr std::size_t most_compared = 2'000'000;  ///< steps with printed tensors
  std::size_t compared = 0;
  std::vector<Drawing> drawings;
  for (const Printed* const one : printed) {
    const std::optional<Observed> shown = compared > most_compared ? std::nullopt : shown_of(*one);
    for (std::size_t i = 0; shown && i < lessons.size(); ++i) {
      compared += lessons[i].walk.steps().size();
      for (const Step& step : lessons[i].walk.steps()) {
        const bool is_of_kind = step.tensor && one->is_bool == (step.tensor->dtype() == DType::boolean);
        if (is_of_kind && may_show(*shown, step.tensor->shape()) && drawings.size() < most_drawings) {
          drawings.push_back({one, *step.tensor, &lessons[i].walk.draws()});
        }
      }
    }
  }
  return drawings;
}

}  // namespace

Lessons::Lessons(const Narrowing& known, Articles articles) : known_(known) {
  for (const Article& article : articles) {
    for (const Chapter& chapter : article.chapters) {
      const bool is_excluded = (known.article && known.article != &article) ||
                               known.chapter.value_or(std::string(chapter.name)) != chapter.name;
      is_excluded ? void() : chapters_.push_back(chapter);
    }
  }
}

Lesson Lessons::base(const Chapter& chapter) const {
  Lesson lesson = known_.lesson;
  lesson.dropout_kernel = known_.dropout_kernel.value_or(lesson.dropout_kernel);
  const Blas usual = runnable(Blas::haswell);  // has the bits of nearly every machine
  lesson.kernels = {known_.cpu.value_or(chapter.article->cpu), known_.blas.value_or(usual)};
  return lesson;
}

std::vector<Explanation> Lessons::plain() const {
  std::vector<Explanation> result;
  for (const Chapter& chapter : chapters_) {
    is_small(chapter, base(chapter)) ? add(chapter, base(chapter), true, result) : void();
  }
  return result;
}

/// Adds a lesson's explanations: PyTorch's builds draw dropout's masks in two ways.
void Lessons::add(const Chapter& chapter, Lesson lesson, bool is_plain, std::vector<Explanation>& result) const {
  result.push_back(explanation_of(chapter, lesson, is_plain));
  if (chapter.takes.dropout && !known_.dropout_kernel) {
    lesson.dropout_kernel = DropoutKernel::mkl;
    result.push_back(explanation_of(chapter, lesson, is_plain));
  }
}

/// Those that draw, with some seed.
std::vector<Walked> Lessons::lessons_of(std::span<const std::int64_t> widths) const {
  std::vector<Walked> lessons;
  for (const Chapter& chapter : chapters_) {
    const bool is_drawn = draws(chapter) && chapter.article->generator.empty();
    for (const std::int64_t width : is_drawn ? widths : std::span<const std::int64_t>()) {
      Lesson lesson = base(chapter);
      const bool takes_width = chapter.takes.projections && !lesson.d_out_kq && !lesson.d_out_v;
      if (width > 0) {
        lesson.d_out_kq = lesson.d_out_v = width;
      }
      if ((width == 0 || takes_width) && is_small(chapter, lesson)) {
        lessons.push_back({&chapter, lesson, walked(chapter, lesson, Mode::compute)});
      }
    }
  }
  return lessons;
}

std::vector<Explanation> Lessons::revealed(std::span<const Printed* const> unexplained,
                                           std::vector<std::int64_t> seeds) const {
  if (known_.lesson.seed.has_value()) {
    seeds = {static_cast<std::int64_t>(std::uint64_t{known_.lesson.seed.value_or(default_seed)})};
  }
  std::vector<const Printed*> open(unexplained.begin(), unexplained.end());
  std::vector<Explanation> result;
  for (const std::vector<std::int64_t>& widths : {std::vector<std::int64_t>{0}, {2, 3, 4}}) {  // 0: the article's
    if (open.empty()) {
      break;
    }
    std::vector<Walked> lessons = lessons_of(widths);
    const std::vector<Drawing> drawings = drawings_of(lessons, open);
    std::set<std::pair<const torch::Draws*, std::int64_t>> seen;
    for (const auto& [drawing, seed] : find_seeds(drawings, seeds, known_.lesson.seed.has_value())) {
      std::erase(open, drawings[drawing].printed);
      if (const torch::Draws* const draws = drawings[drawing].draws; seen.emplace(draws, seed).second) {
        Walked& one = *std::ranges::find(lessons, draws, [](const Walked& other) { return &other.walk.draws(); });
        one.lesson.seed = seed;
        add(*one.chapter, one.lesson, false, result);
        seeds.push_back(seed);
      }
    }
  }
  return result;
}

}  // namespace attn::verify
