#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <optional>

#include <sys/types.h>

#include "system/unfinished.hpp"

namespace attn::system {

/// Something that is made beside its place, put there as a whole by publish(), and taken back by the destructor unless
/// finish() was called: all is then as it was. Everything throws std::filesystem::filesystem_error.
class Publication {
 public:
  /// Complains, by throwing, where what is in the way may not be replaced.
  using Check = std::function<void(const std::filesystem::path& found)>;
  /// Makes it, under that name. False, and errno, where the system does not.
  using Make = std::function<bool(const std::filesystem::path& name)>;

  /// Makes the folders that it is to be in, where they are missing.
  Publication(const std::filesystem::path& place, Unfinished::Kind kind, const Make& make);
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;
  ~Publication();

  const std::filesystem::path& place() const { return place_; }
  const std::filesystem::path& unfinished() const { return unfinished_->path(); }
  /// Something is about to be made in the folder that is unfinished: it is taken away with it.
  void expect(const std::filesystem::path& path, Unfinished::Kind kind) { contents_.emplace_front(path, kind); }

  /// Puts it in its place. Without a check nothing that is there is replaced: std::errc::file_exists.
  ///
  /// A file's place always has the old one or the new one. So has a folder's where the system can exchange names; where
  /// it cannot (NFS), it has neither for a moment, in which the old one stands whole beside it.
  void publish(const Check& may_replace);
  /// Takes away what was replaced. What of it cannot be taken away, and stays beside the place: empty where nothing.
  std::filesystem::path finish();

 private:
  void make_parents(const std::filesystem::path& folder);
  bool replace(const Check& may_replace);
  void expect_replaced(const std::filesystem::path& replaced);
  void withdraw();

  std::filesystem::path place_;
  std::list<Unfinished> parents_;  ///< made here, the innermost first
  std::optional<Unfinished> unfinished_;
  std::list<Unfinished> contents_;  ///< of a folder, the latest first
  std::list<Unfinished> replaced_;  ///< of the folder that was in the way, likewise
  enum class State { written, published, replaced, finished } state_ = State::written;
  ino_t inode_ = 0;
};

/// The name is kept as far as the system can; what is there is there all the same.
void sync_name(const std::filesystem::path& path);

[[noreturn]] void throw_exists(const std::filesystem::path& path);

}  // namespace attn::system
