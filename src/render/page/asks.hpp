#pragma once

#include <nlohmann/json.hpp>

#include "lesson/questions.hpp"

namespace attn::render {

/// The positions of a step's cells that exercises may ask for, as runs: [first, how many, first, how many, ...]; null
/// where there are none. The step's numbers are known to `questions` from here on.
nlohmann::ordered_json asks_json(const Step& step, Questions& questions, const TextOptions& text);

}  // namespace attn::render
