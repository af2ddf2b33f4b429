// Long texts as lines, and which of them are seen.

#include "present/scrolled.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "present/board.hpp"
#include "present/printed_lines.hpp"
#include "present/shown_cells.hpp"
#include "text/styled.hpp"

namespace {

using namespace attn;
using present::PrintedLines;

/// A text without cells, as a page takes it.
std::shared_ptr<const present::LongLines> lines_of(const std::string& text) {
  auto board = std::make_shared<present::Board>();
  board->set(std::make_shared<PrintedLines>(text), {});
  return board;
}

std::string seen(const present::ScrolledLines& page, std::int64_t rows, std::int64_t columns) {
  std::string all;
  for (const text::StyledLine& line : page.seen(rows, columns)) {
    all += text::plain_text(line) + "|";
  }
  return all;
}

}  // namespace

TEST_CASE("cells of a text are marked on their lines") {
  const PrintedLines lines("a 12 b\n\n34 5\n",
                           {.all = {{0, 2, 2}, {1, 8, 2}, {2, 11, 1}}, .changed = {true, true, false}});
  REQUIRE(lines.count() == 3);
  CHECK(text::with_escapes(lines.styled(0, {})) == "a \x1b[7m12\x1b[0m b");
  CHECK(text::with_escapes(lines.styled(1, {})).empty());
  CHECK(text::with_escapes(lines.styled(2, {})) == "\x1b[7m34\x1b[0m 5");
  CHECK(lines.plain(2) == "34 5");
  CHECK(PrintedLines("").count() == 0);
  CHECK(PrintedLines("\n").count() == 1);
}

TEST_CASE("only the chosen cell is in reverse, and hidden rows show question marks") {
  const PrintedLines lines(
      "12 345\n6 7\n",
      {.all = {{0, 0, 2}, {1, 3, 3}, {2, 7, 1}, {3, 9, 1}}, .changed = {true, true, true, true}, .in_row = 2});
  const render::CellMarks chosen = {.chosen = render::GridCell{0, 1}};
  CHECK(text::with_escapes(lines.styled(0, chosen)) == "12 \x1b[7m345\x1b[0m");
  CHECK(text::with_escapes(lines.styled(1, chosen)) == "6 7");
  CHECK(text::with_escapes(lines.styled(0, {.rows = 0})) == " ?   ?");
  CHECK(text::with_escapes(lines.styled(1, {.rows = 1})) == "? ?");
  const render::CellPlace place = lines.place({1, 1});
  CHECK(place.line == 1);
  CHECK(place.column == 2);
  CHECK(place.width == 1);
}

TEST_CASE("cells are found on first use, once") {
  int asked = 0;
  const PrintedLines lines("12\n", [&asked] {
    ++asked;
    return present::TextCells{{{0, 0, 2}}};
  });
  CHECK(text::with_escapes(lines.styled(0, {})) == "12");
  CHECK(asked == 0);
  CHECK(text::with_escapes(lines.styled(0, {.rows = 0})) == " ?");
  CHECK(lines.place({0, 0}).width == 2);
  CHECK(asked == 1);
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

TEST_CASE("a board keeps the choice within the revealed rows") {
  using Kind = present::Key::Kind;
  present::Board board;
  board.set(std::make_shared<PrintedLines>("1 2\n3 4\n5 6\n"), present::ShownCells({3, 2}, {}));
  CHECK_FALSE(board.move(Kind::down));
  board.choose_first();
  CHECK(board.move(Kind::down));
  CHECK(board.move(Kind::right));
  CHECK(board.move(Kind::right));
  CHECK(board.chosen() == Shape{1, 1});
  CHECK(board.move(Kind::home));
  CHECK(board.chosen() == Shape{1, 0});
  CHECK_FALSE(board.move(Kind::page_down));
  CHECK_FALSE(board.choose({3, 0}));
  CHECK(board.chosen() == Shape{1, 0});

  board.hide();
  CHECK(board.hides());
  CHECK_FALSE(board.chosen());
  board.reveal_row();
  board.reveal_row();
  CHECK(board.hides({2, 0}));
  CHECK_FALSE(board.hides({1, 0}));
  CHECK(board.choose({1, 0}));
  CHECK(board.move(Kind::down));
  CHECK(board.chosen() == Shape{1, 0});
  board.reveal_row();
  CHECK_FALSE(board.hides());
  CHECK(board.move(Kind::down));
  CHECK(board.chosen() == Shape{2, 0});

  board.set(std::make_shared<PrintedLines>("1 2 3\n"), present::ShownCells({1, 3}, {}));
  CHECK_FALSE(board.chosen());
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
  page.scroll(present::Key::Kind::end, 3, 4);
  page.keep_within(3);
  CHECK(seen(page, 3, 6) == "three|four|a long|");
  CHECK(page.place(3) == "3-5 of 5 lines  ");
  page.scroll(present::Key::Kind::right, 3, 8);
  CHECK(seen(page, 3, 8) == "ree|ur|long fiv|");
  page.to_text("TWO", 1);
  CHECK(page.row() == 1);
  page.set(nullptr, {{{"alone"}}});
  page.keep_within(3);
  CHECK(page.row() == 0);
}
