#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tensor/kernels.hpp"
#include "verify/attention/rules.hpp"
#include "verify/explain/finding.hpp"
#include "verify/observed/agree.hpp"
#include "verify/page/page.hpp"
#include "verify/page/printed.hpp"
#include "verify/program/ran.hpp"

namespace attn::verify {

/// The kernels that a page's program may have run with, the likeliest first; one each that is given is not varied.
std::vector<RunWith> kernels_to_try(std::optional<Cpu> cpu, std::optional<Blas> blas,
                                    std::optional<DropoutKernel> dropout_kernel);

/// A page's program beside what the page prints.
class PageProgram {
 public:
  /// No program.
  PageProgram() = default;
  /// Runs the page's program with each of the kernels until one agrees with all that the page prints, and keeps the one
  /// that agrees with most.
  PageProgram(const Page& page, std::span<const Printed> printed, std::span<const RunWith> kernels);

  /// The numbers of a printed tensor; none of a size or of rows that differ in length.
  const std::optional<Observed>& shown(std::size_t i) const { return shown_[i]; }
  const Ran& ran() const { return ran_; }
  /// The rules of attention that the program breaks.
  const std::vector<Fault>& faults() const { return faults_; }
  /// The print that shows a printed thing; null if none is known to.
  const ProgramPrint* at(std::size_t i) const {
    return i < shows_.size() && shows_[i].print ? &ran_.prints[*shows_[i].print] : nullptr;
  }
  /// Returns true if its label, its numbers or the number of prints in its cell exclude another print.
  bool is_certain(std::size_t i) const { return shows_[i].is_certain; }

 private:
  /// The print that shows a printed thing.
  struct Shows {
    std::optional<std::size_t> print = {};
    bool is_certain = false;
    bool agrees = false;
  };
  friend class Aligner;

  Ran ran_;
  std::vector<std::optional<Observed>> shown_;
  std::vector<Fault> faults_;
  std::vector<Shows> shows_;
};

/// What a page's program says of a printed tensor.
struct Said {
  enum class Kind {
    nothing,  ///< it prints nothing there, or does not determine the numbers
    right,    ///< it computes them
    near,     ///< it computes them, except for a few cells
    other,    ///< it computes other numbers
  };
  Kind kind = Kind::nothing;
  std::vector<Wrong> wrong = {};
  bool is_exact = false;                  ///< from literals and seeded draws alone, not from what the page prints
  bool is_unknown = false;                ///< the program does not determine it, as without a seed
  std::vector<std::size_t> sources = {};  ///< the printed tensors that it is computed from, as places on the page
};

/// Compares what a page prints with what its program computes there. A tensor that the program does not determine is
/// taken as it is printed; what is computed from it is known within bounds.
class ProgramSource {
 public:
  explicit ProgramSource(const PageProgram& program) : program_(program) {}

  /// What it says; if the page is at its end, though the tensor was taken as it is printed.
  Said says(std::size_t i, bool is_at_end = false);
  /// Takes note that the tensor is printed there, for those computed from it.
  void pass(std::size_t i, const Said& said);
  /// In the page's words: "W_key = torch.rand(3, 2), drawn after torch.manual_seed(123)", "queries @ keys.T".
  std::string words(std::size_t i) const;
  /// Returns true if the program certainly prints something there that is computed from a tensor.
  bool depends_on(std::size_t i, const Tensor& tensor) const;

 private:
  const Tensor* tensor_at(std::size_t i) const;

  const PageProgram& program_;
  Bounds bounds_;
  std::unordered_map<const void*, std::size_t> shown_;  ///< where the page prints a tensor of the program
};

}  // namespace attn::verify
