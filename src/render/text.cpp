#include "render/text.hpp"

#include <ostream>

#include "render/printed.hpp"

namespace attn::render {

std::string tensor_text(const Tensor& tensor, const TextOptions& options) {
  return print_heading(tensor) +
         torch::format_tensor(*tensor.array().contents(), print_suffixes(tensor, options), options.print);
}

void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options) {
  for (const Step& step : steps) {
    out << label_text(step) << value_text(step, options) << step.end;
  }
}

}  // namespace attn::render
