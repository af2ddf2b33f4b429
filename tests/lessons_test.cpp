#include "verify/lessons/lessons.hpp"

#include "chapters/program.hpp"
#include "tensor/operations.hpp"
#include "unit.hpp"
#include "verify/page/page.hpp"

namespace {

using namespace attn;
using namespace attn::verify;

/// A chapter that was made for no size but one.
void fragile(chapters::Program& program) {
  const Tensor inputs = program.inputs();
  program.show("inputs", "inputs\n", inputs);
  matmul(inputs, inputs);  // [6, 3] @ [6, 3]: ShapeError
}

void out_of_range(chapters::Program&) { throw std::out_of_range("an index that the chapter never checked"); }

const chapters::Article& article_of(void (*run)(chapters::Program&)) {
  static chapters::Article article;
  static std::array<chapters::Chapter, 1> chapter;
  const chapters::Article& blog = chapters::all_articles().front();
  article = blog;
  chapter = {chapters::Chapter{"fragile", &article, run, "", "", {.projections = true}}};
  article.name = "fragile";
  article.chapters = chapter;
  return article;
}

/// A page's printed tensors.
struct Shown {
  Page page;
  std::vector<Printed> printed;
  std::vector<const Printed*> pointers;

  explicit Shown(const std::string& text) : page(parse_page("page.txt", text)), printed(find_printed(page)) {
    for (const Printed& one : printed) {
      pointers.push_back(&one);
    }
  }
};

/// The seeds of the lessons that the page's numbers reveal, each once.
std::vector<std::string> revealed_seeds(const std::string& text, const std::vector<std::int64_t>& named = {}) {
  const Shown shown(text);
  const Narrowing known;
  std::vector<std::string> seeds;
  for (const Explanation& lesson : Lessons(known).revealed(shown.pointers, named)) {
    if (std::ranges::find(seeds, lesson.seed.text()) == seeds.end()) {
      seeds.push_back(lesson.seed.text());
    }
  }
  return seeds;
}

// Printed by PyTorch 1.13.
constexpr std::string_view keys_99 =  // nn.Linear(3, 2, bias=False), the second after the seed, of the toy inputs
    "keys\ntensor([[ 0.1403, -0.2614],\n        [-0.0525,  0.0641],\n        [-0.0703,  0.0639],\n"
    "        [-0.0047,  0.0827],\n        [-0.3702,  0.0410],\n        [ 0.1647,  0.0848]])\n";
constexpr std::string_view weights_1337 =  // by three torch.rand(3, 2)
    "tensor([[0.1762, 0.1828, 0.1824, 0.1482, 0.1569, 0.1535],\n"
    "        [0.1874, 0.2032, 0.2023, 0.1265, 0.1437, 0.1369],\n"
    "        [0.1871, 0.2029, 0.2020, 0.1269, 0.1440, 0.1372],\n"
    "        [0.1796, 0.1880, 0.1875, 0.1424, 0.1533, 0.1492],\n"
    "        [0.1766, 0.1863, 0.1859, 0.1448, 0.1558, 0.1505],\n"
    "        [0.1830, 0.1927, 0.1920, 0.1371, 0.1497, 0.1455]])\n";

std::string altered(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  for (std::size_t at = result.find(from); at != std::string::npos; at = result.find(from, at + to.size())) {
    result.replace(at, from.size(), to);
  }
  return result;
}

}  // namespace

TEST_SUITE("lessons") {
  TEST_CASE("If a chapter throws, the others still explain the page") {
    for (const auto run : {&fragile, &out_of_range}) {
      std::vector<std::reference_wrapper<const chapters::Article>> articles{article_of(run)};
      articles.insert(articles.end(), chapters::all_articles().begin(), chapters::all_articles().end());
      const Narrowing known;
      const std::vector<Explanation> lessons = Lessons(known, articles).plain();
      REQUIRE(!lessons.empty());
      CHECK(std::ranges::none_of(lessons, [](const Explanation& one) { return one.article == "fragile"; }));
      CHECK(std::ranges::any_of(lessons, [](const Explanation& one) { return one.article == "blog"; }));
    }
  }

  TEST_CASE("A page without enough memory is refused") {
    const std::vector<std::reference_wrapper<const chapters::Article>> articles{
        article_of([](chapters::Program&) { throw std::bad_alloc(); })};
    const Narrowing known;
    CHECK_THROWS_AS(Lessons(known, articles).plain(), std::bad_alloc);
  }

  TEST_CASE("A wrong digit does not hide the seed, but many are no coincidence") {
    const std::vector<std::string> seed{"99"};
    CHECK(revealed_seeds(altered(keys_99, "0.0848", "0.0948")) == seed);
    CHECK(revealed_seeds(altered(keys_99, "0.1403", "0.1903")) == seed);
    CHECK(revealed_seeds(altered(keys_99, "0.0", "0.9")).empty());
    CHECK(revealed_seeds(altered(weights_1337, "0.1", "0.7")).empty());
  }

  TEST_CASE("A seed beyond the usual ones is found if the page names it") {
    const std::string keys =  // as keys_99
        "tensor([[ 0.1119, -0.0576],\n"
        "        [-0.1460, -0.4820],\n"
        "        [-0.1619, -0.4846],\n"
        "        [-0.0639, -0.2861],\n"
        "        [-0.4042, -0.3962],\n"
        "        [ 0.0853, -0.2762]])\n";
    CHECK(revealed_seeds(keys).empty());
    CHECK(revealed_seeds(keys, {20240517}) == std::vector<std::string>{"20240517"});
  }

  TEST_CASE("A given seed alone is tried") {
    const Shown shown{std::string(keys_99)};
    Narrowing known;
    known.lesson.seed = 5;
    CHECK(Lessons(known).revealed(shown.pointers, {}).empty());
    known.lesson.seed = 99;
    CHECK(!Lessons(known).revealed(shown.pointers, {}).empty());
  }
}
