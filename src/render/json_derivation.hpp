#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "render/document.hpp"

namespace attn::render {

/// The content of derivation_text as data: the chapter's head and a list of derivations, the requested number's first,
/// each with its rule and its operands' elements in the order of the arithmetic. Throws CellError.
nlohmann::ordered_json derivation_json(const ShownChapter& chapter, const CellRequest& request, std::int64_t depth);

}  // namespace attn::render
