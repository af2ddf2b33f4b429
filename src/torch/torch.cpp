#include "torch/torch.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "tensor/math.hpp"
#include "tensor/tensor.hpp"
#include "tensor/words.hpp"
#include "torch/generator.hpp"

namespace attn::torch {
namespace {

template <class T>
std::span<T> span_of(Block<T>& values) {
  return {values.data(), values.size()};
}

/// A dropout mask of x that needs no draws.
Tensor filled(const Tensor& x, Facts facts, const std::string& words, bool value) {
  const auto fill = [value](const Box& part) {
    auto mask = Block<bool>::unwritten(box_shape(part));
    std::fill(mask.begin(), mask.end(), value);
    return Contents(std::move(mask));
  };
  const LeafWords leaf_words(words, (value ? "np.ones(" : "np.zeros(") + tuple_text(x.shape()) + ", bool)");
  return leaf(x.shape(), DType::boolean, leaf_words, fill, x.kernels(), facts, x);
}

/// A matrix whose cells follow from their row and column.
template <class T, class Cell>
Tensor by_place(const Shape& shape, const LeafWords& words, Facts facts, Cell cell) {
  const auto fill = [cell](const Box& part) {
    auto matrix = Block<T>::unwritten(box_shape(part));
    T* out = matrix.data();
    for (std::int64_t i = part[0].begin; i < part[0].end; ++i) {
      for (std::int64_t j = part[1].begin; j < part[1].end; ++j) {
        *out++ = cell(i, j);
      }
    }
    return Contents(std::move(matrix));
  };
  return leaf(shape, std::is_same_v<T, bool> ? DType::boolean : DType::float32, words, fill, {}, facts);
}

}  // namespace

Torch::Torch(Kernels kernels, DropoutKernel dropout_kernel, Mode mode)
    : mode_(mode), draws_{.kernels = kernels, .dropout_kernel = dropout_kernel} {}

void Torch::manual_seed(Seed seed) {
  generator_.manual_seed(seed);
  draws_.seeds.push_back(seed);
}

template <class T, class Draw>
Tensor Torch::drawn(const Shape& shape, Facts facts, std::string words, Draw draw, std::optional<Tensor> like) {
  const auto make = [shape, draw = std::move(draw)](Generator& generator) {
    Block<T> values(shape);
    draw(generator, span_of(values));
    return Contents(std::move(values));
  };
  constexpr DType dtype = std::is_same_v<T, bool> ? DType::boolean : DType::float32;
  const std::uint64_t first = generator_.count();
  const std::optional<double> left_over = generator_.cached_normal();
  Fill fill;
  if (facts.kind == Kind::bernoulli && element_count(shape) > evaluation().large) {
    fill = mask_in_parts(shape, facts.p);
  } else if (mode_ == Mode::compute) {
    fill = [values = make(generator_)]() mutable { return std::move(values); };
  }
  Tensor result = leaf(shape, dtype, std::move(words), std::move(fill), kernels(), facts, std::move(like));
  draws_.draws.push_back({result, make, draws_.seeds.size() - 1, first, generator_.count() - first, {}, left_over, {}});
  return result;
}

/// Defers drawing the numbers until they are needed; the generator moves past them at once.
Fill Torch::mask_in_parts(const Shape& shape, double p) {
  const auto start = std::make_shared<Waypoints>(generator_);
  const DropoutKernel kernel = draws_.dropout_kernel;
  if (mode_ == Mode::compute) {
    generator_.discard(kernel == DropoutKernel::standard ? 2 * static_cast<std::uint64_t>(element_count(shape)) : 1);
  }
  return [start, p, kernel, strides = row_major_strides(shape)](const Box& part) {
    auto mask = Block<bool>::unwritten(box_shape(part));
    // Consecutive elements: the axes that are whole, and the last axis before them that is not.
    std::size_t axis = part.size() - 1;
    while (axis > 0 && part[axis].size() * strides[axis] == strides[axis - 1]) {
      --axis;
    }
    const Box outer(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(axis));
    const std::int64_t run = part[axis].size() * strides[axis];
    for (std::int64_t i = 0; i * run < static_cast<std::int64_t>(mask.size()); ++i) {
      const Shape index = index_at(i, box_shape(outer));
      std::int64_t first = part[axis].begin * strides[axis];
      for (std::size_t a = 0; a < axis; ++a) {
        first += (outer[a].begin + index[a]) * strides[a];
      }
      bernoulli_from(*start, static_cast<std::uint64_t>(first),
                     span_of(mask).subspan(static_cast<std::size_t>(i * run), static_cast<std::size_t>(run)), p,
                     kernel);
    }
    return Contents(std::move(mask));
  };
}

Tensor Torch::rand(const Shape& shape) {
  return drawn<float>(
      shape, {.kind = Kind::uniform}, "torch.rand(" + sizes_text(shape) + ")",
      [cpu = kernels().cpu](Generator& generator, std::span<float> out) { uniform(generator, out, 0, 1, cpu); });
}

Tensor Torch::randn(const Shape& shape) {
  return drawn<float>(
      shape, {.kind = Kind::normal}, "torch.randn(" + sizes_text(shape) + ")",
      [cpu = kernels().cpu](Generator& generator, std::span<float> out) { normal(generator, out, cpu); });
}

Linear Torch::linear(std::int64_t d_in, std::int64_t d_out, bool bias, const std::string& name) {
  const std::string module =
      "nn.Linear(" + std::to_string(d_in) + ", " + std::to_string(d_out) + (bias ? ")" : ", bias=False)");
  const auto uniform_parameter = [&](const Shape& shape, double bound, const std::string& words) {
    const auto draw = [bound, cpu = kernels().cpu](Generator& generator, std::span<float> out) {
      uniform(generator, out, -bound, bound, cpu);
    };
    const Tensor data = drawn<float>(shape, {.kind = Kind::uniform, .fan_in = d_in}, words, draw);
    draws_.draws.back().module = name;
    return parameter(data, words);
  };
  Tensor weight = uniform_parameter({d_out, d_in}, linear_weight_bound(d_in), module + ".weight");
  std::optional<Tensor> bias_or_none;
  if (bias) {
    bias_or_none = uniform_parameter({d_out}, linear_bias_bound(d_in), module + ".bias");
  }
  return {name, std::move(weight), std::move(bias_or_none)};
}

Tensor Torch::embedding(std::int64_t num_embeddings, std::int64_t dim, const Tensor& ids) {
  const Shape shape = {ids.size(0), dim};
  const std::string words =
      "nn.Embedding(" + std::to_string(num_embeddings) + ", " + std::to_string(dim) + ")(ids).detach()";
  const auto draw = [num_embeddings, dim, ids, cpu = kernels().cpu](Generator& generator, std::span<float> out) {
    const auto contents = ids.array().contents();
    const auto& rows = std::get<Block<std::int64_t>>(*contents);
    normal_rows(generator, num_embeddings, dim, {rows.data(), rows.size()}, out, cpu);
  };
  Tensor result = drawn<float>(shape, {.kind = Kind::embedding, .rows = num_embeddings}, words, draw);
  draws_.draws.back().ids = ids;
  return result;
}

Embedding Torch::embedding(std::int64_t num_embeddings, std::int64_t dim, const std::string& name) {
  const std::string words = "nn.Embedding(" + std::to_string(num_embeddings) + ", " + std::to_string(dim) + ").weight";
  const Tensor data =
      drawn<float>({num_embeddings, dim}, {.kind = Kind::normal}, words,
                   [cpu = kernels().cpu](Generator& generator, std::span<float> out) { normal(generator, out, cpu); });
  draws_.draws.back().module = name;
  return {name, parameter(data, words)};
}

Dropped Torch::dropout(const Tensor& x, double p) {
  const std::string keep = python_repr(1 - p);
  const std::string words =
      "torch.empty_like(" + (x.name().empty() ? "x" : x.name()) + ").bernoulli_(" + keep + ").bool()";
  const Facts facts = {.kind = Kind::bernoulli, .p = 1 - p};
  const auto draw = [p, kernel = draws_.dropout_kernel](Generator& generator, std::span<bool> out) {
    bernoulli(generator, out, 1 - p, kernel);
  };
  Tensor mask = p == 0 || p == 1 ? filled(x, facts, words, p == 0) : drawn<bool>(x.shape(), facts, words, draw, x);
  Tensor output = attn::dropout(x, mask, p);
  return {std::move(mask), std::move(output)};
}

Tensor tensor(std::span<const std::vector<float>> rows, std::optional<Kernels> kernels) {
  const Shape shape = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())};
  std::vector<float> values;
  for (const std::vector<float>& row : rows) {
    values.insert(values.end(), row.begin(), row.end());
  }
  return tensor(std::move(values), shape, kernels);
}

Tensor tensor(std::vector<float> values, const Shape& shape, std::optional<Kernels> kernels) {
  const std::size_t axes = shape.size();
  const std::string words = "torch.tensor(" + std::string(axes, '[') + "..." + std::string(axes, ']') + ")";
  const auto fill = [shape, values = std::move(values)] {
    Block<float> contents(shape);
    std::copy(values.begin(), values.end(), contents.begin());
    return Contents(std::move(contents));
  };
  return leaf(shape, DType::float32, words, fill, kernels);
}

Tensor tensor(const std::vector<std::int64_t>& ids, std::optional<Kernels> kernels) {
  const Shape shape = {static_cast<std::int64_t>(ids.size())};
  const auto fill = [shape, ids] {
    Block<std::int64_t> contents(shape);
    std::copy(ids.begin(), ids.end(), contents.begin());
    return Contents(std::move(contents));
  };
  return leaf(shape, DType::int64, "torch.tensor(" + shape_text(ids) + ")", fill, kernels);
}

Tensor zero_ids(const Tensor& like) {
  const std::string n = std::to_string(like.size(0));
  const LeafWords words("torch.zeros(" + n + ", dtype=torch.int64)", "np.zeros(" + n + ", np.int64)");
  const auto fill = [n = like.size(0)] { return Contents(Block<std::int64_t>(Shape{n})); };
  return leaf({like.size(0)}, DType::int64, words, fill, {}, {.kind = Kind::given}, like);
}

Tensor ones(const Shape& shape) {
  const std::string sizes = shape.empty() ? "()" : sizes_text(shape);
  const LeafWords words("torch.ones(" + sizes + ")", "np.ones(" + tuple_text(shape) + ", np.float32)");
  return leaf(shape, DType::float32, words, [shape] {
    Block<float> values(shape);
    std::fill(values.begin(), values.end(), 1.0F);
    return Contents(std::move(values));
  });
}

Tensor causal_mask(std::int64_t n) { return mask_above(n, n, 1); }

Tensor mask_above(std::int64_t rows, std::int64_t columns, std::int64_t diagonal) {
  const std::string sizes = sizes_text({rows, columns});
  const LeafWords words("torch.triu(torch.ones(" + sizes + "), diagonal=" + std::to_string(diagonal) + ").bool()",
                        "np.triu(np.ones((" + sizes + "), bool), k=" + std::to_string(diagonal) + ")");
  return by_place<bool>({rows, columns}, words, {.kind = Kind::given, .is_by_tokens = rows == columns},
                        [diagonal](std::int64_t i, std::int64_t j) { return j >= i + diagonal; });
}

Tensor window_mask(std::int64_t n, std::int64_t window) {
  const std::string sizes = sizes_text({n, n});
  const std::string below = std::to_string(-window);
  const LeafWords words(
      "torch.triu(torch.ones(" + sizes + "), diagonal=1).bool() | torch.tril(torch.ones(" + sizes +
          "), diagonal=" + below + ").bool()",
      "np.triu(np.ones((" + sizes + "), bool), k=1) | np.tril(np.ones((" + sizes + "), bool), k=" + below + ")");
  return by_place<bool>({n, n}, words, {.kind = Kind::given, .window = window, .is_by_tokens = true},
                        [window](std::int64_t i, std::int64_t j) { return j > i || j <= i - window; });
}

Tensor padding_mask(const std::vector<std::int64_t>& lengths, const Tensor& scores) {
  const Shape& shape = scores.shape();
  const std::string from = "arange(" + std::to_string(shape[2]) + ") >= ";
  const LeafWords words(
      "(torch." + from + "torch.tensor(" + shape_text(lengths) + ").view(-1, 1, 1)).expand(" + sizes_text(shape) + ")",
      "np.broadcast_to(np." + from + "np.array(" + shape_text(lengths) + ").reshape(-1, 1, 1), " + tuple_text(shape) +
          ")");
  const auto fill = [shape, lengths] {
    Block<bool> mask(shape);
    const std::int64_t size = shape[1] * shape[2];
    for (std::size_t i = 0; i < mask.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      mask[i] = place % shape[2] >= lengths[static_cast<std::size_t>(place / size)];
    }
    return Contents(std::move(mask));
  };
  return leaf(shape, DType::boolean, words, fill, {}, {.kind = Kind::given}, scores);
}

Tensor positions(std::int64_t first, std::int64_t n, const Tensor& like) {
  const std::string range = (first == 0 ? "" : std::to_string(first) + ".0, ") + std::to_string(first + n) + ".0";
  const LeafWords words("torch.arange(" + range + ").unsqueeze(1)",
                        "np.arange(" + range + ", dtype=np.float32)[:, None]");
  const auto fill = [first](const Box& part) {
    Block<float> values(box_shape(part));
    std::iota(values.begin(), values.end(), static_cast<float>(first + part[0].begin));
    return Contents(std::move(values));
  };
  return leaf({n, 1}, DType::float32, words, fill, like.kernels(), {.kind = Kind::given}, like);
}

Tensor token_range(std::int64_t first, std::int64_t n, const Tensor& like) {
  const std::string call =
      "arange(" + (first == 0 ? "" : std::to_string(first) + ", ") + std::to_string(first + n) + ")";
  const auto fill = [first, n] {
    Block<std::int64_t> values(Shape{n});
    std::iota(values.begin(), values.end(), first);
    return Contents(std::move(values));
  };
  return leaf({n}, DType::int64, LeafWords("torch." + call, "np." + call), fill, {}, {.kind = Kind::given}, like);
}

Tensor frequencies(std::int64_t base, std::int64_t d, std::int64_t factor) {
  const std::int64_t count = (d + 1) / 2;
  const std::string list = "([" + std::to_string(base) + " ** (-" + std::to_string(factor) + " * i / " +
                           std::to_string(d) + ") for i in range(" + std::to_string(count) + ")]";
  const LeafWords words("torch.tensor" + list + ")", "np.array" + list + ", dtype=np.float32)");
  const auto fill = [base, d, factor, count] {
    Block<float> values({count});
    for (std::int64_t i = 0; i < count; ++i) {
      const double power = static_cast<double>(-factor * i) / static_cast<double>(d);
      values[static_cast<std::size_t>(i)] = static_cast<float>(rounded::pow(static_cast<double>(base), power));
    }
    return Contents(std::move(values));
  };
  return leaf({count}, DType::float32, words, fill);
}

Tensor alibi_slopes(std::int64_t heads, const Tensor& like) {
  const auto smaller = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const std::int64_t more = heads - smaller;
  const auto list = [](const std::string& exponent, std::int64_t first, std::int64_t count) {
    return "[2 ** (-8 * " + exponent + ") for i in range(" + std::to_string(first) + ", " +
           std::to_string(first + count) + ")]";
  };
  const std::string numbers = list("i / " + std::to_string(smaller), 1, smaller) +
                              (more == 0 ? "" : " + " + list("(2 * i + 1) / " + std::to_string(2 * smaller), 0, more));
  const LeafWords words("torch.tensor(" + numbers + ").view(-1, 1, 1)",
                        "np.array(" + numbers + ", np.float32).reshape(-1, 1, 1)");
  const auto fill = [heads, smaller] {
    Block<float> slopes({heads, 1, 1});
    for (std::int64_t i = 0; i < heads; ++i) {
      const auto part = i < smaller ? static_cast<double>(i + 1) / static_cast<double>(smaller)
                                    : static_cast<double>(2 * (i - smaller) + 1) / static_cast<double>(2 * smaller);
      slopes[static_cast<std::size_t>(i)] = static_cast<float>(rounded::pow(2, -8 * part));
    }
    return Contents(std::move(slopes));
  };
  return leaf({heads, 1, 1}, DType::float32, words, fill, {}, {.kind = Kind::given}, like);
}

Tensor token_zeros(std::int64_t n) {
  const std::string sizes = sizes_text({n, n});
  const LeafWords words("torch.zeros(" + sizes + ")", "np.zeros((" + sizes + "), np.float32)");
  return by_place<float>({n, n}, words, {.kind = Kind::given, .is_by_tokens = true},
                         [](std::int64_t, std::int64_t) { return 0.0F; });
}

Tensor lower_triangle(std::int64_t n) {
  const std::string sizes = sizes_text({n, n});
  const LeafWords words("torch.tril(torch.ones(" + sizes + "))", "np.tril(np.ones((" + sizes + "), np.float32))");
  return by_place<float>({n, n}, words, {.kind = Kind::given, .is_by_tokens = true},
                         [](std::int64_t i, std::int64_t j) { return j <= i ? 1.0F : 0.0F; });
}

Tensor dropout_scale(double p) {
  if (p == 1) {
    const LeafWords words("torch.zeros(())", "np.zeros((), np.float32)");
    return leaf({}, DType::float32, words, [] { return Contents(Block<float>(Shape{})); });
  }
  return divide(ones({}), 1 - p, "(1 - " + python_repr(p) + ")");
}

}  // namespace attn::torch
