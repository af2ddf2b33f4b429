#include "files/save_csv.hpp"

#include <algorithm>

#include "files/file.hpp"
#include "render/csv.hpp"

namespace attn::render {

bool holds_one_tensor(const std::filesystem::path& path) { return files::has_extension(path, ".csv"); }

void write_one_csv(const Target& target, std::span<const ShownChapter> chapters) {
  const auto& steps = chapters[0].steps;
  write_csv_rows(target.append, *std::ranges::find(steps, Step::Kind::tensor, &Step::kind));
}

}  // namespace attn::render
