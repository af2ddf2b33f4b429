// What a walkthrough records, what fits into memory, and how steps are written as text.

#include "walk/walkthrough.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include "render/text.hpp"
#include "tensor/operations.hpp"
#include "torch/torch.hpp"
#include "unit.hpp"
#include "walk/memory.hpp"

namespace {

using namespace attn;

Tensor planned(const Shape& shape, DType dtype = DType::float32) { return leaf(shape, dtype, "x", {}); }

std::string message_of(const std::vector<Step>& steps, std::int64_t available, const std::vector<Tensor>& drawn = {}) {
  try {
    check_fits(steps, drawn, available);
  } catch (const TooLarge& error) {
    return error.what();
  }
  return "";
}

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

}  // namespace

TEST_CASE("steps that do not fit are refused with both sizes") {
  Walkthrough walk;
  const Tensor x = planned({256, 1024, 1024});
  walk.show("x", "", x);
  walk.show("y", "", divide(x, 2, "2"));
  // Both tensors, and two copies of one.
  CHECK(message_of(walk.steps(), 4 * gibibyte) == "");
  CHECK(message_of(walk.steps(), 4 * gibibyte - 1) ==
        "the tensors need 4.0 GiB of memory, but only 4.0 GiB is available");
  CHECK(message_of(walk.steps(), gibibyte / 2) == "the tensors need 4.0 GiB of memory, but only 0.5 GiB is available");
}

TEST_CASE("unshown operands count, and all steps are added") {
  Walkthrough walk;
  walk.show("y", "", sum(planned({256, 1024, 1024})));
  CHECK(message_of(walk.steps(), gibibyte) != "");
  Walkthrough two;
  two.show("x", "", planned({128, 1024, 1024}));
  two.show("y", "", planned({128, 1024, 1024}));
  CHECK(message_of(two.steps(), 2 * gibibyte) == "");
  CHECK(message_of(two.steps(), 2 * gibibyte - 1) != "");
}

TEST_CASE("a total beyond 63 bits does not wrap") {
  Walkthrough walk;
  const Shape shape = {std::int64_t{1} << 29, std::int64_t{1} << 31};
  walk.show("x", "", planned(shape));
  walk.show("y", "", planned(shape));
  walk.show("z", "", planned(shape));
  CHECK(message_of(walk.steps(), std::numeric_limits<std::int64_t>::max()).find("2^63") != std::string::npos);
}

/// Takes so many bytes and gives them back; the volatile pointer keeps a compiler from leaving both out.
void take(std::size_t bytes) {
  char* volatile taken = new char[bytes];
  delete[] taken;
}

TEST_CASE("allocation beyond the cap throws" * doctest::skip(ATTN_SANITIZERS || ATTN_EMULATED)) {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_DATA, &before) == 0);
  constexpr std::size_t half = std::size_t{1} << 29;
  cap_memory(gibibyte, 0);
  CHECK(free_memory_words() == " (1.0 GiB were free)");
  CHECK_THROWS_AS(take(3 * half), std::bad_alloc);
  CHECK_NOTHROW(take(half));
  cap_memory(gibibyte, gibibyte);
  CHECK_NOTHROW(take(3 * half));
  REQUIRE(setrlimit(RLIMIT_DATA, &before) == 0);
}
