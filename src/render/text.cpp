#include "render/text.hpp"

#include <ostream>

#include "render/printed.hpp"

namespace attn::render {

std::string tensor_text(const Tensor& tensor, const TextOptions& options) {
  return printed_tensor(tensor, options).text;
}

void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options) {
  for (const Step& step : steps) {
    out << printed_step(step, options).text << step.end;
  }
}

}  // namespace attn::render
