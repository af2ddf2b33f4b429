#include "cli/page_files.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "files/file.hpp"
#include "text/lines.hpp"
#include "verify/page/page.hpp"

namespace attn::cli {
namespace {

namespace fs = std::filesystem;

bool is_page(const fs::path& path) {
  constexpr auto endings =
      std::to_array<std::string_view>({".md", ".txt", ".ipynb", ".html", ".htm", ".py", ".log", ".rst", ".qmd"});
  return std::ranges::any_of(endings, [&](std::string_view ending) { return files::has_extension(path, ending); });
}

bool is_skipped(const std::string& name) { return name.starts_with(".") || name == "build" || name == "node_modules"; }

/// "3 files", with their names if they are few.
std::string named(const std::vector<std::string>& files, const std::string& what) {
  constexpr std::size_t few = 3;
  return std::to_string(files.size()) + (files.size() == 1 ? " file " : " files ") + what +
         (files.size() <= few ? ": " + text::one_line(text::joined(files)) : "");
}

void add(Folder& folder, const fs::recursive_directory_iterator& entry) {
  const fs::path& path = entry->path();
  std::error_code unknown;
  if (!entry->is_regular_file(unknown)) {
    return;
  }
  if (files::has_extension(path, ".npy")) {
    folder.has_tensors = true;
    folder.looks_like_dump = folder.looks_like_dump || entry.depth() == 0;
  } else if (entry.depth() == 0 && path.filename() == "manifest.json") {
    folder.looks_like_dump = true;
  } else if (is_page(path) && !path.filename().string().starts_with(".")) {
    folder.pages.push_back(path.lexically_normal().string());
  }
}

}  // namespace

Folder folder_at(const std::string& path) {
  constexpr int most_entries = 100'000;
  Folder folder;
  int entries = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error), end;
       !error && entry != end; entry.increment(error)) {
    if (++entries > most_entries) {
      throw verify::PageError("'" + path + "' has more than " + std::to_string(most_entries) +
                              " files; a folder is searched for pages; name one of its folders, or its pages");
    }
    std::error_code unknown;
    const std::string name = entry->path().filename().string();
    if (is_skipped(name) && entry->is_directory(unknown)) {
      entry.disable_recursion_pending();
      folder.skipped.insert(name);
    }
    add(folder, entry);
  }
  std::ranges::sort(folder.pages);
  return folder;
}

bool is_folder_of_pages(const std::string& path, const VerifyOptions& verify) {
  std::error_code unknown;
  if (path == "-" || !fs::is_directory(path, unknown)) {
    return false;
  }
  const Folder folder = folder_at(path);
  if (verify.chapter || verify.lesson.layer) {
    return !folder.has_tensors && !folder.pages.empty();
  }
  return !folder.has_tensors || (!folder.looks_like_dump && !folder.pages.empty());
}

bool is_nothing_to_read(const std::string& path) {
  std::error_code unknown;
  return path != "-" &&
         (fs::is_directory(path, unknown) || (fs::is_regular_file(path, unknown) && fs::file_size(path, unknown) == 0));
}

std::string PassedOver::words() const {
  std::vector<std::string> parts;
  if (!without_tensors.empty()) {
    parts.push_back(named(without_tensors, "without a printed tensor"));
  }
  if (!unreadable.empty()) {
    parts.push_back(named(unreadable, "that cannot be read"));
  }
  if (!folders.empty()) {
    parts.push_back("folders " + text::one_line(text::joined(std::vector(folders.begin(), folders.end()))));
  }
  return parts.empty() ? "" : "passed over: " + text::joined(parts, "; ");
}

}  // namespace attn::cli
