#include "verify/lessons/lessons.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "inputs.hpp"
#include "tensor/blas_kernels.hpp"
#include "text/numbers.hpp"
#include "walk/names.hpp"

namespace attn::verify {
namespace {

using chapters::Article;
using chapters::Chapter;

/// The set that gives Haswell's bits, which are those of nearly every machine.
Blas usual_blas(const Narrowing& known) {
  return known.blas && bits_of(*known.blas) == Blas::haswell ? *known.blas : runnable(Blas::haswell);
}

/// The OpenBLAS kernel sets whose bits can be had here, and the requested one.
std::vector<Blas> families(const Narrowing& known) {
  std::vector<Blas> result = {usual_blas(known)};
  for (const Blas blas : {Blas::skylakex, Blas::sandybridge, Blas::prescott}) {
    if (runnable(blas) == blas) {
      result.push_back(blas);
    }
  }
  if (known.blas && std::ranges::find(result, bits_of(*known.blas), bits_of) == result.end()) {
    result.push_back(*known.blas);
  }
  return result;
}

std::vector<Step> walked(const Chapter& chapter, const Lesson& lesson, torch::Torch::Mode mode) {
  try {
    torch::Torch torch(lesson.kernels, lesson.dropout_kernel, mode);
    return chapters::walk(chapter, lesson, torch).steps();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return {};  // sizes that do not fit each other, or that the chapter was not made for: another lesson may explain
                // the page
  }
}

/// The shapes of a chapter's tensors, planned once because they are the same for every seed.
class PlannedShapes {
 public:
  const std::set<Shape>& of(const Chapter& chapter, const Lesson& lesson) {
    const Key key{&chapter, lesson.d_out_kq, lesson.d_out_v, lesson.num_heads, lesson.batch};
    const auto [entry, is_new] = shapes_.try_emplace(key);
    for (const Step& step : is_new ? walked(chapter, lesson, torch::Torch::Mode::plan) : std::vector<Step>{}) {
      if (step.tensor) {
        entry->second.insert(step.tensor->shape());
      }
    }
    return entry->second;
  }

 private:
  using Size = std::optional<std::int64_t>;
  using Key = std::tuple<const Chapter*, Size, Size, Size, Size>;
  std::map<Key, std::set<Shape>> shapes_;
};

/// "d_out 2, 3 heads"
std::string settings_words(const Lesson& lesson) {
  std::string words;
  const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
  if (lesson.d_out_kq && lesson.d_out_v == lesson.d_out_kq) {
    add("d_out " + std::to_string(*lesson.d_out_kq));
  } else {
    lesson.d_out_kq ? add("d_out_kq " + std::to_string(*lesson.d_out_kq)) : void();
    lesson.d_out_v ? add("d_out_v " + std::to_string(*lesson.d_out_v)) : void();
  }
  lesson.init ? add(name_of(init_names(), *lesson.init) + " weights") : void();
  lesson.qkv_bias ? add("qkv_bias") : void();
  lesson.num_heads ? add(std::to_string(*lesson.num_heads) + (*lesson.num_heads == 1 ? " head" : " heads")) : void();
  lesson.batch ? add("batch " + std::to_string(*lesson.batch)) : void();
  lesson.dropout ? add("dropout " + text::number_text(*lesson.dropout)) : void();
  lesson.tokens ? add(std::to_string(*lesson.tokens) + " tokens") : void();
  lesson.d_in ? add("d_in " + std::to_string(*lesson.d_in)) : void();
  lesson.query ? add("query " + *lesson.query) : void();
  lesson.sentence ? add("'" + *lesson.sentence + "'") : void();
  lesson.inputs ? add("inputs '" + lesson.inputs->source + "'") : void();
  lesson.second_inputs ? add("second inputs '" + lesson.second_inputs->source + "'") : void();
  lesson.weights ? add("weights '" + lesson.weights->source + "'") : void();
  lesson.attend_to ? add("attending to " + name_of(attend_to_names(), *lesson.attend_to)) : void();
  lesson.fixture ? add("the fixture's sizes") : void();
  return words;
}

/// A key that distinguishes a lesson from every other.
std::string key_of(const Chapter& chapter, const Lesson& lesson) {
  return std::string(chapter.article->name) + " " + std::string(chapter.name) + " " + lesson.seed.text() + " " +
         settings_words(lesson) + " " + name_of(dropout_kernel_names(), lesson.dropout_kernel);
}

/// Creates explanations of chapters and lessons.
class Maker {
 public:
  Maker(const Narrowing& known, std::span<const Printed> printed) : known_(known), families_(families(known)) {
    for (const Printed& one : printed) {
      any_gap_ = any_gap_ || has_gap(one);
      if (!is_size(one)) {
        printed_shapes_.insert(one.shape);
      }
    }
  }

  /// Returns true if the lesson's tensors have sizes that pages print.
  bool is_of_usual_size(const Chapter& chapter, const Lesson& lesson) const {
    constexpr std::int64_t most_numbers = 10'000'000;
    const std::set<Shape>& shapes = shapes_->of(chapter, lesson);
    return !shapes.empty() &&
           std::ranges::all_of(shapes, [](const Shape& shape) { return element_count(shape) <= most_numbers; });
  }

  /// Returns true if the lesson sets a size to the article's own value: the lesson without it is the same.
  bool is_redundant(const Chapter& chapter, const Lesson& lesson, const Lesson& base) const {
    const std::set<Shape>& shapes = shapes_->of(chapter, lesson);
    const auto is_same_without = [&](auto reset) {
      Lesson without = lesson;
      reset(without);
      return shapes_->of(chapter, without) == shapes;
    };
    return (lesson.d_out_v != base.d_out_v &&
            is_same_without([&](Lesson& one) { one.d_out_kq = one.d_out_v = base.d_out_v; })) ||
           (lesson.num_heads != base.num_heads &&
            is_same_without([&](Lesson& one) { one.num_heads = base.num_heads; })) ||
           (lesson.batch != base.batch && is_same_without([&](Lesson& one) { one.batch = base.batch; }));
  }

  /// Returns true if a chapter has a tensor with a shape that the page prints.
  bool may_explain(const Chapter& chapter, const Lesson& lesson) const {
    const auto is_printed = [&](const Shape& shape) { return printed_shapes_.contains(shape); };
    return is_of_usual_size(chapter, lesson) &&
           (any_gap_ || std::ranges::any_of(shapes_->of(chapter, lesson), is_printed));
  }

  Explanation plain(const Chapter& chapter, const Lesson& lesson, int wave) const {
    const Article& article = *chapter.article;
    Explanation result;
    result.article = article.name;
    result.chapter = chapter.name;
    result.chapter_order = static_cast<std::size_t>(&chapter - article.chapters.data());
    result.seed = lesson.seed;
    result.settings = settings_words(lesson);
    result.cpu = name_of(cpu_names(), lesson.kernels.cpu);
    result.blas = blas_name(bits_of(lesson.kernels.blas));
    result.dropout_kernel = name_of(dropout_kernel_names(), lesson.dropout_kernel);
    result.is_pytorch = article.generator.empty();
    result.preferred = lesson.kernels.cpu == article.cpu && bits_of(lesson.kernels.blas) == Blas::haswell &&
                       lesson.dropout_kernel == DropoutKernel::standard;
    result.allowed = known_.cpu.value_or(lesson.kernels.cpu) == lesson.kernels.cpu &&
                     bits_of(known_.blas.value_or(lesson.kernels.blas)) == bits_of(lesson.kernels.blas) &&
                     known_.dropout_kernel.value_or(lesson.dropout_kernel) == lesson.dropout_kernel;
    result.wave = wave;
    result.tokens = chapters::token_words(article, lesson);
    result.slips.assign(article.slips.begin(), article.slips.end());
    result.steps = LazySteps(
        [&chapter, lesson] { return walked(chapter, lesson, torch::Torch::Mode::compute); },
        [&chapter, lesson, shapes = shapes_]() -> const std::set<Shape>& { return shapes->of(chapter, lesson); });
    return result;
  }

  std::vector<Explanation> with_other_kernels(const Chapter& chapter, const Lesson& lesson, int wave) const {
    std::vector<Explanation> result;
    for (const auto& [name, cpu] : cpu_names()) {
      for (const Blas blas : families_) {
        Lesson other = lesson;
        other.kernels = {cpu, blas};
        if (other.kernels != lesson.kernels) {
          result.push_back(plain(chapter, other, wave));
        }
      }
    }
    return result;
  }

 private:
  const Narrowing& known_;
  std::vector<Blas> families_;
  std::set<Shape> printed_shapes_;  ///< shapes of printed tensors
  bool any_gap_ = false;
  std::shared_ptr<PlannedShapes> shapes_ = std::make_shared<PlannedShapes>();
};

/// An explanation that keeps its maker for later requests.
Explanation make(const std::shared_ptr<const Maker>& maker, const Chapter& chapter, const Lesson& lesson, int wave) {
  Explanation result = maker->plain(chapter, lesson, wave);
  const auto made = std::make_shared<std::vector<Explanation>>();
  result.other_kernels = [maker, &chapter, lesson, wave, made]() -> const std::vector<Explanation>& {
    if (made->empty()) {
      *made = maker->with_other_kernels(chapter, lesson, wave);
    }
    return *made;
  };
  return result;
}

/// What a wave varies; each list leaves out the values of the article and the options.
struct Variations {
  std::vector<torch::Seed> seeds;
  std::vector<std::int64_t> d_outs;
  std::vector<std::int64_t> heads;
  std::vector<std::int64_t> batches;
  std::vector<Init> inits;
  std::vector<Init>
      batch_inits;  ///< of chapters that stack their inputs: modules, which are nn.Linear's nearly everywhere
  std::vector<bool> biases;
  std::vector<double> dropouts;
  std::vector<DropoutKernel> dropout_kernels;
};

/// All lessons with one more setting varied.
template <class Value, class Set>
void vary(std::vector<Lesson>& lessons, const std::vector<Value>& values, bool is_taken, Set set) {
  const std::size_t count = lessons.size();
  for (const Value& value : is_taken ? values : std::vector<Value>{}) {
    for (std::size_t i = 0; i < count; ++i) {
      Lesson lesson = lessons[i];
      set(lesson, value);
      lessons.push_back(std::move(lesson));
    }
  }
}

bool draws(const Chapter& chapter) { return chapter.takes.projections || chapter.takes.dropout || chapter.takes.heads; }

/// The chapter's lessons for each combination of the variations, the plain one first.
std::vector<Lesson> varied(const Chapter& chapter, const Lesson& base, const Variations& variations,
                           bool is_seed_given) {
  std::vector<Lesson> lessons{base};
  const chapters::Takes& takes = chapter.takes;
  vary(lessons, variations.seeds, draws(chapter) && !is_seed_given,
       [](Lesson& lesson, torch::Seed seed) { lesson.seed = seed; });
  vary(lessons, variations.d_outs, takes.projections && !base.d_out_kq && !base.d_out_v,
       [](Lesson& lesson, std::int64_t size) { lesson.d_out_kq = lesson.d_out_v = size; });
  vary(lessons, takes.batch ? variations.batch_inits : variations.inits, takes.projections && !base.init,
       [](Lesson& lesson, Init init) { lesson.init = init; });
  vary(lessons, variations.heads, takes.heads && !base.num_heads,
       [](Lesson& lesson, std::int64_t heads) { lesson.num_heads = heads; });
  vary(lessons, variations.batches, takes.batch && !base.batch,
       [](Lesson& lesson, std::int64_t batch) { lesson.batch = batch; });
  vary(lessons, variations.dropouts, takes.dropout && !base.dropout,
       [](Lesson& lesson, double p) { lesson.dropout = p; });
  vary(lessons, variations.biases, takes.projections && !base.qkv_bias,
       [](Lesson& lesson, bool bias) { lesson.qkv_bias = bias; });
  vary(lessons, variations.dropout_kernels, takes.dropout,
       [](Lesson& lesson, DropoutKernel kernel) { lesson.dropout_kernel = kernel; });
  std::erase_if(lessons, [&](const Lesson& lesson) {
    const Init init = lesson.init.value_or(chapter.init);
    return (lesson.init == chapter.init && !base.init) || (lesson.qkv_bias && init != Init::linear);
  });
  return lessons;
}

/// Returns true for a possible d_out: the size of a last axis or, with several heads, a divisor of one.
bool may_be_d_out(std::int64_t size, std::span<const Printed> printed) {
  return std::ranges::any_of(printed, [&](const Printed& one) {
    const Shape& shape = one.shape;
    const bool is_square = shape.size() > 1 && shape[shape.size() - 1] == shape[shape.size() - 2];
    return !shape.empty() && !is_square && (shape.back() == size || (shape.size() > 2 && shape.back() % size == 0));
  });
}

/// The number, followed by those in the list that are not included yet.
template <class Value>
void add_new(std::vector<Value>& values, const std::vector<Value>& more) {
  for (const Value& value : more) {
    if (std::ranges::find(values, value) == values.end()) {
      values.push_back(value);
    }
  }
}

/// The usual settings, together with those that the page names.
Variations variations_of(std::span<const Printed> printed, const Settings& settings) {
  constexpr std::size_t most = 4;
  Variations result;
  result.d_outs = settings.d_out;
  add_new(result.d_outs, {2, 3, 4});
  std::erase_if(result.d_outs, [&](std::int64_t size) { return size < 1 || !may_be_d_out(size, printed); });
  result.d_outs.resize(std::min(result.d_outs.size(), most));
  result.heads = settings.num_heads;
  add_new(result.heads, {1, 2, 3});
  result.heads.resize(std::min(result.heads.size(), most));
  for (const std::int64_t batch : {1, 2}) {
    if (std::ranges::any_of(printed,
                            [&](const Printed& one) { return one.shape.size() >= 3 && one.shape[0] == batch; })) {
      result.batches.push_back(batch);
    }
  }
  if (result.batches.empty()) {
    result.heads = {};
  }
  result.inits = {Init::rand, Init::linear};
  result.batch_inits = settings.rand ? result.inits : std::vector<Init>{Init::linear};
  if (settings.randn) {
    result.inits.push_back(Init::randn);
  }
  if (std::ranges::find(settings.qkv_bias, true) != settings.qkv_bias.end()) {
    result.biases = {true};
  }
  return result;
}

/// Each article as it is; the settings that the page names; usual seeds, and separately usual heads and batches.
std::vector<Variations> waves_of(std::span<const Printed> printed, const Settings& settings) {
  constexpr std::size_t most_seeds = 8;
  Variations plain;
  plain.dropout_kernels = {DropoutKernel::mkl};
  Variations named = variations_of(printed, settings);
  named.dropouts = settings.dropouts;
  named.dropout_kernels = {DropoutKernel::mkl};
  for (const std::int64_t seed : settings.seeds) {
    if (named.seeds.size() < most_seeds) {
      named.seeds.emplace_back(seed);
    }
  }
  Variations usual = variations_of(printed, {});
  Variations usual_sizes = usual;
  usual.heads.clear();
  usual.batches.clear();
  const bool is_listed = settings.rand || settings.randn || settings.linear || !settings.seeds.empty();
  if (!is_listed) {
    usual.seeds = {0, 1, 42, 789};  // a known program also has known seeds
  }
  return {plain, named, usual, usual_sizes};
}

/// Returns true if an article's lessons are varied over the usual settings. Lessons that embed a sentence, which draws
/// many numbers, or that do not draw as PyTorch does, are varied only as the page names it.
bool is_usual(const Article& article, const Chapter& chapter) {
  return chapter.name != "dropout" && article.sentence == "Your journey starts with one step" &&
         article.generator.empty();
}

/// The lessons of one page, each walked through once, however often it is requested.
class Pool {
 public:
  Pool(const Narrowing& known, std::span<const Printed> printed, Articles articles)
      : known_(known), printed_(printed), articles_(articles), maker_(std::make_shared<const Maker>(known, printed)) {}

  std::vector<Explanation> to_try(const Settings& settings) {
    std::vector<Explanation> result;
    std::set<std::string> keys;
    const std::vector<Variations> waves = waves_of(printed_, settings);
    for (std::size_t wave = 0; wave < waves.size(); ++wave) {
      for (const Article& article : articles_) {
        for (const Chapter& chapter : article.chapters) {
          if ((known_.article && known_.article != &article) ||
              known_.chapter.value_or(std::string(chapter.name)) != chapter.name ||
              (wave >= 2 && !is_usual(article, chapter))) {
            continue;
          }
          Lesson base = known_.lesson;
          base.kernels = {known_.cpu.value_or(article.cpu), known_.blas.value_or(usual_blas(known_))};
          for (const Lesson& lesson : varied(chapter, base, waves[wave], known_.is_seed_given)) {
            if ((wave == 0 ? maker_->is_of_usual_size(chapter, lesson)
                           : maker_->may_explain(chapter, lesson) && !maker_->is_redundant(chapter, lesson, base)) &&
                keys.insert(key_of(chapter, lesson)).second) {
              result.push_back(explanation(key_of(chapter, lesson), chapter, lesson, static_cast<int>(wave)));
            }
          }
        }
      }
    }
    return result;
  }

 private:
  const Explanation& explanation(const std::string& key, const Chapter& chapter, const Lesson& lesson, int wave) {
    const std::string key_in_wave = key + " " + std::to_string(wave);
    const auto found = made_.find(key_in_wave);
    return found != made_.end() ? found->second
                                : made_.emplace(key_in_wave, make(maker_, chapter, lesson, wave)).first->second;
  }

  const Narrowing& known_;
  std::span<const Printed> printed_;
  Articles articles_;
  std::shared_ptr<const Maker> maker_;
  std::map<std::string, Explanation> made_;
};

}  // namespace

LessonsToTry lessons_to_try(const Narrowing& known, std::span<const Printed> printed, Articles articles) {
  return [pool = std::make_shared<Pool>(known, printed, articles)](const Settings& settings) {
    return pool->to_try(settings);
  };
}

}  // namespace attn::verify
