#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "verify/report/dump.hpp"
#include "verify/report/report.hpp"

/// Reports for services that check each change of a repository.
namespace attn::verify {

enum class Outcome {
  right,
  allowed,    ///< wrong, and no failure
  skipped,    ///< not known, and no failure
  inherited,  ///< a failure that follows from an earlier one
  wrong,      ///< so is what is not known, where that fails
};

/// What became of one tensor or size.
struct Check {
  Outcome outcome = Outcome::right;
  std::string file;       ///< a path; empty for standard input
  std::int64_t line = 0;  ///< in the file; 0 where the file's lines are not those of a reader
  std::string name;       ///< "line 16: causal attn_weights [2, 6, 6]"
  std::string verdict;    ///< "differs (1 of 72 cells)"
  std::string details;    ///< in lines
};

/// What became of one page or dump.
struct CheckedFile {
  std::string name;
  std::vector<Check> checks;
  std::string summary;  ///< in lines

  std::size_t count(Outcome outcome) const;
  std::size_t failures() const { return count(Outcome::inherited) + count(Outcome::wrong); }
};

CheckedFile checked(const Page& page, const Report& report, const Demands& demands);
/// `file` is the dump's path; of a folder each tensor has a file of its own.
CheckedFile checked(const std::string& file, const port::Report& report);

/// Workflow commands of GitHub Actions, a line each: an annotation for each check that is not right, and the summary.
/// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
void write_github(std::ostream& out, std::span<const CheckedFile> files);

/// JUnit's XML: a suite for each file, a case for each check.
void write_junit(std::ostream& out, std::span<const CheckedFile> files);

}  // namespace attn::verify
