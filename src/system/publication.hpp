#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <optional>

#include <sys/types.h>

#include "system/unfinished.hpp"

namespace attn::system {

/// Something built beside its place, moved there as a whole by publish(), and withdrawn by the destructor unless
/// finish() was called; then everything is as before. All functions throw std::filesystem::filesystem_error.
class Publication {
 public:
  /// Throws if what exists at the place may not be replaced.
  using Check = std::function<void(const std::filesystem::path& found)>;
  /// Creates it under that name. Returns false and sets errno if the system fails.
  using Make = std::function<bool(const std::filesystem::path& name)>;

  /// Creates the missing parent folders.
  Publication(const std::filesystem::path& place, Unfinished::Kind kind, const Make& make);
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;
  ~Publication();

  const std::filesystem::path& place() const { return place_; }
  const std::filesystem::path& unfinished() const { return unfinished_->path(); }
  /// Announces something to be created in the unfinished folder, so that it is removed with it.
  void expect(const std::filesystem::path& path, Unfinished::Kind kind) { contents_.emplace_front(path, kind); }

  /// Moves it to its place. Without a check nothing is replaced: std::errc::file_exists.
  ///
  /// A file's place always holds either the old or the new file. So does a folder's if the system can swap names. If it
  /// cannot (NFS), the place is empty for a moment, with the complete old folder beside it.
  void publish(const Check& may_replace);
  /// Removes what was replaced. Returns what cannot be removed and stays beside the place; empty if there is nothing.
  std::filesystem::path finish();

 private:
  void make_parents(const std::filesystem::path& folder);
  bool replace(const Check& may_replace);
  void expect_replaced(const std::filesystem::path& replaced);
  void withdraw();

  std::filesystem::path place_;
  std::list<Unfinished> parents_;  ///< created here, innermost first
  std::optional<Unfinished> unfinished_;
  std::list<Unfinished> contents_;  ///< contents of a folder, latest first
  std::list<Unfinished> replaced_;  ///< contents of the replaced folder, latest first
  enum class State { written, published, replaced, finished } state_ = State::written;
  ino_t inode_ = 0;
};

/// Best-effort fsync of the directory entry; the file itself exists in any case.
void sync_name(const std::filesystem::path& path);

[[noreturn]] void throw_exists(const std::filesystem::path& path);

}  // namespace attn::system
