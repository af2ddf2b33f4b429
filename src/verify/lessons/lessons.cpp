#include "verify/lessons/lessons.hpp"

#include <deque>
#include <exception>
#include <iterator>
#include <new>
#include <numeric>
#include <set>

#include "tensor/blas.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "torch/generator.hpp"
#include "torch/reseeded.hpp"
#include "torch/torch.hpp"
#include "walk/names.hpp"

namespace attn::verify {
namespace {

constexpr std::int64_t small_seeds = 2'048;   ///< those below it are usual
constexpr std::int64_t most_seeds = 100'000;  ///< those below it are tried
constexpr std::size_t most_work = 8'000'000;  ///< operands read for usual seeds, and again for all others
constexpr std::size_t words_per_operand = 4;  ///< drawn in the time in which an operand is read
constexpr std::array<std::int64_t, 25> liked_seeds = {
    2'222,   3'141,   3'333,   3'407,   4'242,     4'444,      5'555,      6'666,  7'777,
    8'888,   9'999,   10'000,  12'345,  31'337,    54'321,     65'536,     99'999, 123'123,
    123'456, 271'828, 314'159, 424'242, 1'234'567, 12'345'678, 123'456'789};

/// Between which numbers float32 gives one that was computed in float64.
Interval about(double value) {
  const double rounding = 2e-6 * std::max(1.0, std::abs(value));
  return {value - rounding, value + rounding};
}

/// Elements at a few cells of a printed tensor, the same in several drawings.
struct Probe {
  const Printed* printed;
  const Observed* shown;
  std::vector<std::pair<torch::Reseeded::Id, std::size_t>> cells = {};  ///< with their places
  std::vector<std::size_t> drawings = {};
  std::size_t words = 0;
  std::size_t work = 0;  ///< for one seed
};

class SeedSearch {
 public:
  explicit SeedSearch(std::span<const Drawing> drawings) : drawings_(drawings) {
    begin(0);
    for (std::size_t i = 0; i < drawings.size(); ++i) {
      add_probe(i);
    }
    std::ranges::stable_sort(probes_, {}, &Probe::work);
  }

  /// Tries the seeds in order; after one that is found, all of them again for tensors that were not yet affordable.
  void try_all(std::span<const std::int64_t> seeds) {
    for (std::size_t i = 0; i < most_found && find_one(seeds); ++i) {
    }
  }
  std::vector<Revealed> found() && { return std::move(found_); }

 private:
  static constexpr std::size_t most_found = 8;

  void add_probe(std::size_t drawing);
  std::vector<const Probe*> affordable(std::size_t seeds);
  bool find_one(std::span<const std::int64_t> seeds);
  bool passes(const Probe& probe);
  bool is_confirmed(const Drawing& drawing, std::int64_t seed) const;
  bool take(std::int64_t seed);

  /// Begins a seed with so many words, by default all that any probe needs.
  void begin(std::int64_t seed, std::size_t words = torch::Reseeded::most_words) {
    begun_words_.resize(words);
    torch::MersenneTwister(static_cast<std::uint32_t>(seed)).fill(begun_words_);
    elements_.begin(begun_words_);
  }

  std::span<const Drawing> drawings_;
  std::map<const Printed*, Observed> observed_;
  torch::Reseeded elements_;
  std::vector<Probe> probes_;
  std::vector<std::uint32_t> begun_words_;
  std::vector<Revealed> found_;
  std::size_t tried_ = 0;
  std::size_t most_wrong_ = 1;  ///< cells of a probe
};

/// Returns false if no seed has any of the numbers that are still open.
bool SeedSearch::find_one(std::span<const std::int64_t> seeds) {
  most_wrong_ = seeds.size() > usual_seeds().size() ? 0 : 1;
  const std::vector<const Probe*> probes = affordable(seeds.size());
  std::size_t words = 0;
  for (const Probe* const probe : probes) {
    words = std::max(words, probe->words);
  }
  for (std::size_t i = 0; i < seeds.size() && !probes.empty(); ++i, ++tried_) {
    begin(seeds[i], words);
    if (std::ranges::any_of(probes, [&](const Probe* probe) { return passes(*probe); }) && take(seeds[i])) {
      return true;
    }
  }
  return false;
}

/// Returns the probes that so many seeds can be tried with, of the cheapest tensors.
std::vector<const Probe*> SeedSearch::affordable(std::size_t seeds) {
  begin(0);
  elements_.take_work();
  std::vector<const Probe*> chosen;
  std::size_t work = 0;
  std::size_t words = 0;
  for (const Probe& probe : probes_) {
    passes(probe);
    const std::size_t all_work = work + elements_.take_work() + probe.cells.size();
    const std::size_t all_words = std::max(words, probe.words);
    if ((all_work + all_words / words_per_operand) * seeds <= most_work) {
      work = all_work;
      words = all_words;
      chosen.push_back(&probe);
    }
  }
  return chosen;
}

/// Enters all drawings that hold with a seed. Returns false if none does.
bool SeedSearch::take(std::int64_t seed) {
  begin(seed);
  std::set<const Printed*> explained;
  for (const Probe& probe : probes_) {
    if (passes(probe) && is_confirmed(drawings_[probe.drawings.front()], seed)) {
      explained.insert(probe.printed);
      std::ranges::transform(probe.drawings, std::back_inserter(found_), [&](std::size_t drawing) {
        return Revealed{drawing, seed};
      });
    }
  }
  std::erase_if(probes_, [&](const Probe& probe) { return explained.contains(probe.printed); });
  return !explained.empty();
}

/// Chooses cells whose numbers differ and tell something: three, or many of a dropout mask.
void SeedSearch::add_probe(std::size_t drawing) {
  const auto& [printed, tensor, draws] = drawings_[drawing];
  if (!observed_.contains(printed)) {
    observed_.emplace(printed, shown_of(*printed).value());
  }
  const Observed& observed = observed_.at(printed);
  const bool is_mask = is_binary(observed);
  const std::size_t wanted = is_mask ? 24 : 3;
  std::set<double> values;
  Probe probe{printed, &observed};
  for (std::size_t i = observed.size(); i-- > 0 && probe.cells.size() < wanted;) {
    const double value = observed.values[i];
    const bool says_little = !std::isfinite(value) || value == 0 || value == 1;
    if (is_mask || (!says_little && values.insert(value).second)) {
      const std::int64_t place = shown_position(observed, tensor.shape(), static_cast<std::int64_t>(i));
      const auto id = elements_.add(tensor, index_at(place, tensor.shape()), *draws);
      if (!id) {
        return;
      }
      probe.cells.emplace_back(*id, i);
      probe.words = std::max(probe.words, elements_.words(*id));
    }
  }
  const auto same = std::find_if(probes_.rbegin(), probes_.rend(), [&](const Probe& other) {
    return other.printed == probe.printed && other.cells == probe.cells;
  });
  if (same != probes_.rend()) {
    same->drawings.push_back(drawing);
  } else if (probe.words > 0 && is_excluded(chance_of(observed), 1)) {
    elements_.begin(begun_words_);
    passes(probe);
    probe.work = elements_.take_work();
    probe.drawings = {drawing};
    probes_.push_back(std::move(probe));
  }
}

bool SeedSearch::passes(const Probe& probe) {
  std::size_t wrong = 0;
  for (const auto& [id, cell] : probe.cells) {
    wrong += nearness(*probe.shown, cell, about(elements_.value(id))) == Nearness::same ? 0U : 1U;
    if (wrong > most_wrong_ || (wrong > 0 && probe.cells.size() < 3)) {
      return false;
    }
  }
  return true;
}

bool SeedSearch::is_confirmed(const Drawing& drawing, std::int64_t seed) const {
  const Observed& observed = observed_.at(drawing.printed);
  Bounds bounds;
  const AgreeOptions options{.most_differing = static_cast<std::int64_t>(few_of(observed))};
  const Agreement agreement = agree(observed, torch::redrawn(drawing.tensor, *drawing.draws, seed), bounds, options);
  const auto probes = std::ranges::count(probes_, drawing.printed, &Probe::printed);
  return agreement.is_comparable && is_excluded(agreement.chance, tried_ * static_cast<std::size_t>(probes));
}

}  // namespace

std::span<const std::int64_t> usual_seeds() {
  static const auto seeds = [] {
    std::vector<std::int64_t> result(small_seeds);
    std::iota(result.begin(), result.end(), 0);
    result.insert(result.end(), liked_seeds.begin(), liked_seeds.end());
    return result;
  }();
  return seeds;
}

std::vector<Revealed> find_seeds(std::span<const Drawing> drawings, std::span<const std::int64_t> first,
                                 bool only_first) {
  SeedSearch search(drawings);
  search.try_all(first);
  if (!only_first) {
    search.try_all(usual_seeds());
    std::vector<std::int64_t> others(at(most_seeds - small_seeds));
    std::iota(others.begin(), others.end(), small_seeds);
    search.try_all(others);
  }
  return std::move(search).found();
}

std::vector<Source> find_draws(std::span<const Printed* const> unexplained) {
  using torch::Torch;
  constexpr std::size_t most_drawings = 4'000;
  std::deque<Torch> programs;
  std::vector<Drawing> drawings;
  for (const Printed* const printed : unexplained) {
    const auto shown = drawings.size() < most_drawings && !has_gap(*printed) ? shown_of(*printed) : std::nullopt;
    const auto add = [&](const auto& draw) {
      Torch& program = programs.emplace_back(Kernels{}, DropoutKernel::standard, Torch::Mode::compute);
      drawings.push_back({printed, draw(program), &program.draws()});
    };
    const Shape& shape = printed->shape;
    if (!shown || shape.empty()) {
      continue;
    }
    if (const double kept = std::ranges::max(shown->values); is_binary(*shown) && kept > 1) {
      const double p = std::round((1 - 1 / kept) * 100) / 100;
      add([&](Torch& program) { return program.dropout(torch::ones(shape), p).output; });
      continue;
    }
    add([&](Torch& program) { return program.rand(shape); });
    add([&](Torch& program) { return program.randn(shape); });
    if (shape.size() == 2) {
      add([&](Torch& program) { return program.linear(shape[1], shape[0], true, "").weight; });
      add([&](Torch& program) { return t(program.linear(shape[0], shape[1], true, "").weight); });
    }
  }
  std::vector<Source> result;
  for (const auto& [drawing, seed] : find_seeds(drawings)) {
    const auto& [printed, tensor, draws] = drawings[drawing];
    const std::string words = tensor.expression() + " after torch.manual_seed(" + std::to_string(seed) + ")";
    const Observed drawn = {.shape = tensor.shape(), .values = values_of(torch::redrawn(tensor, *draws, seed))};
    result.push_back({drawn, words, {}, true});
  }
  return result;
}

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

/// What the lesson has otherwise than the article, where the chapter takes it: "d_out 2, 3 heads"
std::string settings_words(const Lesson& lesson, const chapters::Takes& takes) {
  std::vector<std::string> words;
  const auto add = [&words](bool is_told, const auto& said) { is_told ? words.push_back(said()) : void(); };
  add(takes.projections && lesson.d_out_kq, [&] { return "d_out " + std::to_string(*lesson.d_out_kq); });
  add(takes.projections && lesson.init, [&] { return name_of(init_names(), *lesson.init) + " weights"; });
  add(takes.heads && lesson.num_heads,
      [&] { return std::to_string(*lesson.num_heads) + (*lesson.num_heads == 1 ? " head" : " heads"); });
  add(takes.batch && lesson.batch, [&] { return "batch " + std::to_string(*lesson.batch); });
  add(takes.dropout && lesson.dropout, [&] { return "dropout " + text::number_text(*lesson.dropout); });
  return text::joined(words);
}

Explanation explanation_of(const Chapter& chapter, const Lesson& lesson, bool is_plain) {
  const Article& article = *chapter.article;
  Explanation result;
  result.article = article.name;
  result.chapter = chapter.name;
  result.chapter_order = static_cast<std::size_t>(&chapter - article.chapters.data());
  result.seed = lesson.seed.value_or(default_seed);
  result.settings = settings_words(lesson, chapter.takes);
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
