#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "render/document.hpp"

namespace attn::render {

/// How a number came about, as derivation_text tells it, as data: the chapter's head, and a list of derivations, of the
/// number first, each with its rule, and the operands' elements in the order of the arithmetic. Throws CellError.
nlohmann::ordered_json derivation_json(const ShownChapter& chapter, const CellRequest& request, std::int64_t depth);

}  // namespace attn::render
