#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <streambuf>
#include <system_error>

namespace attn::system {

/// Nobody reads the pipe any more: no error, whoever read it has what was wanted.
struct ReaderGone {};

struct WriteError : std::system_error {
  using std::system_error::system_error;
};

/// A stream to an open descriptor. What is not flushed is not written. Throws ReaderGone and WriteError.
class Output final : public std::ostream {
 public:
  explicit Output(int descriptor);

  /// How many bytes were written.
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
