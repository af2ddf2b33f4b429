#include "verify/program/words.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using attn::verify::evaluate_words;
using attn::verify::with_entry;

namespace {

/// The value of a whole expression over two variables; empty if there is none.
std::string value_of(std::string_view text) {
  const auto found = evaluate_words(text, [](std::string_view name) {
    return std::string(name == "sentence" ? "'Life is short, is it'" : name == "ids" ? "{'a': 2, 'b': 7}" : "");
  });
  return found && found->length == text.size() ? found->value : "";
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
    CHECK(with_entry("{}", "'a'", "1") == "{'a': 1}");
    CHECK(with_entry("{'a': 1, 'b': 2}", "\"a\"", "3") == "{'a': 3, 'b': 2}");
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
