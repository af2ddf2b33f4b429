#pragma once

#include "tensor/operations.hpp"
#include "tensor/tensor.hpp"
#include "torch/generator.hpp"

namespace attn::torch {

/// One call that drew random numbers.
struct Draw {
  Tensor leaf;                                         ///< the drawn tensor; for an nn.Parameter, its data
  std::function<Contents(Generator& generator)> make;  ///< repeats the draw at the generator's position
  std::size_t seeding = 0;                             ///< the preceding manual_seed call: an index into Draws::seeds
  std::uint64_t first = 0;                             ///< its first 32-bit word, counted from that call
  std::uint64_t count = 0;                             ///< number of words; 0 if the draw was only planned
  std::optional<Tensor> ids;                           ///< for an embedding: the rows that are kept
  std::optional<double> left_over =
      {};                   ///< the normal left over in the generator before the draw; a small normal_ uses it
  std::string module = {};  ///< for an nn.Linear's weight or bias: the variable of the module
};

/// A program's draws, in its order.
struct Draws {
  Kernels kernels;
  DropoutKernel dropout_kernel = DropoutKernel::standard;
  std::vector<Seed> seeds = {0};  ///< the initial seed, then that of each manual_seed call
  std::vector<Draw> draws = {};
};

/// The result of the same call if it begins `shift` 32-bit words later than in the program, or earlier if negative.
/// Empty if that is before the seeding.
std::optional<Tensor> redrawn(const Draw& draw, const Draws& draws, std::int64_t shift);

/// The program's draws after torch.manual_seed(seed): a leaf for each draw, the program's own for those that are not
/// wanted.
std::vector<Tensor> redrawn(const Draws& draws, Seed seed, const std::vector<bool>& wanted);

/// A tensor of the program after torch.manual_seed(seed).
Tensor redrawn(const Tensor& tensor, const Draws& draws, Seed seed);

/// nn.Linear: weight [d_out, d_in] and, if any, bias [d_out].
struct Linear {
  std::string name;
  Tensor weight;
  std::optional<Tensor> bias;

  /// [..., d_in] -> [..., d_out]
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias, name); }
};

/// nn.Embedding: a table [rows, dim].
struct Embedding {
  std::string name;
  Tensor weight;

  /// [k] -> [k, dim]
  Tensor operator()(const Tensor& ids) const { return lookup(weight, ids, name); }
};

/// The effect of nn.Dropout: the elements it kept, and the result.
struct Dropped {
  Tensor mask;
  Tensor output;
};

/// The part of PyTorch that a chapter uses: the global generator, and functions that follow one set of kernels. Each
/// call draws its random numbers, in the program's order.
class Torch {
 public:
  enum class Mode {
    compute,
    plan,  ///< nothing is drawn: tensors know their shapes but must not be asked for numbers
  };

  Torch(Kernels kernels, DropoutKernel dropout_kernel, Mode mode);

  /// torch.manual_seed; a negative seed is its two's complement.
  void manual_seed(Seed seed);

  /// torch.rand: uniform in [0, 1).
  Tensor rand(const Shape& shape);
  /// torch.randn: normal with mean 0 and standard deviation 1.
  Tensor randn(const Shape& shape);
  /// nn.Linear(d_in, d_out, bias) in the variable `name`; draws the weight, then the bias.
  Linear linear(std::int64_t d_in, std::int64_t d_out, bool bias, const std::string& name);
  /// nn.Embedding(num_embeddings, dim)(ids).detach(): [ids] -> [ids, dim].
  Tensor embedding(std::int64_t num_embeddings, std::int64_t dim, const Tensor& ids);
  /// nn.Embedding(num_embeddings, dim) in the variable `name`.
  Embedding embedding(std::int64_t num_embeddings, std::int64_t dim, const std::string& name);
  /// nn.Dropout(p)(x) in training mode; draws nothing for p = 0 and p = 1.
  Dropped dropout(const Tensor& x, double p);
  /// The draws, or in Mode::plan the draws that would be made, whether or not their numbers are used.
  const Draws& draws() const { return draws_; }

  const Kernels& kernels() const { return draws_.kernels; }

 private:
  template <class T, class Draw>
  Tensor drawn(const Shape& shape, Facts facts, std::string words, Draw draw, std::optional<Tensor> like = {});
  Fill mask_in_parts(const Shape& shape, double p);

  Generator generator_{0};
  Mode mode_;
  Draws draws_;
};

/// torch.tensor(rows): [rows, columns].
Tensor tensor(std::span<const std::vector<float>> rows, std::optional<Kernels> kernels = {});
/// torch.tensor of nested lists with this shape, row-major.
Tensor tensor(std::vector<float> values, const Shape& shape, std::optional<Kernels> kernels = {});
/// torch.tensor(ids) of int64.
Tensor tensor(const std::vector<std::int64_t>& ids, std::optional<Kernels> kernels = {});
/// torch.zeros(n, dtype=torch.int64); its items are those of the first axis of `like`.
Tensor zero_ids(const Tensor& like);
/// torch.ones(shape); a scalar if the shape is empty.
Tensor ones(const Shape& shape);
/// torch.triu(torch.ones(n, n), diagonal=1).bool(): True above the diagonal, where a token would see a later one.
Tensor causal_mask(std::int64_t n);
/// torch.triu(torch.ones(rows, columns), diagonal).bool(): True from that diagonal on, counted from the first row's
/// first column.
Tensor mask_above(std::int64_t rows, std::int64_t columns, std::int64_t diagonal);

/// (torch.arange(n) >= lengths.view(-1, 1, 1)).expand(-1, m, -1): True in the columns from each entry's length on; one
/// matrix per entry, like that of the scores [batch, m, n].
Tensor padding_mask(const std::vector<std::int64_t>& lengths, const Tensor& scores);

/// Causal and not further back than the window: True above the diagonal and from `window` places below it on.
Tensor window_mask(std::int64_t n, std::int64_t window);

/// torch.zeros(n, n): a row and a column for each token.
Tensor token_zeros(std::int64_t n);

/// torch.tril(torch.ones(n, n)): ones on and below the diagonal.
Tensor lower_triangle(std::int64_t n);

/// torch.arange(first, first + n).float().unsqueeze(1): positions of tokens as a column [n, 1]; its rows are those of
/// `like`.
Tensor positions(std::int64_t first, std::int64_t n, const Tensor& like);

/// torch.arange(first, first + n): the numbers of tokens, int64; they are those of the first axis of `like`.
Tensor token_range(std::int64_t first, std::int64_t n, const Tensor& like);

/// The base of the frequencies of positions, unless a model has its own.
inline constexpr std::int64_t frequency_base = 10'000;

/// base ** (-factor i / d) for each pair of columns i, of which the last may have but one column: computed in float64,
/// where libraries agree once rounded.
Tensor frequencies(std::int64_t base, std::int64_t d, std::int64_t factor = 2);

/// The slopes of linear biases [heads, 1, 1]: 2 ** (-8 i / heads) for i from 1 if the heads are a power of two; else
/// those of the next smaller power of two, and then every other one of the next larger. The heads are those of the
/// first axis of `like`. Formula: Press et al., "Train Short, Test Long", 2021, and the authors' get_slopes.
Tensor alibi_slopes(std::int64_t heads, const Tensor& like);

/// The factor that nn.Dropout(p) applies to kept elements, as a scalar: 1 / (1 - p), and 0 for p = 1.
Tensor dropout_scale(double p);

}  // namespace attn::torch
