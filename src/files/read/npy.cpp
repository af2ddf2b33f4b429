#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "files/read/formats.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

const std::string save_array_again = "write it again with numpy.save(path, array)";

[[noreturn]] void throw_cut_short(std::uint64_t declared, std::size_t there) {
  throw Wrong("cut short: " + std::to_string(declared) + " bytes are declared, but it has " + std::to_string(there),
              "write or copy it again");
}

/// What a dtype without usable numbers contains.
std::string other_type(char letter) {
  switch (letter) {
    case 'O': return "Python objects";
    case 'c': return "complex numbers";
    case 'S':
    case 'a':
    case 'U': return "strings";
    case 'V': return "bytes that numpy has no name for, perhaps bfloat16";
    case 'M':
    case 'm': return "dates";
    default: return "numbers of another kind";
  }
}

/// "<f4", ">i8", "|b1"
Element element_of(std::string_view descr) {
  const std::string_view type = descr.substr(descr.find_first_of("<>|=") == 0 ? 1 : 0);
  if (const Encoding* encoding = find_encoding(&Encoding::numpy, type)) {
    return {encoding->element.kind, encoding->element.size, descr.starts_with('>')};
  }
  throw Wrong(
      "it holds " + other_type(type.empty() ? ' ' : type[0]) + " (dtype '" + std::string(descr.substr(0, 20)) + "')",
      "convert it first: array.astype('float32')", accepted_dtypes);
}

/// Reads a header's dict, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", in any order.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text), size_(text.size()) {}

  NpyHeader read() {
    NpyHeader header{};
    std::string_view descr;
    std::set<std::string_view> keys;
    expect("{");
    while (!take("}")) {
      const std::string_view key = string();
      expect(":");
      if (key == "descr") {
        descr = dtype();
      } else if (key == "fortran_order") {
        header.fortran_order = take("True");
        header.fortran_order ? void() : expect("False");
      } else if (key == "shape") {
        header.shape = shape();
      }
      if (!keys.insert(key).second || (!take(",") && !rest_.starts_with('}'))) {
        fail();
      }
    }
    skip_space();
    if (!rest_.empty() || keys != std::set<std::string_view>{"descr", "fortran_order", "shape"}) {
      fail();
    }
    header.element = element_of(descr);
    return header;
  }

 private:
  [[noreturn]] void fail() const {
    throw Wrong("cannot parse its header at character " + std::to_string(size_ - rest_.size()), save_array_again,
                "a header looks like {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size())); }

  bool take(std::string_view word) {
    skip_space();
    const bool is_there = rest_.starts_with(word);
    rest_.remove_prefix(is_there ? word.size() : 0);
    return is_there;
  }

  void expect(std::string_view word) {
    if (!take(word)) {
      fail();
    }
  }

  std::string_view string() {
    const char quote = take("\"") ? '"' : '\'';
    quote == '"' ? void() : expect("'");
    const std::string_view text = rest_.substr(0, rest_.find(quote));
    if (text.size() == rest_.size() ||
        std::ranges::any_of(text, [](char c) { return c < ' ' || c > '~' || c == '\\'; })) {
      fail();
    }
    rest_.remove_prefix(text.size() + 1);
    return text;
  }

  std::string_view dtype() {
    skip_space();
    if (rest_.starts_with('[') || rest_.starts_with('(')) {
      throw Wrong("it holds records with fields (a structured dtype)", "write each field as an array of its own",
                  accepted_dtypes);
    }
    return string();
  }

  /// Parses "()", "(6,)", "(2, 3)", "(2, 3, )"; rejects "(6)", which is not a tuple in Python.
  Shape shape() {
    Shape sizes;
    bool had_comma = true;
    for (expect("("); !take(")"); had_comma = take(",")) {
      std::int64_t size = -1;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (!had_comma || error != std::errc() || size < 0 || rest_[0] == '-') {
        fail();
      }
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      sizes.push_back(size);
    }
    if (sizes.size() == 1 && !had_comma) {
      fail();
    }
    return sizes;
  }

  std::string_view rest_;
  std::size_t size_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes) {
  if (!bytes.starts_with(npy_magic.substr(0, bytes.size()))) {
    throw Wrong("it does not begin like an .npy file", save_array_again);
  }
  constexpr std::size_t version_end = 8;
  if (bytes.size() < version_end) {
    throw_cut_short(version_end, bytes.size());
  }
  const int major = static_cast<unsigned char>(bytes[6]);
  const int minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Wrong("its version is " + std::to_string(major) + "." + std::to_string(minor), save_array_again,
                "only versions 1.0, 2.0 and 3.0 of .npy can be read");
  }
  const std::size_t begin = version_end + (major == 1 ? 2 : 4);
  if (bytes.size() < begin) {
    throw_cut_short(begin, bytes.size());
  }
  const std::size_t size = begin + little_endian(bytes.substr(version_end, begin - version_end));
  if (size > largest_npy_header) {
    throw Wrong("its header has " + std::to_string(size) + " bytes", save_array_again,
                "a header may have up to 10000 bytes");
  }
  if (size > bytes.size()) {
    throw_cut_short(size, bytes.size());
  }
  NpyHeader header = HeaderReader(bytes.substr(begin, size - begin)).read();
  header.size = size;
  return header;
}

std::vector<Dumped> parse_npy(const Bytes& bytes, const std::string& name, const Wanted& wanted) {
  check_name(name);
  NpyHeader header = parse_npy_header(bytes.piece(0, largest_npy_header));
  if (!wanted({name, header.shape, dtype_name(header.element)})) {
    return {};
  }
  const auto declared = static_cast<std::uint64_t>(byte_count(header.shape, header.element));
  const std::size_t size = bytes.size() - header.size;
  if (size < declared) {
    throw_cut_short(header.size + declared, bytes.size());
  }
  if (size > declared) {
    throw Wrong("it has " + std::to_string(size - declared) + " bytes more than the " + std::to_string(declared) +
                    " of its shape " + shape_text(header.shape),
                "write each array to a file of its own");
  }
  std::vector<double> values = numbers_of(bytes, header.size, size, header.element);
  if (header.fortran_order) {
    values = row_major(values, header.shape);
  }
  return {{name, std::move(header.shape), dtype_name(header.element), std::move(values)}};
}

}  // namespace attn::files
