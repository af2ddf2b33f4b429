#include <algorithm>

#include "files/read/formats.hpp"
#include "files/wrong.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"

namespace attn::files {
namespace {

const std::string save_array_again = "write it again with numpy.save(path, array)";

[[noreturn]] void throw_cut_short(std::uint64_t declared, std::size_t there) {
  throw Wrong("cut short: " + std::to_string(declared) + " bytes are declared, but it has " + std::to_string(there),
              "write or copy it again");
}

/// Parses a header's dict as numpy writes it: "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) {
    std::ranges::copy_if(text, std::back_inserter(dense_), [](char c) { return c != ' ' && c != '\n'; });
    rest_ = dense_;
  }

  NpyHeader read() {
    NpyHeader header{};
    const std::string_view descr = between("{'descr':'", "'");
    const std::string_view order = between(",'fortran_order':", ",");
    std::string_view sizes = between("'shape':(", ")");
    sizes.remove_suffix(sizes.ends_with(',') ? 1 : 0);
    for (const std::string& size : sizes.empty() ? std::vector<std::string>() : text::split(sizes)) {
      header.shape.push_back(text::number_of<std::int64_t>(size).value_or(-1));
    }
    const bool is_sound = std::ranges::all_of(header.shape, [](std::int64_t size) { return size >= 0; });
    if (!is_sound || (order != "True" && order != "False") || (rest_ != "}" && rest_ != ",}")) {
      fail();
    }
    header.fortran_order = order == "True";
    header.encoding = &encoding_of(&Encoding::numpy, descr.substr(descr.find_first_of("<|=") == 0 ? 1 : 0));
    return header;
  }

 private:
  [[noreturn]] static void fail() {
    throw Wrong("cannot parse its header", save_array_again,
                "a header looks like {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  }

  /// The text up to `end`, after `begin`, with which the rest begins.
  std::string_view between(std::string_view begin, std::string_view end) {
    const std::size_t size = rest_.starts_with(begin) ? rest_.find(end, begin.size()) : std::string_view::npos;
    if (size == std::string_view::npos) {
      fail();
    }
    const std::string_view text = rest_.substr(begin.size(), size - begin.size());
    rest_.remove_prefix(size + end.size());
    return text;
  }

  std::string dense_;
  std::string_view rest_;
};

}  // namespace

NpyHeader npy_header(std::string_view beginning, std::size_t file_size) {
  constexpr std::size_t version_end = 8;
  const char major = beginning.size() < version_end + 4 ? '\0' : beginning[6];
  if (!beginning.starts_with("\x93NUMPY") || major < 1 || major > 3) {
    throw Wrong("it does not begin like an .npy file", save_array_again);
  }
  const std::size_t begin = version_end + (major == 1 ? 2 : 4);
  const std::size_t size = begin + little_endian(beginning.substr(version_end, begin - version_end));
  if (size > beginning.size()) {
    throw_cut_short(size, beginning.size());
  }
  NpyHeader header = HeaderReader(beginning.substr(begin, size - begin)).read();
  header.size = size;
  const auto declared = size + static_cast<std::uint64_t>(byte_count(header.shape, *header.encoding));
  if (file_size < declared) {
    throw_cut_short(declared, file_size);
  }
  if (file_size > declared) {
    throw Wrong("it has " + std::to_string(file_size - declared) + " bytes more than the " +
                    std::to_string(declared - size) + " of its shape " + shape_text(header.shape),
                "write each array to a file of its own");
  }
  return header;
}

std::vector<Dumped> parse_npy(const Bytes& bytes, const std::string& name, const Wanted& wanted) {
  check_name(name);
  NpyHeader header = npy_header(bytes.piece(0, largest_npy_header), bytes.size());
  const std::string dtype(header.encoding->name);
  if (!wanted({name, header.shape, dtype})) {
    return {};
  }
  std::vector<double> values = numbers_of(bytes, header.size, bytes.size() - header.size, *header.encoding);
  if (header.fortran_order) {
    values = row_major(values, header.shape);
  }
  return {{name, std::move(header.shape), dtype, std::move(values)}};
}

}  // namespace attn::files
