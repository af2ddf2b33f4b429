// The generator and the distributions against numbers that PyTorch printed.

#include "torch/generator.hpp"

#include "torch/distributions.hpp"
#include "unit.hpp"

namespace {

using namespace attn;
using namespace attn::torch;

/// `out.bernoulli_(p)` as '1' (kept) and '0'.
std::string keep_mask(Generator& generator, std::size_t size, double p, DropoutKernel kernel) {
  const auto kept = std::make_unique<bool[]>(size);
  const std::span<bool> view(kept.get(), size);
  bernoulli(generator, view, p, kernel);
  std::string mask;
  for (const bool keep : view) {
    mask += keep ? '1' : '0';
  }
  return mask;
}

// --- Draws ---

struct RawDraws {
  std::uint64_t seed;
  std::array<std::uint64_t, 3> draws;
};

// torch.manual_seed(seed); torch.empty(3, dtype=torch.int64).random_(-2**63, None), modulo 2^64.
const std::vector<RawDraws> kRawDraws{
    {0, {0x8c7f0aac97c4aa2f, 0xb716a675d821ccc0, 0x9a4eb343dba252fb}},
    {123, {0xb24bcdfeb6843d6d, 0x49406d7e6db04542, 0x3a12efdcb0ddd462}},
    {static_cast<std::uint64_t>(-1), {0x18fe69a31c924122, 0xe991ec0c900cac47, 0xc9fe37b486bcfe40}},
    {(std::uint64_t{1} << 32U) + 123, {0xb24bcdfeb6843d6d, 0x49406d7e6db04542, 0x3a12efdcb0ddd462}},
};

TEST_CASE("raw draws are those of torch.manual_seed") {
  for (const RawDraws& expected : kRawDraws) {
    CAPTURE(expected.seed);
    Generator words(expected.seed);
    Generator halves(expected.seed);
    for (const std::uint64_t draw : expected.draws) {
      CHECK(words.random64() == draw);
      CHECK(halves.random() == static_cast<std::uint32_t>(draw >> 32U));
      CHECK(halves.random() == static_cast<std::uint32_t>(draw));
    }
    CHECK(words == halves);
  }
}

TEST_CASE("seeding again restarts the draws") {
  Generator generator(999);
  for (const RawDraws& expected : kRawDraws) {
    generator.manual_seed(expected.seed);
    CHECK(generator.random64() == expected.draws[0]);
    CHECK(generator.random64() == expected.draws[1]);
  }
}

TEST_CASE("discard skips draws") {
  for (const std::uint64_t count : {0ULL, 1ULL, 623ULL, 624ULL, 625ULL, 100'000ULL}) {
    Generator passed(7);
    passed.discard(count);
    Generator drawn(7);
    for (std::uint64_t i = 0; i < count; ++i) {
      static_cast<void>(drawn.random());
    }
    CHECK(passed == drawn);
    CHECK(passed.random() == drawn.random());
  }
}

TEST_CASE("the unused normal is returned once, and seeding again forgets it") {
  Generator generator(1);
  CHECK_FALSE(generator.take_cached_normal().has_value());
  generator.cache_normal(0.25);
  CHECK_FALSE(generator == Generator(1));
  CHECK(generator.take_cached_normal() == 0.25);
  CHECK_FALSE(generator.take_cached_normal().has_value());
  generator.cache_normal(0.5);
  generator.manual_seed(1);
  CHECK(generator == Generator(1));
}

// --- Every draw of golden/torch-vectors.json ---

using Json = nlohmann::json;

std::vector<float> hex_floats(const Json& values) {
  std::vector<float> floats;
  for (const Json& value : values) {
    floats.push_back(std::strtof(value.get<std::string>().c_str(), nullptr));
  }
  return floats;
}

/// Makes the draw that the file describes, for example "randn(3,2)".
std::vector<float> make_draw(Generator& generator, const Json& draw, Cpu cpu) {
  const auto what = draw.at("draw").get<std::string>();
  const auto shape = draw.at("shape").get<std::vector<std::int64_t>>();
  std::vector<float> out(draw.at("values").size());

  const auto starts = [&](const char* prefix) { return what.starts_with(prefix); };
  if (starts("randn(")) {
    normal(generator, out, cpu);
  } else if (starts("rand(")) {
    uniform(generator, out, 0.0, 1.0, cpu);
  } else if (starts("empty(12).bernoulli_(0.8)")) {
    const std::string mask = keep_mask(generator, out.size(), 0.8, DropoutKernel::standard);
    std::ranges::transform(mask, out.begin(), [](char keep) { return keep == '1' ? 1.0F : 0.0F; });
  } else if (starts("Linear(3,3,bias=False).weight") || what == "weight") {
    const double bound = linear_weight_bound(shape.at(1));
    uniform(generator, out, -bound, bound, cpu);
  } else if (what == "bias") {
    const double bound = linear_bias_bound(4);
    uniform(generator, out, -bound, bound, cpu);
  } else if (what == "weight[:6]") {
    const std::array<std::int64_t, 6> rows{0, 1, 2, 3, 4, 5};
    normal_rows(generator, 50'000, 3, rows, out, cpu);
  } else {
    FAIL("no such draw: " << what);
  }
  return out;
}

TEST_CASE("draws are PyTorch's, in every bit") {
  std::ifstream file(ATTN_GOLDEN_DIR "/torch-vectors.json");
  REQUIRE(file.good());
  const Json vectors = Json::parse(file);

  std::size_t compared = 0;
  for (const Cpu cpu : {Cpu::avx2, Cpu::avx512, Cpu::standard}) {
    const Json& set = vectors.at("sets").at(cpu == Cpu::standard ? 1 : 0);  // no draw has AVX-512 kernels of its own
    for (const Json& one : set.at("cases")) {
      CAPTURE(set.at("cpu"));
      CAPTURE(one.at("name"));
      CAPTURE(one.at("seed"));
      Generator generator(one.at("seed").get<std::uint64_t>());
      for (const Json& draw : one.at("draws")) {
        CAPTURE(draw.at("draw"));
        const std::vector<float> expected = hex_floats(draw.at("values"));
        CHECK(make_draw(generator, draw, cpu) == expected);
        compared += expected.size();
      }
    }
  }
  CHECK(compared == 3U * 4U * 167U);
}

// --- Normal ---

// torch.manual_seed(1753191); torch.randn(16): the first uniform of the pair 6, 14 is 0, so that
// its radius is -0.
TEST_CASE("a normal of zero has no sign") {
  for (const Cpu cpu : {Cpu::avx2, Cpu::avx512, Cpu::standard}) {
    Generator generator(1753191);
    std::array<float, 16> out{};
    normal(generator, out, cpu);
    for (const std::size_t index : {std::size_t{6}, std::size_t{14}}) {
      CHECK(out.at(index) == 0.0F);
      CHECK_FALSE(std::signbit(out.at(index)));
    }
    CHECK(out[0] == (cpu == Cpu::standard ? -0x1.3dc982p-3F : -0x1.3dc974p-3F));
  }
}

/// All rows by `normal`, some by `normal_rows`; the generators must then be the same.
void check_rows(std::int64_t count, std::int64_t dim, const std::vector<std::int64_t>& rows, Cpu cpu) {
  CAPTURE(count);
  CAPTURE(dim);
  const auto width = static_cast<std::size_t>(dim);
  Generator whole(42);
  Generator part(42);
  std::vector<float> all(static_cast<std::size_t>(count) * width);
  normal(whole, all, cpu);
  std::vector<float> some(rows.size() * width);
  normal_rows(part, count, dim, rows, some, cpu);

  CHECK(whole == part);
  std::vector<float> expected;
  for (const std::int64_t row : rows) {
    const auto first = all.begin() + row * dim;
    expected.insert(expected.end(), first, first + dim);
  }
  CHECK(some == expected);
}

TEST_CASE("normal_rows gives rows of the whole matrix and advances the generator equally") {
  for (const Cpu cpu : {Cpu::avx2, Cpu::standard}) {
    for (std::int64_t count = 1; count <= 40; ++count) {
      for (std::int64_t dim = 1; dim <= 20; ++dim) {
        check_rows(count, dim, {}, cpu);
        check_rows(count, dim, {0}, cpu);
        check_rows(count, dim, {count - 1, count / 2, 0, count / 2}, cpu);
      }
    }
    check_rows(50'000, 3, {49'999, 0, 3, 25'000}, cpu);
    check_rows(2'001, 37, {2'000, 1'999, 17}, cpu);
  }
  check_rows(0, 3, {}, Cpu::avx2);
  check_rows(3, 0, {2, 0}, Cpu::avx2);
}

// --- Bernoulli ---

// torch.manual_seed(123); torch.nn.Dropout(0.5)(torch.ones(6, 6)), kept elements as 1.
TEST_CASE("both dropout kernels give PyTorch's masks") {
  Generator standard(123);
  CHECK(keep_mask(standard, 36, 0.5, DropoutKernel::standard) ==
        "110110"
        "000101"
        "111101"
        "011001"
        "010101"
        "011110");
  Generator mkl(123);
  CHECK(keep_mask(mkl, 36, 0.5, DropoutKernel::mkl) ==
        "111111"
        "010000"
        "001010"
        "110001"
        "100001"
        "010000");
}

TEST_CASE("the dropout kernels use two words per element, or one in all") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{36}}) {
    Generator expected(9);
    Generator standard(9);
    keep_mask(standard, size, 0.3, DropoutKernel::standard);
    expected.discard(2 * size);
    CHECK(standard == expected);

    expected.manual_seed(9);
    Generator mkl(9);
    keep_mask(mkl, size, 0.3, DropoutKernel::mkl);
    expected.discard(size == 0 ? 0 : 1);
    CHECK(mkl == expected);
  }
}

TEST_CASE("bernoulli of 0 and 1") {
  Generator generator(3);
  for (const DropoutKernel kernel : {DropoutKernel::standard, DropoutKernel::mkl}) {
    CHECK(keep_mask(generator, 5, 0.0, kernel) == "00000");
    CHECK(keep_mask(generator, 5, 1.0, kernel) == "11111");
  }
}

TEST_CASE("the Mersenne Twister gives the standard library's words from any position") {
  for (const std::uint32_t seed : {0U, 1U, 123U, 4'294'967'295U}) {
    for (const std::uint64_t passed_over : {0U, 1U, 226U, 227U, 228U, 396U, 397U, 623U, 624U, 625U, 1'248U, 5'000U}) {
      torch::MersenneTwister ours(seed);
      std::mt19937 standard(seed);
      for (int round = 0; round < 3; ++round) {
        ours.discard(passed_over);
        standard.discard(passed_over);
        for (int i = 0; i < 700; ++i) {
          REQUIRE(ours() == standard());
        }
      }
    }
  }
}

}  // namespace
