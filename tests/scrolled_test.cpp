// Long texts as lines, and which of them are seen.

#include "present/scrolled.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "present/shown_cells.hpp"
#include "present/step_lines.hpp"
#include "text/styled.hpp"

namespace {

using namespace attn;
using present::PrintedLines;

std::shared_ptr<const present::StepLines> lines_of(const std::string& text) {
  return std::make_shared<PrintedLines>(torch::PrintedTensor{text, {}}, 1);
}

std::string seen(const present::ScrolledLines& page, std::int64_t rows, std::int64_t columns) {
  std::string all;
  for (const text::StyledLine& line : page.seen(rows, columns)) {
    all += text::plain_text(line) + "|";
  }
  return all;
}

}  // namespace

TEST_CASE("changed cells of a text are marked on their lines, or the chosen one") {
  const PrintedLines lines({"a 12 b\n\n34 5\n", {{0, 2, 2}, {1, 8, 2}, {2, 11, 1}}}, 1, {true, true, false});
  REQUIRE(lines.count() == 3);
  CHECK(text::with_escapes(lines.line(0, {})) == "a \x1b[7m12\x1b[0m b");
  CHECK(text::with_escapes(lines.line(1, {})).empty());
  CHECK(text::with_escapes(lines.line(2, {})) == "\x1b[7m34\x1b[0m 5");
  CHECK(text::with_escapes(lines.line(0, render::GridCell{2, 0})) == "a 12 b");
  CHECK(text::with_escapes(lines.line(2, render::GridCell{2, 0})) == "34 \x1b[7m5\x1b[0m");
  CHECK(lines.columns() == 6);
  const render::CellPlace place = lines.place({2, 0});
  CHECK(place.line == 2);
  CHECK(place.column == 3);
  CHECK(place.width == 1);
  CHECK(lines_of("")->count() == 0);
  CHECK(lines_of("\n")->count() == 1);
}

TEST_CASE("shown cells have the indices of their rows and columns") {
  const torch::PrintOptions small = {.threshold = 10, .edgeitems = 1};
  struct Case {
    Shape shape;
    std::int64_t rows;
    std::int64_t columns;
  };
  const std::vector<Case> cases = {{{}, 1, 1},        {{3}, 1, 3},       {{2, 3}, 2, 3}, {{4, 5}, 2, 2},
                                   {{3, 4, 5}, 4, 2}, {{3, 2, 5}, 4, 2}, {{9, 1}, 9, 1}};
  for (const Case& one : cases) {
    CAPTURE(shape_text(one.shape));
    const present::ShownCells cells(one.shape, small);
    REQUIRE(cells.rows() == one.rows);
    REQUIRE(cells.columns() == one.columns);
    for (std::int64_t row = 0; row < one.rows; ++row) {
      for (std::int64_t column = 0; column < one.columns; ++column) {
        CHECK(cells.find(cells.index({row, column})) == render::GridCell{row, column});
      }
    }
  }
  const present::ShownCells cells({3, 4, 5}, small);
  CHECK(cells.index({3, 1}) == Shape{2, 3, 4});
  CHECK(cells.index({1, 0}) == Shape{0, 3, 0});
  CHECK_FALSE(cells.find({0, 1, 0}));
  CHECK_FALSE(cells.find({0, 0}));
  CHECK_FALSE(cells.find({3, 0, 0}));
  CHECK(present::ShownCells().empty());
  CHECK_FALSE(present::ShownCells().find({}));
}

TEST_CASE("scrolling to a cell moves as little as possible") {
  present::ScrolledLines page;
  page.set(lines_of("0\n1\n2\n3\n4\n5\n6\n7\n"), {});
  page.to_see({5, 0, 1}, 3, 10);
  CHECK(page.row() == 3);
  page.to_see({4, 0, 1}, 3, 10);
  CHECK(page.row() == 3);
  page.to_see({3, 20, 4}, 3, 10);
  CHECK(page.row() == 3);
  page.set(lines_of("0123456789abcdefghijklmnop\n"), {});
  page.keep_within(3);
  CHECK(seen(page, 1, 10) == "efghijklmn|");
  page.to_see({0, 2, 3}, 1, 10);
  CHECK(seen(page, 1, 10) == "0123456789|");
}

TEST_CASE("printed lines come before the others, and both are scrolled as one page") {
  present::ScrolledLines page;
  page.set(lines_of("one\ntwo\nthree\n"), {{{"four"}}, {{"a long five"}}});
  CHECK(seen(page, 2, 4) == "one|two|");
  page.scroll(present::keys::end, 3, 4);
  page.keep_within(3);
  CHECK(seen(page, 3, 6) == "three|four|a long|");
  CHECK(page.place(3) == "3-5 of 5 lines  ");
  page.scroll(present::keys::right, 3, 8);
  CHECK(seen(page, 3, 8) == "ree|ur|long fiv|");
  page.set(nullptr, {{{"alone"}}});
  page.keep_within(3);
  CHECK(page.row() == 0);
}
