#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "render/json.hpp"
#include "torch/seed.hpp"
#include "verify/port/judge.hpp"
#include "verify/report/report.hpp"

namespace attn::verify {

/// The report on a port's dump.
struct PortReport {
  std::string name;                  ///< the file or folder, in one line
  std::string lesson;                ///< "causal of blog, seed 123, avx2 kernels"
  std::vector<Observed> given;       ///< all given tensors except the ignored ones; those not read come last
  std::vector<std::string> ignored;  ///< names of tensors to leave out
  Judgement judgement;
  std::vector<std::string>
      unseen;  ///< what could not have been seen at these sizes: "head_dim is 1: scaling cannot be seen"
  std::vector<std::string> tokens;             ///< words for the inputs
  torch::Seed seed = 0;                        ///< the seed compared with
  std::optional<torch::Seed> asked_seed = {};  ///< the lesson's, if all was drawn, and is judged, with another one
  std::string to_see = "--fixture shows it";   ///< how to see what could not have been seen
  std::string file = {};                       ///< its path
  std::vector<std::string> used = {};          ///< "x", "4 weights": the dump's own that the lesson computes with
};

/// Lists what no port of these steps could show, because a size is 1 or entries are equal: "head_dim is 1: scaling
/// cannot be seen".
std::vector<std::string> unseen_in(std::span<const Step> steps);

/// Returns true if the tensor has a shape, but its numbers were not read.
bool is_unread(const Observed& tensor);

/// Counts of the given tensors; a fused one is as wrong as its worst part.
struct PortCounts {
  std::size_t given = 0;
  std::size_t right = 0;
  std::vector<std::string> wrong;  ///< names as given, including those of another shape
  std::vector<std::string> inherited;
  std::vector<std::string> unknown;
};
PortCounts counts_of(const PortReport& report);

/// "holds", "wrong here", "inherited", "another shape"
std::string verdict_name(PortVerdict verdict);

/// The row of one tensor: if it is wrong, its details say where, by how much, and why.
struct PortRow : Row {
  const Judged* judged = nullptr;  ///< null if it was not recognised
  std::size_t given = 0;           ///< index into the dump's tensors; their number if the row is not a tensor
};
/// The seed first, if it is another one; then tensors in order of computation; last those not recognised.
std::vector<PortRow> rows_of(const PortReport& report);

/// What the dump was compared with, what cannot be seen, and last, how many given tensors are right.
std::string summary_of(const PortReport& report);

/// "here 0.25, right 0.5"
std::string numbers_text(const Judged& judged, std::int64_t cell);

/// The rows and the summary. Demands are those on pages.
Sheet sheet_of(const PortReport& report, const Demands& demands = {});

void write_text(std::ostream& out, const PortReport& report);

/// Writes the report as JSON.
void write_json(render::JsonWriter& json, const PortReport& report);

/// Writes one self-contained HTML file: the ports' tensors as PyTorch prints them, tinted by verdict, cell by cell;
/// each cell shows its right value and the derivation.
void write_html(std::ostream& out, std::span<const PortReport> reports, const std::string& version);

/// 0 if every given tensor was recognised and is right, else 1.
int exit_code(const PortReport& report);

}  // namespace attn::verify
