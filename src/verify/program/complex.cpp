#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "tensor/operations.hpp"
#include "verify/program/value_parts.hpp"
#include "verify/read/pieces.hpp"

/// Complex tensors, as rotary position embeddings are often written: a real and an imaginary part.
namespace attn::verify {
namespace {

Value complex_of(Value real, Value imaginary) {
  return real.tensor && imaginary.tensor
             ? Value{.kind = Value::Kind::complex, .items = {std::move(real), std::move(imaginary)}}
             : Value{};
}

/// x[..., 0] and x[..., 1]
Value from_pairs(const Tensor& x) {
  return x.dim() > 0 && x.size(-1) == 2
             ? complex_of(value_of(index(x, 0, x.dim() - 1)), value_of(index(x, 1, x.dim() - 1)))
             : Value{};
}

Value from_angles(const Value& size, const Value& angle) {
  const auto part = [&](std::string_view function) { return combined("*", size, call_of(function, {{angle}, {}})); };
  return complex_of(part("cos"), part("sin"));
}

}  // namespace

Value as_pairs(const Value& x) {
  const Value last = value_of(-1);
  return call_of("stack", {{{.items = x.items}, last}, {}});
}

Value complex_product(const Value& a, const Value& b) {
  if (a.kind != b.kind) {
    const bool is_left = a.kind == Value::Kind::complex;
    const Value& x = is_left ? a : b;
    return complex_of(combined("*", x.items[0], is_left ? b : a), combined("*", x.items[1], is_left ? b : a));
  }
  const auto times = [&](std::size_t i, std::size_t k) { return combined("*", a.items[i], b.items[k]); };
  return complex_of(combined("-", times(0, 0), times(1, 1)), combined("+", times(0, 1), times(1, 0)));
}

Value made_complex(std::string_view function, const Passed& given) {
  const Value first = given.get("input", 0);
  if (function == "view_as_complex") {
    return first.tensor ? from_pairs(*first.tensor) : Value{};
  }
  return function == "polar" ? from_angles(first, given.get("angle", 1)) : complex_of(first, given.get("imag", 1));
}

Value called_on_complex(std::string_view function, const Passed& given) {
  const Value& x = given.plain[0];
  const auto part = [&](std::size_t k) {
    Passed of = given;
    of.plain[0] = x.items[k];
    return call_of(function, of);
  };
  if (function == "view_as_real") {
    return as_pairs(x);
  }
  if (function == "real" || function == "imag") {
    return x.items[function == "real" ? 0 : 1];
  }
  if (function == "conj") {
    return complex_of(x.items[0], negated(x.items[1]));
  }
  if (function == "mul" || function == "multiply") {
    return complex_product(x, given.get("other", 1));
  }
  if (is_among(function, "shape size dim ndim len")) {
    return part(0);
  }
  constexpr std::string_view moves =
      "clone contiguous detach expand flatten permute repeat repeat_interleave reshape squeeze to"
      " transpose unsqueeze view";
  return is_among(function, moves) ? complex_of(part(0), part(1)) : Value{};
}

Value part_of_complex(const Value& x, std::span<const Subscript> subscripts) {
  return complex_of(subscripted(x.items[0], subscripts), subscripted(x.items[1], subscripts));
}

}  // namespace attn::verify
