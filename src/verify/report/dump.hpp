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
#include "verify/judge/judge.hpp"

namespace attn::port {

/// What is told of a port's dump.
struct Report {
  std::string name;                  ///< the file or folder
  std::string lesson;                ///< "causal of blog, seed 123, avx2 kernels"
  std::vector<dump::Dumped> given;   ///< all that was brought, but for the ignored; last those that were not read
  std::vector<std::string> ignored;  ///< the names of what is to be left out
  Judgement judgement;
  std::vector<std::string>
      unseen;  ///< what could not have been seen at these sizes: "head_dim is 1: scaling cannot be seen"
  std::vector<std::string> tokens;             ///< the words of the inputs
  torch::Seed seed = 0;                        ///< that it is compared with
  std::optional<torch::Seed> asked_seed = {};  ///< the lesson's, where all was drawn, and is judged, with another one
};

/// Returns true if the tensor has a shape, but its numbers were not read.
bool is_unread(const dump::Dumped& tensor);

/// What became of the tensors that were brought; a fused one is as wrong as its worst part.
struct Counts {
  std::size_t given = 0;
  std::size_t right = 0;
  std::vector<std::string> wrong;  ///< names as they were brought, those of another shape too
  std::vector<std::string> inherited;
  std::vector<std::string> unknown;
};
Counts counts_of(const Report& report);

/// "holds", "wrong here", "inherited", "another shape"
std::string verdict_name(Verdict verdict);

/// What is told of one tensor, in text and HTML: its line, and below it, where it is wrong, where, by how much, and
/// why.
struct Row {
  const Judged* judged;  ///< null where it was not recognised
  std::size_t given;     ///< which of the dump's tensors; as many as there are for what is no tensor
  std::string mark;
  std::string name;  ///< the step's; its own where it was not recognised
  std::string shape;
  std::string result;
  std::vector<std::string> details;
};
/// First the seed, where it is another one; then in the order of computation; last what was not recognised.
std::vector<Row> rows_of(const Report& report);

/// What it was compared with, what could not be seen, and last, how many of what was brought are right.
std::string summary_of(const Report& report);

/// "here 0.25, right 0.5"
std::string numbers_text(const Judged& judged, std::int64_t cell);

void write_text(std::ostream& out, const Report& report);

/// The same for programs.
void write_json(render::JsonWriter& json, const Report& report);

/// One self-contained HTML file: the ports' tensors as PyTorch prints them, tinted by the verdict, cell by cell; a cell
/// tells what it should be and how that comes about.
void write_html(std::ostream& out, std::span<const Report* const> reports, const std::string& version);

/// 0: every tensor that was brought was recognised and is right; 1: one is not.
int exit_code(const Report& report);

}  // namespace attn::port
