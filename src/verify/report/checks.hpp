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
  allowed,    ///< wrong, but not a failure
  skipped,    ///< unknown, but not a failure
  inherited,  ///< a failure that follows from an earlier one
  wrong,      ///< also unknown, if that is a failure
};

/// The result for one tensor or size.
struct Check {
  Outcome outcome = Outcome::right;
  std::string file;       ///< a path; empty for standard input
  std::int64_t line = 0;  ///< in the file; 0 if the file's lines are not those that a reader sees
  std::string name;       ///< "line 16: causal attn_weights [2, 6, 6]"
  std::string verdict;    ///< "differs (1 of 72 cells)"
  std::string details;    ///< several lines
};

/// The results for one page or dump.
struct CheckedFile {
  std::string name;
  std::vector<Check> checks;
  std::string summary;  ///< several lines

  std::size_t count(Outcome outcome) const;
  std::size_t failures() const { return count(Outcome::inherited) + count(Outcome::wrong); }
};

CheckedFile checked(const ReportedPage& reported, const Demands& demands);
/// In a folder each tensor has its own file. Demands are those on pages.
CheckedFile checked(const PortReport& report, const Demands& demands);

/// Writes GitHub Actions workflow commands, one per line: an annotation for each check that is not right, and the
/// summary. https://docs.github.com/actions/reference/workflow-commands-for-github-actions
void write_github(std::ostream& out, std::span<const CheckedFile> files);

/// Writes JUnit XML: a suite per file, a case per check.
void write_junit(std::ostream& out, std::span<const CheckedFile> files);

}  // namespace attn::verify
