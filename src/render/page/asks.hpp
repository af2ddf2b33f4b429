#pragma once

#include <nlohmann/json.hpp>

#include "lesson/questions.hpp"

namespace attn::render {

/// The positions of a step's cells that exercises may ask for, as runs: [first, how many, first, how many, ...]; null
/// if there are none. Records the step's numbers as known in `questions`.
nlohmann::ordered_json asks_json(const Step& step, Questions& questions, const TextOptions& text);

}  // namespace attn::render
