#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <streambuf>
#include <system_error>

namespace attn::system {

/// Thrown if the pipe has no reader. It is not an error: the reader has what it wanted.
struct ReaderGone {};

struct WriteError : std::system_error {
  using std::system_error::system_error;
};

/// A stream to an open descriptor. Nothing is written before it is flushed. Throws ReaderGone and WriteError.
class Output final : public std::ostream {
 public:
  explicit Output(int descriptor);

  /// The number of bytes written.
  std::int64_t count() const { return buffer_.count(); }

 private:
  class Buffer final : public std::streambuf {
   public:
    explicit Buffer(int descriptor);

    std::int64_t count() const { return count_; }

   protected:
    int_type overflow(int_type c) override;
    int sync() override;

   private:
    int descriptor_;
    std::int64_t count_ = 0;
    std::array<char, 1U << 16U> bytes_;
  };

  Buffer buffer_;
};

}  // namespace attn::system
