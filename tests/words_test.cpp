#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>

#include "verify/program/listed.hpp"
#include "verify/program/listing.hpp"
#include "verify/read/read_page.hpp"

namespace {

/// The value of an expression over two variables; empty if there is none.
std::string value_of(std::string_view text) {
  attn::verify::Listed listed([](std::string_view) { return std::nullopt; });
  listed.add({{}, "sentence", "'Life is short, is it'", "", false, 0, 0, ""});
  listed.add({{}, "ids", "{'a': 2, 'b': 7}", "", false, 0, 0, ""});
  return written(listed.value(text, 2, 0));
}

/// What a program's last assignment is.
std::string last_value(const std::string& program) {
  return attn::verify::find_listing(attn::verify::parse_page("page.py", program)).written.back().value;
}

}  // namespace

TEST_SUITE("words") {
  // The expected values are Python's.
  TEST_CASE("strings are split, changed and sorted") {
    CHECK(value_of("sentence.split()") == "['Life', 'is', 'short,', 'is', 'it']");
    CHECK(value_of("sentence.lower().replace(',', '').split()") == "['life', 'is', 'short', 'is', 'it']");
    CHECK(value_of("sorted(set(sentence.split()))") == "['Life', 'is', 'it', 'short,']");
    CHECK(value_of("'a-b--c'.split('-')") == "['a', 'b', '', 'c']");
    CHECK(value_of("' two  words '.split()") == "['two', 'words']");
    CHECK(value_of("'xxax'.strip('x').upper()") == "'A'");
    CHECK(value_of("sorted([10, 9, 1])") == "[1, 9, 10]");
    CHECK(value_of("list('abc')") == "['a', 'b', 'c']");
  }

  TEST_CASE("lengths") {
    CHECK(value_of("len(sentence)") == "20");
    CHECK(value_of("len(set(sentence.split()))") == "4");
    CHECK(value_of("len(ids)") == "2");
    CHECK(value_of("len({})") == "0");
  }

  TEST_CASE("a dictionary's parts") {
    CHECK(value_of("ids.keys()") == "['a', 'b']");
    CHECK(value_of("list(ids.values())") == "[2, 7]");
    CHECK(value_of("ids.items()") == "[('a', 2), ('b', 7)]");
    CHECK(value_of("ids['b']") == "7");
    CHECK(value_of("{'a': 1, 'b': 2, \"a\": 3}['a']") == "3");
    CHECK(value_of("len({'a': 1, 'a': 3})") == "1");
    CHECK(last_value("import torch\nids = {}\nids['a'] = 1\n") == "{'a': 1}");
  }

  TEST_CASE("what is unknown or has no order has no value") {
    CHECK(value_of("set(sentence.split())").empty());
    CHECK(value_of("other.split()").empty());
    CHECK(value_of("sorted(['a', b])").empty());
    CHECK(value_of("sorted(sentence.split(), key=len)").empty());
    CHECK(value_of("sentence.title()").empty());
    CHECK(value_of("'\\n'.split()").empty());
    CHECK(value_of("x.split(2, dim=1)").empty());
  }
}
