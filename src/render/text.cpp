#include "render/text.hpp"

#include <ostream>

namespace attn::render {

void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options) {
  for (const Step& step : steps) {
    out << label_text(step) << value_text(step, options) << step.end;
  }
}

}  // namespace attn::render
