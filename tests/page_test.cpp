#include "verify/page/page.hpp"

#include "unit.hpp"

namespace {

using attn::test::has;
using attn::verify::find_zones;
using attn::verify::Page;
using attn::verify::PageError;
using attn::verify::parse_page;
using attn::verify::read_page;
using attn::verify::Zone;
using namespace std::string_view_literals;

std::string text_of(std::string_view bytes, const std::string& name = "page.md") {
  return parse_page(name, bytes).text();
}

/// The line of the file on which a word of the page's text stands.
std::size_t line_of(const Page& page, std::string_view word) {
  const std::size_t offset = page.text().find(word);
  REQUIRE(offset != std::string::npos);
  return page.place(offset).line;
}

std::string error_of(const std::string& name, std::string_view bytes) {
  try {
    parse_page(name, bytes);
  } catch (const PageError& error) {
    return error.what();
  }
  return "";
}

/// The zone of the one X on a page.
Zone zone_of_x(std::string_view text, const std::string& name = "page.md") {
  const Page page = parse_page(name, text);
  return find_zones(page).at(page.text().find('X'));
}

}  // namespace

TEST_CASE("a page's characters are those that programs print") {
  CHECK(text_of("\xef\xbb\xbf"
                "1\r\n2\r\n") == "1\n2\n");
  CHECK(text_of("[\xe2\x88\x92"
                "0.5,\xc2\xa0\xe2\x80\x93"
                "2]") == "[-0.5, -2]");
  CHECK(text_of("0.\xe2\x80\x8b"
                "25,\xe2\x80\x89\xe2\x80\xa6\xef\xbb\xbf") == "0.25, ...");
  CHECK(text_of("\xe2\x80\x9c"
                "1\xe2\x80\x9d \xe2\x80\x98"
                "2\xe2\x80\x99") == "\"1\" '2'");
  CHECK(text_of("\xc3\xa9\xf0\x9f\x98\x80") == "\xc3\xa9\xf0\x9f\x98\x80");
}

TEST_CASE("bytes that are no UTF-8 are code page 1252") {
  CHECK(text_of("[\x96"
                "0.5, \x85, 0.25], \x93right\x94, as it\x92s printed") ==
        "[-0.5, ..., 0.25], \"right\", as it's printed");
  CHECK(text_of("1\xa0"
                "-2 \xe9 3 enough text around it") == "1 -2 \xc3\xa9 3 enough text around it");
  CHECK(text_of("a long enough line, \xe2\x88") == "a long enough line, \xc3\xa2");
}

TEST_CASE("UTF-16 is read where it begins with its mark") {
  CHECK(text_of("\xff\xfe"
                "1\0\n\0\x12\x22"
                "2\0\x3d\xd8\x00\xde"sv) == "1\n-2");
  CHECK(text_of("\xfe\xff\0"
                "1\0"sv) == "1");
}

TEST_CASE("a terminal's log has its words") {
  CHECK(text_of("\x1b[1;31m0.5\x1b[0m\n") == "0.5\n");
  CHECK(text_of("10%\r20%\r100%\n") == "10%\n20%\n100%\n");
  CHECK(text_of("1\x1b[2K2\b\n") == "12\n");
  CHECK(text_of("1\r\r\n2\n") == "1\n2\n");
  CHECK(text_of("1\r2\r3") == "1\n2\n3");
}

TEST_CASE("entities are decoded in every text, once") {
  CHECK(text_of("&lt;X&gt;&nbsp;&#8722;&#x2212;&minus;1&hellip;&amp;lt;") == "<X> ---1...&lt;");
  CHECK(text_of("a & b &unknown; &#; &#xD800; &#99999999999;") == "a & b &unknown; &#; &#xD800; &#99999999999;");
}

TEST_CASE("HTML is read as a browser shows it") {
  const auto html = [](std::string_view bytes) { return text_of(bytes, "page.HTML"); };
  CHECK(html("<pre>0.<span class=\"m\">25</span></pre>") == "0.25\n");
  CHECK(html("1<br>2<br/>3<p>4</p>5") == "1\n2\n3\n4\n5");
  CHECK(html("1<script>if (a < b) '</p>'</script><style>x</style>2<!-- 3 -->4") == "124");
  CHECK(html("<SCRIPT>1</SCRIPT >2") == "2");
  CHECK(html("<my-tag>1</my-tag><AddBackward0> 2 < 3") == "1<AddBackward0> 2 < 3");
  CHECK(html("<script>1").empty());
  CHECK(html("<!-- 1").empty());
  CHECK(html("<a href=\"1>2") == "2");
}

TEST_CASE("HTML is known by its content too, and its tags in every text") {
  CHECK(text_of("\n<!DOCTYPE html><title>x</title><script>1</script>2", "-") == "\nx\n2");
  CHECK(text_of("1<br>2 <b>3</b> <b and\n4>", "-") == "1\n2 3 <b and\n4>");
}

TEST_CASE("a page knows the lines of its file") {
  const Page text = parse_page("log", "one\r\ntwo\n\nfour\rFOUR\nfive");
  CHECK(line_of(text, "one") == 1);
  CHECK(line_of(text, "two") == 2);
  CHECK(line_of(text, "FOUR") == 4);
  CHECK(line_of(text, "five") == 5);
  const Page html = parse_page("x.htm", "<a\nb>two</a><script>\n\n</script>four<br>also<!--\n-->five\n<p>six");
  CHECK(line_of(html, "two") == 2);
  CHECK(line_of(html, "four") == 4);
  CHECK(line_of(html, "also") == 4);
  CHECK(line_of(html, "five") == 5);
  CHECK(line_of(html, "six") == 6);
}

TEST_CASE("every word knows its line, whatever ends the lines") {
  const std::vector<std::string> ends = {"\n",   "\n",     "\n",   "\f",   "<!--\n\n-->",
                                         "\f\f", "\n\n\n", "\r\n", "<br>", "\v\n"};
  std::string page;
  std::vector<std::size_t> lines;
  std::size_t line = 1;
  for (std::size_t word = 0; word < 2'000; ++word) {
    const std::string& end = ends[word * word % 17 % ends.size()];
    const std::string padding(word % 5 == 0 ? word % 90 : 0, 'x');
    page += padding + "word" + std::to_string(word) + "." + end;
    lines.push_back(line);
    line += static_cast<std::size_t>(std::count(end.begin(), end.end(), '\n'));
  }
  const Page read = parse_page("page.md", page);
  for (std::size_t word = 0; word < lines.size(); ++word) {
    CHECK(line_of(read, "word" + std::to_string(word) + ".") == lines[word]);
  }
}

TEST_CASE("a notebook is its Markdown and what its cells printed") {
  const Page page = parse_page("x.ipynb", R"({"nbformat": 4, "cells": [
    {"cell_type": "markdown", "source": ["9"]},
    {"cell_type": "code", "source": "8", "outputs": [
      {"output_type": "stream", "text": ["1\n", "2\n"]},
      {"output_type": "execute_result", "data": {"text/plain": ["3\n", "4"], "text/html": "7"}},
      {"output_type": "display_data", "data": {"text/plain": "5"}},
      {"output_type": "error", "traceback": ["6"]}]},
    {"cell_type": "code", "outputs": [{"text": "last"}]}]})");
  CHECK(page.text() == "9\n1\n2\n3\n4\n5\nlast\n");
  CHECK(page.listing().text() == "9\n8\n");
  CHECK(page.place(0).is_markdown);
  CHECK(page.place(0).number == 1);
  CHECK(page.place(page.text().find('5')).line == 5);
  CHECK(page.place(page.text().find('5')).cell == 2);
  CHECK(page.place(page.text().find("last")).line == 1);
  CHECK(page.place(page.text().find("last")).cell == 3);
}

TEST_CASE("a notebook is known by its content") {
  CHECK(text_of(R"( {"cells": [{"outputs": [{"text": ["1"]}]}], "nbformat": 4})", "-") == "1\n");
  CHECK(text_of(R"({"cells": [1, {"outputs": 2}, {"outputs": [3, {"data": 4}, {"text": {}}]}]})", "x.ipynb").empty());
}

TEST_CASE("parts of no use are left out, however large") {
  const std::string many = "[" + std::string(100'000, '[') + std::string(100'000, ']') + "]";
  CHECK(text_of(R"({"metadata": )" + many +
                    R"(, "cells": [1, [{"source": "9"}], {"metadata": {"cells": [{"outputs": [{"text": "8"}]}]},
    "outputs": [{"data": {"image/png": "7", "text/plain": ["1\n", "2"]}}]}]})",
                "x.ipynb") == "1\n2\n");
}

TEST_CASE("what cannot be read ends in one clear line") {
  CHECK(has(error_of("x", ""), "'x' is empty; accepted are plain text"));
  CHECK(has(error_of("-", ""), "'standard input' is empty"));
  CHECK(has(error_of("x", "1\0002"sv), "'x' is not text"));
  CHECK(has(error_of("x.ipynb", "{\"cells\": ["), "'x.ipynb' is no Jupyter notebook that can be read (its JSON"));
  CHECK(has(error_of("x.ipynb", "[]"), "it has no cells"));
  CHECK(has(error_of("x.ipynb", "{\"cells\": [{\"outputs\": [{\"text\": \"1 \xff\"}]}]}"), "damaged at byte 37"));
  CHECK(error_of("x.ipynb", "{\"cells\": [").find('\n') == std::string::npos);
  CHECK_THROWS_WITH_AS(read_page("/"), doctest::Contains("'/' is a folder"), PageError);
  CHECK_THROWS_WITH_AS(read_page("/no/such"), doctest::Contains("cannot be read (No such file"), PageError);
}

TEST_CASE("a notebook that is nested without end is an error, not a crash") {
  CHECK(has(error_of("x.ipynb", "{\"cells\": " + std::string(1'000'000, '[')), "JSON"));
}

TEST_CASE("listings, outputs and prose are distinguished") {
  CHECK(zone_of_x("Some X") == Zone::prose);
  CHECK(zone_of_x("```\nX\n```\n") == Zone::output);
  CHECK(zone_of_x("```python\nX\n```\n") == Zone::code);
  CHECK(zone_of_x("```\nimport torch\nX\n```\n") == Zone::code);
  CHECK(zone_of_x("```json\nX\n```\n") == Zone::prose);
  CHECK(zone_of_x("```\na\n```\nX\n```\nb\n```\n") == Zone::prose);
  CHECK(zone_of_x("> ```\n> X\n> ```\n") == Zone::output);
  CHECK(zone_of_x("~~~~\n```\nX\n~~~~\n") == Zone::output);
  CHECK(zone_of_x("Text\n\n    X\n") == Zone::output);
  CHECK(zone_of_x("Text\n    X\n") == Zone::prose);
  CHECK(zone_of_x("```python\na = 1 # X\n```\n") == Zone::comment);
  CHECK(zone_of_x("```python\na = '#X'\n```\n") == Zone::code);
  CHECK(zone_of_x("```python\n>>> a\nX\n```\n") == Zone::output);
  CHECK(zone_of_x("```python\n>>> f(a,\n... X)\n```\n") == Zone::code);
  CHECK(zone_of_x("```python\n\"\"\"\nX\n\"\"\"\n```\n") == Zone::comment);
  CHECK(zone_of_x("```python\n\"\"\"\na\n\"\"\"\nX\n```\n") == Zone::code);
  CHECK(zone_of_x("```python\nprint(a)\n[1, X]\n```\n") == Zone::output);
  CHECK(zone_of_x("```python\nf(a,\n[1, X])\n```\n") == Zone::code);
  CHECK(zone_of_x("X", "a.txt") == Zone::output);
  CHECK(zone_of_x("import torch\nX", "a.txt") == Zone::code);
  CHECK(zone_of_x("X", "a.py") == Zone::code);
  CHECK(zone_of_x("<p>X</p>", "a.html") == Zone::prose);
  CHECK(zone_of_x("<p>a</p><pre>X</pre>", "a.html") == Zone::output);
  CHECK(zone_of_x("<pre>a</pre>X", "a.html") == Zone::prose);
  CHECK(zone_of_x(R"({"cells": [{"source": "a", "outputs": [{"text": "X"}]}], "nbformat": 4})", "a.ipynb") ==
        Zone::output);
  CHECK(zone_of_x(R"({"cells": [{"cell_type": "markdown", "source": "a X"}]})", "a.ipynb") == Zone::prose);
  CHECK(zone_of_x(R"({"cells": [{"cell_type": "markdown", "source": "```\nX\n```"}]})", "a.ipynb") == Zone::output);
  CHECK(zone_of_x("In [3]: x\nX\n", "a.txt") == Zone::output);
  CHECK(zone_of_x("```python\nprint(\"#\", a)\nX\n```\n") == Zone::code);
}
