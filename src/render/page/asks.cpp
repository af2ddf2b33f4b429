#include "render/page/asks.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace attn::render {

nlohmann::ordered_json asks_json(const Step& step, Questions& questions, const TextOptions& text) {
  const torch::PrintedTensor printed = printed_step(step, text);
  std::vector<std::int64_t> positions;
  for (const torch::PrintedCell& cell : questions.open(step, printed)) {
    positions.push_back(cell.position);
  }
  std::ranges::sort(positions);
  questions.note_shown(step, printed);
  std::vector<std::int64_t> runs;
  for (const std::int64_t position : positions) {
    if (!runs.empty() && position == runs[runs.size() - 2] + runs.back()) {
      ++runs.back();
    } else {
      runs.insert(runs.end(), {position, 1});
    }
  }
  return runs.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(runs);
}

}  // namespace attn::render
