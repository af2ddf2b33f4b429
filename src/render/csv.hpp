#pragma once

#include <functional>
#include <iosfwd>
#include <string_view>

#include "render/document.hpp"

namespace attn::render {

/// A tensor as rows of comma-separated numbers, each with the fewest digits that round-trip; a bool is 1 or 0. The
/// first line describes the tensor: "# head_1/keys: float32 [2, 6, 3]". An empty line separates matrices.
void write_csv_rows(const std::function<void(std::string_view)>& sink, const Step& step);

/// Writes the only tensor among the document's steps.
void write_csv(std::ostream& out, const Document& document);

}  // namespace attn::render
