#include "verify/lessons/lessons.hpp"

#include <array>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"
#include "tensor/operations.hpp"
#include "verify/explain/match.hpp"
#include "verify/lessons/given.hpp"
#include "verify/read/find_printed.hpp"
#include "verify/read/read_page.hpp"

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
  chapter = {chapters::Chapter{"fragile", &article, run, {.projections = true}, Init::linear, "", ""}};
  article.name = "fragile";
  article.chapters = chapter;
  return article;
}

}  // namespace

TEST_SUITE("lessons") {
  TEST_CASE("If a chapter throws, the others still explain the page") {
    const Page page = parse_page(
        "page.txt",
        "tensor([[0.4300, 0.1500, 0.8900],\n        [0.5500, 0.8700, 0.6600],\n        [0.5700, 0.8500, 0.6400],\n"
        "        [0.2200, 0.5800, 0.3300],\n        [0.7700, 0.2500, 0.1000],\n        [0.0500, 0.8000, 0.5500]])\n");
    const std::vector<Printed> printed = find_printed(page);
    for (const auto run : {&fragile, &out_of_range}) {
      std::vector<std::reference_wrapper<const chapters::Article>> articles{article_of(run)};
      articles.insert(articles.end(), chapters::all_articles().begin(), chapters::all_articles().end());
      const Narrowing known;
      const Listing listing = find_listing(page);
      const std::vector<Explanation> explanations = lessons_to_try(known, printed, articles)(listing.settings);
      CHECK(!explanations.empty());
      const Report report = match(printed, explanations, given_of(printed, listing, replay(listing.draws)));
      REQUIRE(report.findings.size() == 1);
      CHECK(holds(report.findings[0].verdict));
    }
  }

  TEST_CASE("A page without enough memory is refused") {
    const std::vector<Printed> printed;
    const std::vector<std::reference_wrapper<const chapters::Article>> articles{
        article_of([](chapters::Program&) { throw std::bad_alloc(); })};
    const Narrowing known;
    CHECK_THROWS_AS(lessons_to_try(known, printed, articles)({}), std::bad_alloc);
  }
}
