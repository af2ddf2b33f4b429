#include "system/output.hpp"

#include <cstddef>
#include <string_view>

#include "system/descriptor.hpp"

namespace attn::system {

Output::Output(int descriptor) : std::ostream(nullptr), buffer_(descriptor) {
  rdbuf(&buffer_);
  exceptions(badbit);  // on the stream, so that the buffer's exceptions are not swallowed
}

Output::Buffer::Buffer(int descriptor) : descriptor_(descriptor) { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

Output::Buffer::int_type Output::Buffer::overflow(int_type c) {
  sync();
  return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                         : sputc(traits_type::to_char_type(c));
}

int Output::Buffer::sync() {
  const std::string_view bytes(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  try {
    write_all(descriptor_, bytes);
    count_ += static_cast<std::int64_t>(bytes.size());
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) {
      throw ReaderGone();
    }
    throw WriteError(error.code());
  }
  return 0;
}

}  // namespace attn::system
