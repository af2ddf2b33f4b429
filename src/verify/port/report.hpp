#pragma once

#include <optional>

#include "render/json.hpp"
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
  std::string file = {};                       ///< its path
  std::optional<torch::Seed> drawn_with = {};  ///< the seed of its numbers, if it is another than was asked for
  bool lists_right = true;                     ///< the text has rows of right tensors
  std::vector<std::string> used = {};          ///< "x", "4 weights": the dump's own that the lesson computes with
};

/// Lists what no port of these steps could show, because a size is 1 or entries are equal: "head_dim is 1: scaling
/// cannot be seen".
std::vector<std::string> unseen_in(std::span<const Step> steps);

/// The rows and the summary. Demands are those on pages.
Sheet sheet_of(const PortReport& report, const Demands& demands = {});

void write_text(std::ostream& out, const PortReport& report);

/// Writes the report as JSON.
void write_json(render::JsonWriter& json, const PortReport& report);

/// Writes one self-contained HTML file: what is said of each tensor, tinted by verdict.
void write_html(std::ostream& out, std::span<const PortReport> reports, const std::string& version);

/// 0 if every given tensor was recognised and is right, else 1.
int exit_code(const PortReport& report);

}  // namespace attn::verify
