#include "render/text.hpp"

#include <ostream>
#include <string_view>

namespace attn::render {

void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options) {
  for (const Step& step : steps) {
    out << label_text(step);
    write_value([&out](std::string_view text) { out << text; }, step, options);
    out << step.end;
  }
}

}  // namespace attn::render
