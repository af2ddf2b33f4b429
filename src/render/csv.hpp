#pragma once

#include <functional>
#include <iosfwd>
#include <string_view>

#include "render/document.hpp"

namespace attn::render {

/// A tensor as rows of numbers, apart by commas, each with the fewest digits that give it back; a truth is 1 or 0. The
/// first line tells the rest: "# head_1/keys: float32 [2, 6, 3]". An empty line stands between matrices.
void write_csv_rows(const std::function<void(std::string_view)>& sink, const Step& step);

/// The only tensor of the document's steps.
void write_csv(std::ostream& out, const Document& document);

}  // namespace attn::render
