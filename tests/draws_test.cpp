#include "verify/program/numpy_generator.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace attn::verify {

TEST_SUITE("draws") {
  // The numbers are numpy 1.24's.
  TEST_CASE("numpy's legacy generator draws as numpy does") {
    NumpyGenerator zero(0);
    for (const double expected : {0.5488135039273248, 0.7151893663724195, 0.6027633760716439}) {
      CHECK(zero.uniform() == expected);
    }
    NumpyGenerator normals(42);
    for (const double expected : {0.4967141530112327, -0.13826430117118466, 0.6476885381006925}) {
      CHECK(normals.normal() == expected);
    }
    CHECK(normals.uniform() == 0.15601864044243652);
    CHECK(normals.normal() == 1.5230298564080254);  // left over by the third
    NumpyGenerator whole(3);
    for (const std::uint32_t expected : {24U, 3U, 56U, 72U, 0U, 21U}) {
      CHECK(whole.integer(99) == expected);
    }
    CHECK(whole.integer(0) == 0);  // draws nothing
    for (const std::uint32_t expected : {5U, 3U, 2U, 3U}) {
      CHECK(whole.integer(7) == expected);
    }
    CHECK(NumpyGenerator(4'294'967'295U).uniform() == 0.0976320289940138);
  }
}

}  // namespace attn::verify
