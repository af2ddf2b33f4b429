#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "port/judge.hpp"

namespace attn::port {

/// What is told of a port's dump.
struct Report {
  std::string name;    ///< the file or folder
  std::string lesson;  ///< "causal of blog, seed 123, avx2 kernels"
  std::vector<Judged> steps;
  std::vector<const dump::Dumped*> unmatched;
  std::vector<std::string> tokens;  ///< the words of the inputs
};

/// A line for each step, in the order of computation; below those that do not hold, where, by how much, and why.
void write_text(std::ostream& out, const Report& report);

/// The same for programs. `line_break` stands before every line but the first.
void write_json(std::ostream& out, const Report& report, const std::string& line_break = "\n");

/// 0: all hold; 1: something does not, or, where `strict`, was not recognised.
int exit_code(const Report& report, bool strict);

}  // namespace attn::port
