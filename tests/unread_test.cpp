#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <doctest/doctest.h>

#include "sample.hpp"
#include "settled.hpp"
#include "tensor/evaluation.hpp"
#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"
#include "verify/causes/mistakes.hpp"
#include "verify/port/judge.hpp"
#include "verify/port/operands.hpp"
#include "walk/walkthrough.hpp"

namespace {

using namespace attn;

std::vector<Step> tensors_of(const std::string& chapter) {
  const auto& all = chapters::all_chapters();
  const auto found = std::ranges::find_if(all, [&](const chapters::Chapter& one) { return one.name == chapter; });
  const Lesson lesson;
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  std::vector<Step> steps = chapters::walk(*found, lesson, torch).steps();
  std::erase_if(steps, [](const Step& step) { return step.kind != Step::Kind::tensor; });
  return steps;
}

std::vector<verify::Observed> dump_of(const std::vector<Step>& steps) {
  std::vector<verify::Observed> dump;
  for (const Step& step : steps) {
    dump.push_back({full_name(step), step.tensor->shape(), "float32", verify::values_of(*step.tensor)});
  }
  return dump;
}

/// Makes nearly every tensor a large one, until the end of a test.
class LargeFrom {
 public:
  explicit LargeFrom(std::int64_t elements) { evaluation().large = elements; }
  LargeFrom(const LargeFrom&) = delete;
  LargeFrom& operator=(const LargeFrom&) = delete;
  ~LargeFrom() { evaluation().large = before_; }

 private:
  std::int64_t before_ = evaluation().large;
};

/// The same dump, whose numbers are read when they are asked for.
std::vector<verify::Observed> unread(std::vector<verify::Observed> dump) {
  for (verify::Observed& tensor : dump) {
    tensor.values = verify::SharedNumbers([values = tensor.values] { return values; });
  }
  return dump;
}

void check_same(const verify::Judgement& unread, const verify::Judgement& whole) {
  CHECK(unread.way.words == whole.way.words);
  CHECK(unread.unmatched == whole.unmatched);
  CHECK(unread.relations == whole.relations);
  CHECK(unread.seed == whole.seed);
  REQUIRE(unread.tensors.size() == whole.tensors.size());
  for (std::size_t i = 0; i < whole.tensors.size(); ++i) {
    const verify::Judged& one = unread.tensors[i];
    const verify::Judged& other = whole.tensors[i];
    CAPTURE(other.matched.step->name);
    CHECK(one.verdict == other.verdict);
    CHECK(one.whose == other.whose);
    CHECK(one.matched.given == other.matched.given);
    CHECK(full_name(*one.matched.step) == full_name(*other.matched.step));
    CHECK(one.matched.by == other.matched.by);
    REQUIRE(one.matched.laid.has_value() == other.matched.laid.has_value());
    CHECK((!one.matched.laid || one.matched.laid->words == other.matched.laid->words));
    CHECK(one.comparison.cells == other.comparison.cells);
    CHECK(one.comparison.mismatched == other.comparison.mismatched);
    CHECK(one.comparison.greatest_absolute == other.comparison.greatest_absolute);
    CHECK(one.comparison.absolute_at == other.comparison.absolute_at);
    CHECK(one.comparison.absolute_right == other.comparison.absolute_right);
    CHECK(one.comparison.relative_right == other.comparison.relative_right);
    CHECK(one.comparison.greatest_relative == other.comparison.greatest_relative);
    CHECK(one.comparison.relative_at == other.comparison.relative_at);
    CHECK(one.comparison.passing_atol == other.comparison.passing_atol);
    CHECK(one.comparison.passing_rtol == other.comparison.passing_rtol);
    REQUIRE(one.causes.size() <= other.causes.size());  // of what is large one cause suffices
    CHECK(one.causes.empty() == other.causes.empty());
    for (std::size_t k = 0; k < one.causes.size(); ++k) {
      CHECK(one.causes[k].names == other.causes[k].names);
      CHECK(one.causes[k].sentence == other.causes[k].sentence);
      CHECK(one.causes[k].explained == other.causes[k].explained);
    }
  }
}

}  // namespace

TEST_CASE("a right dump is judged unread as it is judged whole, and no tensor is kept") {
  for (const std::string chapter : {"trainable", "causal", "multihead"}) {
    CAPTURE(chapter);
    const std::vector<Step> steps = tensors_of(chapter);
    std::vector<verify::Observed> dump = dump_of(steps);
    std::ranges::reverse(dump);
    for (verify::Observed& tensor : dump) {
      std::vector<double> values = tensor.values;
      values.back() *= values.back() == 0 || values.back() == 1 ? 1 : 1 + 3e-7;
      tensor.values = std::move(values);
    }
    const std::vector<verify::Observed> brought = unread(dump);
    const verify::Judgement judged = verify::judge(brought, steps, {}, {}, {});
    check_same(judged, verify::judge(dump, steps, {}, {}, {}));
    CHECK(judged.unmatched.empty());
    const auto kept = std::ranges::count_if(brought, &verify::SharedNumbers::are_read, &verify::Observed::values);
    CHECK(kept <= 1);  // one drawn tensor is read for the seed
  }
}

TEST_CASE("a dump with a mistake is judged unread as it is judged whole") {
  for (const std::string chapter : {"causal", "multihead"}) {
    const std::vector<Step> right = tensors_of(chapter);
    const std::vector<verify::Observed> plain = dump_of(right);
    std::size_t row = 0;
    for (const Mistake& mistake : all_mistakes_in(right)) {
      if (!test::is_in_sample(row++)) {
        continue;
      }
      CAPTURE(chapter);
      CAPTURE(mistake.name);
      Rewriter rewriter(mistake.rule);
      std::vector<verify::Observed> wrong = plain;
      for (std::size_t i = 0; i < right.size(); ++i) {
        try {
          const Tensor made = rewriter(*right[i].tensor);
          wrong[i].shape = made.shape();
          wrong[i].values = verify::values_of(made);
        } catch (const ShapeError&) {
        }
      }
      const verify::Judgement whole = verify::judge(wrong, right, {}, {}, {});
      const LargeFrom large(16);
      const std::vector<Step> steps = tensors_of(chapter);
      check_same(verify::judge(unread(wrong), steps, {}, {}, {}), whole);
    }
  }
}

TEST_CASE("a dump with another program's names, or with single wrong cells, is judged unread as it is judged whole") {
  const std::vector<Step> right = tensors_of("multihead");
  std::vector<std::vector<verify::Observed>> dumps;
  const std::vector<std::pair<std::string, std::string>> names = {
      {"attn_scores", "scores"}, {"attn_weights", "probs"}, {"keys", "k"}, {"queries", "q"}, {"values", "mystery"}};
  dumps.push_back(dump_of(right));
  for (verify::Observed& tensor : dumps.back()) {
    for (const auto& [ours, theirs] : names) {
      tensor.name = tensor.name == ours ? theirs : tensor.name;
    }
  }
  for (std::size_t i = 0; i < right.size(); ++i) {
    dumps.push_back(dump_of(right));
    std::vector<double> values = dumps.back()[i].values;
    values.back() += 0.25;
    dumps.back()[i].values = std::move(values);
    dumps.push_back(dump_of(right));  // the same numbers twice
    dumps.back()[i].values = dumps.back()[(i + 1) % right.size()].values;
    dumps.back()[i].shape = dumps.back()[(i + 1) % right.size()].shape;
    dumps.push_back(dump_of(right));
    dumps.back()[i].shape.insert(dumps.back()[i].shape.begin(), 1);
  }
  for (std::size_t i = 0; i < dumps.size(); ++i) {
    CAPTURE(i);
    const verify::Judgement whole = verify::judge(dumps[i], right, {}, {}, {});
    const LargeFrom large(16);
    const std::vector<Step> steps = tensors_of("multihead");
    check_same(verify::judge(unread(dumps[i]), steps, {}, {}, {}), whole);
  }
}

TEST_CASE("a large file that becomes shorter while it is read is an error") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("attn-shorter-" + std::to_string(getpid()) + ".safetensors");
  constexpr std::size_t numbers = 20U << 20U;
  const std::string header = R"({"keys": {"dtype": "U8", "shape": [)" + std::to_string(numbers) +
                             R"(], "data_offsets": [0, )" + std::to_string(numbers) + "]}}";
  {
    std::ofstream file(path, std::ios::binary);
    const std::uint64_t size = header.size();
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file << header << std::string(numbers, '\1');
  }
  CHECK(files::read(path).at(0).values == std::vector<double>(numbers, 1));
  const auto cut = [&](const files::Heading&) {
    std::filesystem::resize_file(path, numbers / 2);
    return true;
  };
  CHECK_THROWS_WITH_AS(files::read(path, cut), doctest::Contains("it became shorter while it was read; "),
                       files::DumpError);
  std::filesystem::remove(path);
}
