#include "heads.hpp"

#include <numeric>
#include <set>
#include <string>

#include "walk/lesson.hpp"

namespace attn::chapters {

namespace {

/// "1, 2, 3, 6"
std::string divisors_of(std::int64_t number) {
  std::set<std::int64_t> divisors;
  for (std::int64_t divisor = 1; divisor <= number / divisor; ++divisor) {
    if (number % divisor == 0) {
      divisors.insert({divisor, number / divisor});
    }
  }
  std::string list;
  for (const std::int64_t divisor : divisors) {
    list += (list.empty() ? "" : ", ") + std::to_string(divisor);
  }
  return list;
}

}  // namespace

void check_heads_divide(std::int64_t num_heads, std::int64_t d_out_kq, std::int64_t d_out_v) {
  const std::int64_t shared = std::gcd(d_out_kq, d_out_v);
  if (shared % num_heads == 0) {
    return;
  }
  const std::string d_out = d_out_kq == d_out_v
                                ? "d_out " + std::to_string(d_out_v)
                                : "d_out_kq " + std::to_string(d_out_kq) + " and d_out_v " + std::to_string(d_out_v);
  throw LessonError("--num-heads " + std::to_string(num_heads) + " does not divide " + d_out + "; use one of " +
                    divisors_of(shared) + "; or choose another --d-out");
}

void check_groups(std::int64_t num_heads, std::int64_t num_kv_heads) {
  if (num_heads % num_kv_heads != 0) {
    throw LessonError("--num-kv-heads " + std::to_string(num_kv_heads) + " does not divide num_heads " +
                      std::to_string(num_heads) + "; use one of " + divisors_of(num_heads) +
                      "; or choose another --num-heads");
  }
}

void check_heads_listable(std::int64_t num_heads) {
  constexpr std::int64_t most = 10'000;
  if (num_heads > most) {
    throw LessonError("--num-heads " + std::to_string(num_heads) + " is too many: each head has its own steps" +
                      "; use one of up to " + std::to_string(most) + "; try --num-heads 4");
  }
}

Tensor split(const Tensor& x, std::int64_t num_heads) {
  return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

Tensor join(const Tensor& x) { return view(contiguous(x), {x.size(0), x.size(1), x.size(2) * x.size(3)}); }

}  // namespace attn::chapters
