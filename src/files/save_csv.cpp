#include "files/save_csv.hpp"

#include <algorithm>

#include "files/file.hpp"
#include "render/csv.hpp"

namespace attn::render {

bool holds_one_tensor(const std::filesystem::path& path) { return dump::has_extension(path, ".csv"); }

void write_one_csv(const Sink& sink, std::span<const ShownChapter> chapters) {
  const auto& steps = chapters[0].steps;
  write_csv_rows(sink, *std::ranges::find(steps, Step::Kind::tensor, &Step::kind));
}

}  // namespace attn::render
