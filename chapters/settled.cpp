#include "chapters/chapter.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "chapters/own.hpp"

namespace attn::chapters {
namespace {

template <class Value>
void set_unless_given(std::optional<Value>& target, Value value) {
  target = target.value_or(value);
}

/// Returns true if the user's inputs are [batch, tokens, d_in].
bool has_entries(const Lesson& lesson) { return lesson.inputs && lesson.inputs->shape.size() == 3; }

/// Throws LessonError for a batch if the chapter takes one sequence, or if --batch gives another size.
void check_entries(const Chapter& chapter, const Lesson& lesson) {
  const std::string of = has_entries(lesson)
                             ? "--inputs '" + lesson.inputs->source + "' of shape " + shape_text(lesson.inputs->shape)
                             : "";
  if (has_entries(lesson) && !chapter.takes.batch) {
    throw LessonError(of + " is a batch, but " + std::string(chapter.name) + " of " +
                      std::string(chapter.article->name) +
                      " takes one sequence; give [tokens, d_in], such as one entry of it, or try causal");
  }
  if (has_entries(lesson) && lesson.batch && *lesson.batch != lesson.inputs->shape[0]) {
    throw LessonError("--batch " + std::to_string(*lesson.batch) + " with " + of +
                      ": its entries are the batch; use --batch with [tokens, d_in]; leave --batch out");
  }
}

Lesson with_fixture(const Chapter& chapter, Lesson lesson) {
  if (!lesson.fixture) {
    return lesson;
  }
  const Takes& takes = chapter.takes;
  if (!lesson.inputs && !lesson.sentence) {
    set_unless_given<std::int64_t>(lesson.tokens, 5);
    set_unless_given<std::int64_t>(lesson.d_in, 7);
  }
  if (takes.batch && !has_entries(lesson)) {
    set_unless_given<std::int64_t>(lesson.batch, 2);
  }
  if (takes.heads) {
    const std::int64_t heads = takes.fixture_heads;
    const std::int64_t shared = takes.shared_d_out ? lesson.d_out_kq.value_or(lesson.d_out_v.value_or(heads)) : heads;
    set_unless_given<std::int64_t>(lesson.num_heads, shared % heads == 0 ? heads : shared % 2 == 0 ? 2 : 1);
  }
  for (const OwnSize& size : takes.sizes) {
    if (size.fixture == 0) {
      continue;
    }
    lesson.own_sizes.try_emplace(std::string(size.name), *lesson.num_heads % size.fixture == 0 ? size.fixture : 1);
  }
  if (takes.projections) {
    constexpr std::int64_t head_dim = 4;
    const std::int64_t heads = takes.shared_d_out ? *lesson.num_heads : 1;
    const std::int64_t d_out = heads * head_dim;
    set_unless_given(lesson.d_out_kq, lesson.d_out_v.value_or(d_out));
    set_unless_given(lesson.d_out_v, lesson.d_out_kq.value_or(d_out));
    set_unless_given(lesson.init, Init::linear);
    lesson.qkv_bias = lesson.init == Init::linear;
  }
  if (takes.dropout) {
    set_unless_given(lesson.dropout, 0.25);
  }
  return lesson;
}

/// The number of the head in a weight's section: 2 for "head_2/W_key"; 0 if there is none.
std::int64_t head_of(std::string_view name) {
  constexpr std::string_view head = "head_";
  std::int64_t number = 0;
  if (name.starts_with(head)) {
    std::from_chars(name.data() + head.size(), name.data() + name.size(), number);
  }
  return number;
}

/// Sets biases and the number of heads from the names of the weights.
Lesson with_what_names_say(const Chapter& chapter, Lesson lesson) {
  std::int64_t heads = 0;
  for (const GivenTensor& given : lesson.weights->tensors) {
    const std::string_view name = without_section(given.name);
    lesson.qkv_bias = lesson.qkv_bias || (name.starts_with("W_") && name.ends_with("_bias"));
    heads = std::max(heads, head_of(given.name));
  }
  if (lesson.qkv_bias && lesson.init.value_or(lesson.fixture ? Init::linear : chapter.init) != Init::linear) {
    throw LessonError(
        "--weights: a bias of queries, keys or values needs nn.Linear; add --init linear, or leave the biases out");
  }
  if (heads > 0 && lesson.weights->is_whole_file && chapter.takes.heads) {
    set_unless_given(lesson.num_heads, heads);
  }
  return lesson;
}

/// The d_out of a weight, given d_in; empty if it has another d_in.
std::optional<std::int64_t> d_out_of(const Shape& shape, std::int64_t d_in) {
  if (shape.size() != 2 || (shape[0] != d_in && shape[1] != d_in)) {
    return std::nullopt;
  }
  return shape[0] == d_in ? shape[1] : shape[0];
}

/// Sets the sizes of grouped-query attention: d_out from the queries, and the group size from the columns of queries
/// and keys.
Lesson with_groups_of_weights(Lesson lesson, std::int64_t keys, std::int64_t values) {
  const std::int64_t queries = lesson.d_out_kq.value_or(0);
  if (queries == 0 || keys == 0 || queries % keys != 0) {
    return lesson;
  }
  const std::int64_t group_size = queries / keys;
  const std::int64_t heads = lesson.num_heads.value_or(queries % (2 * group_size) == 0 ? 2 * group_size : group_size);
  lesson.num_heads = heads;
  lesson.d_out_v = values * group_size;
  lesson.own_sizes.try_emplace("num-kv-heads", std::max<std::int64_t>(1, heads / group_size));
  return lesson;
}

Lesson with_sizes_of_weights(const Chapter& chapter, Lesson lesson) {
  const std::int64_t d_in = lesson.inputs ? lesson.inputs->shape.back() : lesson.d_in.value_or(chapter.takes.d_in);
  const bool has_groups = takes_size(chapter.takes, "num-kv-heads");
  std::int64_t keys = 0;
  std::int64_t values = 0;
  for (const GivenTensor& given : lesson.weights->tensors) {
    const std::string_view name = without_section(given.name);
    const bool is_value = name == "W_value";
    if (has_groups && (is_value || name == "W_key")) {
      (is_value ? values : keys) = d_out_of(given.shape, d_in).value_or(0);
      continue;
    }
    std::optional<std::int64_t>& d_out = is_value ? lesson.d_out_v : lesson.d_out_kq;
    if ((is_value || name == "W_query" || name == "W_key") && !d_out) {
      d_out = d_out_of(given.shape, d_in);
    }
  }
  return has_groups ? with_groups_of_weights(std::move(lesson), keys, values) : lesson;
}

bool fits(const Chapter& chapter, const Lesson& lesson) {
  try {
    torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::plan);
    with_own_weights(run(chapter, lesson, torch), *lesson.weights, lesson.kernels);
    return true;
  } catch (const LessonError&) {
    return false;
  }
}

}  // namespace

Walkthrough run(const Chapter& chapter, const Lesson& lesson, torch::Torch& torch) {
  Walkthrough walk;
  Program program(chapter, lesson, torch, walk);
  chapter.run(program);
  walk.set_draws(torch.draws());
  return walk;
}

Lesson settled(const Chapter& chapter, const Lesson& lesson) {
  check_entries(chapter, lesson);
  if (is_made_by_hand(chapter, lesson)) {
    return with_one_hot_inputs(chapter, lesson);
  }
  if (!lesson.weights) {
    return with_fixture(chapter, lesson);
  }
  const Lesson named = with_what_names_say(chapter, lesson);
  const Lesson usual = with_fixture(chapter, named);
  return fits(chapter, usual) ? usual : with_fixture(chapter, with_sizes_of_weights(chapter, named));
}

}  // namespace attn::chapters
