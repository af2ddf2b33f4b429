// Long texts as lines, and which of them are seen.

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "present/printed_lines.hpp"
#include "present/scrolled.hpp"
#include "text/styled.hpp"

namespace {

using namespace attn;
using present::PrintedLines;

std::string seen(const present::ScrolledLines& page, std::int64_t rows, std::int64_t columns) {
  std::string all;
  for (const text::StyledLine& line : page.seen(rows, columns)) {
    all += text::plain_text(line) + "|";
  }
  return all;
}

}  // namespace

TEST_CASE("parts of a text are marked on their lines") {
  const PrintedLines lines("a 12 b\n\n34\n", {{2, 2}, {8, 2}});
  REQUIRE(lines.count() == 3);
  CHECK(text::with_escapes(lines.styled(0)) == "a \x1b[7m12\x1b[0m b");
  CHECK(text::with_escapes(lines.styled(1)).empty());
  CHECK(text::with_escapes(lines.styled(2)) == "\x1b[7m34\x1b[0m");
  CHECK(lines.plain(2) == "34");
  CHECK(PrintedLines("").count() == 0);
  CHECK(PrintedLines("\n").count() == 1);
}

TEST_CASE("printed lines come before the others, and both are scrolled as one page") {
  present::ScrolledLines page;
  page.set(std::make_shared<PrintedLines>("one\ntwo\nthree\n"), {{{"four"}}, {{"a long five"}}});
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
