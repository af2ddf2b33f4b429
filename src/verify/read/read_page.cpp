#include "verify/read/read_page.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <sys/stat.h>

#include "text/ascii.hpp"
#include "text/utf8.hpp"
#include "verify/read/encoding.hpp"
#include "verify/read/html.hpp"
#include "verify/read/markup.hpp"
#include "verify/read/notebook.hpp"
#include "verify/read/page_text.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t largest = std::size_t{1} << 30U;

[[noreturn]] void fail(const std::string& name, const std::string& what, const std::string& way_on) {
  throw PageError("'" + name + "' " + what +
                  "; accepted are plain text, Markdown, HTML, Jupyter notebooks (.ipynb) and terminal logs; " + way_on);
}

std::string shown_name(const std::string& name) { return name == "-" ? "standard input" : name; }

bool has_extension(std::string_view name, std::string_view extension) {
  return name.size() > extension.size() && std::ranges::equal(name.substr(name.size() - extension.size()), extension,
                                                              [](char a, char b) { return text::lower(a) == b; });
}

bool is_html(std::string_view name, std::string_view text) {
  return has_extension(name, ".html") || has_extension(name, ".htm") || has_extension(name, ".xhtml") ||
         looks_like_html(text);
}

Part::Kind kind_of_text(std::string_view name) {
  constexpr auto markdown = std::to_array<std::string_view>({".md", ".markdown", ".mdx", ".qmd", ".rmd", ".rst"});
  constexpr auto scripts = std::to_array<std::string_view>(
      {".c", ".cc", ".cpp", ".cu", ".ex", ".exs", ".h", ".hpp", ".js", ".py", ".r", ".rs", ".swift", ".ts"});
  const auto has = [&](std::string_view extension) { return has_extension(name, extension); };
  if (std::ranges::any_of(markdown, has)) {
    return Part::Kind::markdown;
  }
  return std::ranges::any_of(scripts, has) ? Part::Kind::script : Part::Kind::text;
}

constexpr std::string_view usual_controls = "\t\n\v\f\r\b\a\x1b";

/// Returns true if there are NUL bytes, or if a third of the bytes cannot be text.
bool is_binary(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) {
    return true;
  }
  std::size_t strange = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    const text::Character character = text::first_character(bytes.substr(i));
    const bool control = character.code < 0x20 && usual_controls.find(bytes[i]) == std::string_view::npos;
    strange += static_cast<std::size_t>(control || !character.valid);
    i += character.size;
  }
  return strange * 3 > bytes.size();
}

/// The size of a regular file; 0 for anything else.
std::size_t size_of(std::FILE* file) {
  struct stat status {};
  return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
}

/// Reads a whole file; false if reading fails.
bool read_all(std::FILE* file, std::string& bytes, const CheckSize& check_size) {
  std::array<char, 1U << 16U> buffer;
  std::size_t count = 0;
  while ((count = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) {
    check_size(bytes.size() + count);
    bytes.append(buffer.data(), count);
  }
  return std::ferror(file) == 0;
}

}  // namespace

Page parse_page(const std::string& name, std::string_view bytes) {
  const std::string shown = shown_name(name);
  if (bytes.empty()) {
    fail(shown, "is empty", "give a file that has something printed in it");
  }
  std::string decoded;
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    decoded = from_utf16(bytes.substr(2), bytes.front() == '\xfe');
    bytes = decoded;
  } else if (bytes.starts_with("\xef\xbb\xbf")) {
    bytes.remove_prefix(3);
  }
  if (is_binary(bytes)) {
    fail(shown, "is not text", "save the page as one of these");
  }
  PageText out;
  if (has_extension(name, ".ipynb") || looks_like_notebook(bytes)) {
    PageText listing;
    write_notebook(out, listing, shown, bytes);
    Page page = out.finish(name);
    page.set_listing(listing.finish(name));
    return page;
  }
  out.reserve(bytes.size());
  out.go_to({});
  if (is_html(name, bytes)) {
    write_markup(out, bytes, Markup::html, Part::Kind::prose);
  } else {
    write_markup(out, bytes, Markup::text, kind_of_text(name));
  }
  return out.finish(name);
}

Page read_page(const std::string& name, const CheckSize& check_size) {
  std::error_code unknown;
  if (name != "-" && std::filesystem::is_directory(name, unknown)) {
    fail(name, "is a folder", "name a file in it");
  }
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(name == "-" ? nullptr : std::fopen(name.c_str(), "rb"),
                                                               [](std::FILE* file) { return std::fclose(file); });
  std::FILE* file = name == "-" ? stdin : opened.get();
  std::string bytes;
  const CheckSize check = [&](std::size_t size) {
    if (size > largest) {
      fail(shown_name(name), "has more than 1 GiB", "give the part that prints tensors");
    }
    if (check_size) {
      check_size(size);
    }
  };
  if (file != nullptr) {
    check(size_of(file));
    bytes.reserve(size_of(file));
  }
  if (file == nullptr || !read_all(file, bytes, check)) {
    fail(shown_name(name), std::string("cannot be read (") + std::strerror(errno) + ")",
         "check the path, or give - to read standard input");
  }
  return parse_page(name, bytes);
}

}  // namespace attn::verify
