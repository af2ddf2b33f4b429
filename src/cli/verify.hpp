#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace attn::cli {

/// The contents of a folder and the folders below, without hidden ones, `build` and `node_modules`.
struct Folder {
  std::vector<std::string> pages;  ///< paths of files with a page's ending, in order
  std::set<std::string> skipped;   ///< names of folders that are not looked into
  bool has_tensors = false;        ///< .npy files
  bool looks_like_dump = false;    ///< some of them on top, or a manifest that --save writes
};

/// Looks into a folder. Throws verify::PageError if it has very many files.
Folder folder_at(const std::string& path);

/// Returns true if the path is a folder to be searched for pages, not a port's dump: it holds no tensors, or holds
/// pages and tensors further below, and the command line does not ask for a chapter to compare tensors with.
bool is_folder_of_pages(const std::string& path, const VerifyOptions& verify);

/// Returns true for a folder, and for a file without a byte.
bool is_nothing_to_read(const std::string& path);

/// The files of a folder that have no results.
struct PassedOver {
  std::vector<std::string> without_tensors;
  std::vector<std::string> unreadable;
  std::set<std::string> folders;

  /// "passed over: 3 files without a printed tensor; 1 that cannot be read: a.ipynb; folders .git, build"; empty if
  /// nothing was.
  std::string words() const;
};

/// Runs `attn-walkthrough verify`: reads the pages and writes their reports. Returns the exit code: 0 if all numbers
/// are right, 1 if one is wrong. Throws verify::PageError before anything is written if a page cannot be read or has no
/// tensor.
int verify(const Options& options);

}  // namespace attn::cli
