#include "files/npy_literal.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "files/wrong.hpp"

namespace attn::files {
namespace {

class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : rest_(text), size_(text.size()) {}

  NpyLiteral read() {
    NpyLiteral result;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!next_is('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        result.descr = descr();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        result.fortran_order = boolean();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        result.shape = shape();
      } else {
        fail();
      }
      if (!take(',') && !next_is('}')) {
        fail();
      }
    }
    expect('}');
    skip_space();
    if (!rest_.empty() || !has_descr || !has_order || !has_shape) {
      fail();
    }
    return result;
  }

 private:
  [[noreturn]] void fail() const {
    throw Wrong("cannot parse its header at character " + std::to_string(size_ - rest_.size()),
                "write it again with numpy.save(path, array)",
                "a header looks like {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size())); }

  bool next_is(char c) {
    skip_space();
    return rest_.starts_with(c);
  }

  bool take(char c) {
    const bool is_there = next_is(c);
    rest_.remove_prefix(is_there ? 1 : 0);
    return is_there;
  }

  bool take(std::string_view word) {
    skip_space();
    const bool is_there = rest_.starts_with(word);
    rest_.remove_prefix(is_there ? word.size() : 0);
    return is_there;
  }

  void expect(char c) {
    if (!take(c)) {
      fail();
    }
  }

  std::string string() {
    const char quote = next_is('"') ? '"' : '\'';
    expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) {
      fail();
    }
    const std::string_view text = rest_.substr(0, end);
    for (const char c : text) {
      if (c < ' ' || c > '~' || c == '\\') {
        fail();
      }
    }
    rest_.remove_prefix(end + 1);
    return std::string(text);
  }

  std::string descr() {
    if (next_is('[') || next_is('(')) {
      throw Wrong("it holds records with fields (a structured dtype)", "write each field as an array of its own",
                  accepted_dtypes);
    }
    return string();
  }

  bool boolean() {
    const bool is_true = take("True");
    if (!is_true && !take("False")) {
      fail();
    }
    return is_true;
  }

  /// Parses "()", "(6,)", "(2, 3)", "(2, 3, )"; rejects "(6)", which is not a tuple in Python.
  Shape shape() {
    Shape sizes;
    expect('(');
    bool had_comma = true;
    while (!next_is(')')) {
      if (!had_comma) {
        fail();
      }
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0 || rest_[0] == '-') {
        fail();
      }
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      sizes.push_back(size);
      had_comma = take(',');
    }
    expect(')');
    if (sizes.size() == 1 && !had_comma) {
      fail();
    }
    return sizes;
  }

  std::string_view rest_;
  std::size_t size_;
};

}  // namespace

NpyLiteral parse_npy_literal(std::string_view text) { return LiteralReader(text).read(); }

}  // namespace attn::files
