#include "verify/read/read_page.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

using attn::verify::Page;
using attn::verify::PageError;
using attn::verify::parse_page;
using attn::verify::read_page;
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

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

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

TEST_CASE("bytes that are no UTF-8 are Latin-1") {
  CHECK(text_of("1\xa0"
                "-2 \xe9 3 enough text around it") == "1 -2 \xc3\xa9 3 enough text around it");
  CHECK(text_of("a long enough line, \xe2\x88") == "a long enough line, \xc3\xa2");
}

TEST_CASE("UTF-16 is read where it begins with its mark") {
  CHECK(text_of("\xff\xfe"
                "1\0\n\0\x12\x22"
                "2\0\x3d\xd8\x00\xde"sv) == "1\n-2\xf0\x9f\x98\x80");
  CHECK(text_of("\xfe\xff\0"
                "1\0"sv) == "1");
}

TEST_CASE("a terminal's log has its words") {
  CHECK(text_of("\x1b[1;31m0.5\x1b[0m\n") == "0.5\n");
  CHECK(text_of("\x1b]0;title\a1\n\x1b(B2\x1b") == "1\n2");
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
  CHECK(html("<SCRIPT>1</Script >2") == "2");
  CHECK(html("<a title=\"a > b\" href='x'>1</a>") == "1");
  CHECK(html("<my-tag>1</my-tag><AddBackward0> 2 < 3") == "1<AddBackward0> 2 < 3");
  CHECK(html("<span class=\"x ln\">12</span>0.5<td class=linenos><pre>1\n2</pre></td>") == "0.5  ");
  CHECK(html("<span id=\"x\" class='ln'>12</span>0.5") == "0.5");
  CHECK(html("<span data-class=\"ln\">1</span><td xclass=ln title='a-class=ln'>2") == "1 2");
  CHECK(html("<script>1") == "1");
  CHECK(html("<!-- 1") == "<!-- 1");
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

TEST_CASE("a notebook is what its cells printed") {
  const Page page = parse_page("x.ipynb", R"({"nbformat": 4, "cells": [
    {"cell_type": "markdown", "source": ["9"]},
    {"cell_type": "code", "source": "8", "outputs": [
      {"output_type": "stream", "text": ["1\n", "2\n"]},
      {"output_type": "execute_result", "data": {"text/plain": ["3\n", "4"], "text/html": "7"}},
      {"output_type": "display_data", "data": {"text/plain": "5"}},
      {"output_type": "error", "traceback": ["6"]}]},
    {"cell_type": "code", "outputs": [{"text": "last"}]}]})");
  CHECK(page.text() == "1\n2\n3\n4\n5\nlast\n");
  CHECK(page.place(page.text().find('5')).line == 5);
  CHECK(page.place(page.text().find('5')).cell == 2);
  CHECK(page.place(page.text().find("last")).line == 1);
  CHECK(page.place(page.text().find("last")).cell == 3);
}

TEST_CASE("a notebook is known by its content") {
  CHECK(text_of(R"( {"cells": [{"outputs": [{"text": ["1"]}]}], "nbformat": 4})", "-") == "1\n");
  CHECK(text_of(R"({"cells": [1, {"outputs": 2}, {"outputs": [3, {"data": 4}, {"text": {}}]}]})", "x.ipynb").empty());
}

TEST_CASE("what cannot be read ends in one clear line") {
  CHECK(has(error_of("x", ""), "'x' is empty; accepted are plain text"));
  CHECK(has(error_of("-", ""), "'standard input' is empty"));
  CHECK(has(error_of("x", "1\0002"sv), "'x' is not text"));
  CHECK(has(error_of("x",
                     "\x80\x81\x01\x02"
                     "ab"),
            "'x' is not text"));
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
