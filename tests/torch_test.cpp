// The generator and the distributions against numbers that PyTorch printed, and what chapters use of PyTorch besides
// operations: parameters, modules, masks, and that planning draws nothing.

#include "torch/generator.hpp"

#include "made.hpp"
#include "tensor/words.hpp"

namespace {

using namespace attn;
using namespace attn::torch;
using test::values_of;

Torch seeded(std::uint64_t seed, Torch::Mode mode = Torch::Mode::compute) {
  Torch result(Kernels{}, DropoutKernel::standard, mode);
  result.manual_seed(seed);
  return result;
}

using Words = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;

/// Seeding, first word and number of words of each draw.
std::vector<Words> words_of(const Torch& torch) {
  std::vector<Words> words;
  for (const torch::Draw& draw : torch.draws().draws) {
    words.emplace_back(draw.seeding, draw.first, draw.count);
  }
  return words;
}

using Json = nlohmann::json;

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

// torch.manual_seed(seed); torch.empty(3, dtype=torch.int64).random_(-2**63, None), modulo 2^64.
const std::map<std::uint64_t, std::array<std::uint64_t, 3>> raw_draws = {
    {0, {0x8c7f0aac97c4aa2f, 0xb716a675d821ccc0, 0x9a4eb343dba252fb}},
    {123, {0xb24bcdfeb6843d6d, 0x49406d7e6db04542, 0x3a12efdcb0ddd462}},
    {static_cast<std::uint64_t>(-1), {0x18fe69a31c924122, 0xe991ec0c900cac47, 0xc9fe37b486bcfe40}},
    {(std::uint64_t{1} << 32U) + 123, {0xb24bcdfeb6843d6d, 0x49406d7e6db04542, 0x3a12efdcb0ddd462}},
};

TEST_CASE("raw draws are those of torch.manual_seed, also after seeding again") {
  Generator words(999);
  Generator halves(1);
  for (const auto& [seed, draws] : raw_draws) {
    words.manual_seed(seed);
    halves.manual_seed(seed);
    for (const std::uint64_t draw : draws) {
      CHECK(words.random64() == draw);
      CHECK(halves.random() == static_cast<std::uint32_t>(draw >> 32U));
      CHECK(halves.random() == static_cast<std::uint32_t>(draw));
    }
    CHECK(words == halves);
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

/// Makes the draw that the file describes, for example "randn(3,2)".
std::vector<float> make_draw(Generator& generator, const Json& draw, Cpu cpu) {
  const auto what = draw.at("draw").get<std::string>();
  const auto shape = draw.at("shape").get<std::vector<std::int64_t>>();
  std::vector<float> out(draw.at("values").size());

  if (what.starts_with("randn(")) {
    normal(generator, out, cpu);
  } else if (what.starts_with("rand(")) {
    uniform(generator, out, 0.0, 1.0, cpu);
  } else if (what.starts_with("empty(12).bernoulli_(0.8)")) {
    std::ranges::transform(keep_mask(generator, out.size(), 0.8, DropoutKernel::standard), out.begin(),
                           [](char keep) { return keep == '1' ? 1.0F : 0.0F; });
  } else if (what.starts_with("Linear(3,3,bias=False).weight") || what == "weight") {
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
        std::vector<float> expected;
        for (const Json& value : draw.at("values")) {
          expected.push_back(std::strtof(value.get_ref<const std::string&>().c_str(), nullptr));
        }
        CHECK(make_draw(generator, draw, cpu) == expected);
        compared += expected.size();
      }
    }
  }
  CHECK(compared == 3U * 4U * 167U);
}

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

// torch.manual_seed(123); torch.nn.Dropout(0.5)(torch.ones(6, 6)), kept elements as 1.
TEST_CASE("both dropout kernels give PyTorch's masks") {
  Generator standard(123);
  CHECK(keep_mask(standard, 36, 0.5, DropoutKernel::standard) == "110110000101111101011001010101011110");
  Generator mkl(123);
  CHECK(keep_mask(mkl, 36, 0.5, DropoutKernel::mkl) == "111111010000001010110001100001010000");
}

TEST_CASE("the dropout kernels use two words per element, or one in all; 0 drops all, 1 keeps all") {
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

TEST_CASE("planning determines shapes and draws nothing") {
  Torch plan = seeded(1, Torch::Mode::plan);
  const std::int64_t huge = std::numeric_limits<std::int32_t>::max();
  CHECK(plan.rand({huge, huge}).shape() == Shape{huge, huge});
  CHECK(plan.randn({huge, huge}).shape() == Shape{huge, huge});
  CHECK(plan.linear(huge, 4, true, "W")(plan.rand({2, huge})).shape() == Shape{2, 4});
  CHECK(plan.embedding(50'000, huge, torch::tensor(std::vector<std::int64_t>{1, 2})).shape() == Shape{2, huge});
  const auto [mask, output] = plan.dropout(plan.rand({huge, 2}), 0.5);
  CHECK(mask.shape() == Shape{huge, 2});
  CHECK(mask.dtype() == DType::boolean);
  CHECK(output.shape() == Shape{huge, 2});
}

TEST_CASE("dropout of all or nothing draws nothing") {
  for (const double p : {0.0, 1.0}) {
    CAPTURE(p);
    Torch torch = seeded(7);
    const Tensor output = torch.dropout(torch::ones({2, 2}), p).output;
    CHECK(values_of(output) == std::vector<float>(4, p == 0 ? 1.0F : 0.0F));
    CHECK(values_of(torch.rand({2})) == values_of(seeded(7).rand({2})));
  }
}

TEST_CASE("the scale of dropout is rounded once") {
  const auto scale = [](double p) { return values_of(torch::dropout_scale(p)).at(0); };  // torch.ones(()) / (1 - p)
  CHECK((scale(0.2) == 1.25F && scale(0.3) == 0x1.6db6dcp+0F && scale(0.9) == 0x1.4p+3F && scale(1) == 0 &&
         scale(0.1) == 0x1.1c71c8p+0F && scale(0.7) == 0x1.aaaaaap+1F));
  CHECK(torch::dropout_scale(0.2).expression() == "torch.ones(()) / (1 - 0.2)");
}

TEST_CASE("python_repr is Python's repr of a float") {
  std::string all;
  for (const double value : {0.0, 0.1, 1 - 0.2, 1 - 0.9, 1e-5, 1e-4, 1.5e-7, 0.30000000000000004, -0.0}) {
    all += python_repr(value) + " ";
  }
  CHECK(all == "0.0 0.1 0.8 0.09999999999999998 1e-05 0.0001 1.5e-07 0.30000000000000004 -0.0 ");
}

// How many words a call takes: torch.manual_seed(123), the call, and torch.rand(1) is element n of torch.rand(200000)
// after the same seed.
TEST_CASE("each draw's words are counted from the last seeding") {
  Torch torch(Kernels{}, DropoutKernel::standard, Torch::Mode::compute);
  torch.manual_seed(-1);
  torch.rand({2, 3});
  torch.linear(3, 2, true, "W_query");
  torch.randn({4, 4});
  torch.manual_seed(7);
  torch.randn({3});
  torch.randn({2});
  torch.dropout(torch::ones({6, 6}), 0.5);
  torch.dropout(torch::ones({6, 6}), 0);
  torch.embedding(50'000, 3, torch::tensor(std::vector<std::int64_t>{1, 0}));
  CHECK(words_of(torch) ==
        std::vector<Words>{
            {1, 0, 6}, {1, 6, 6}, {1, 12, 2}, {1, 14, 16}, {2, 0, 8}, {2, 8, 4}, {2, 12, 72}, {2, 84, 150'000}});
  CHECK(torch.draws().seeds.size() == 3);
  CHECK(torch.draws().seeds[1].text() == "-1");
  CHECK(torch.draws().draws[2].module == "W_query");
  CHECK(torch.draws().draws[7].ids.has_value());
  Torch mkl(Kernels{}, DropoutKernel::mkl, Torch::Mode::compute);
  mkl.manual_seed(7);
  mkl.dropout(torch::ones({6, 6}), 0.5);
  CHECK(words_of(mkl) == std::vector<Words>{{1, 0, 1}});
}

}  // namespace
