#include "render/text.hpp"

#include <ostream>
#include <vector>

namespace attn::render {
namespace {

std::string shown_text(const Step& step, const TextOptions& options) {
  switch (step.kind) {
    case Step::Kind::tensor: return tensor_text(*step.tensor, options);
    case Step::Kind::size: return torch::format_size(step.tensor->shape());
    case Step::Kind::text: break;
  }
  return step.text;
}

}  // namespace

std::string tensor_text(const Tensor& tensor, const TextOptions& options) {
  std::vector<std::string> suffixes;
  if (options.show_grad && tensor.requires_grad()) {
    const std::string grad_fn = tensor.grad_fn();
    suffixes.push_back(grad_fn.empty() ? "requires_grad=True" : "grad_fn=<" + grad_fn + ">");
  }
  const std::string heading = tensor.operation().is_parameter() ? "Parameter containing:\n" : "";
  return heading + torch::format_tensor(*tensor.array().contents(), suffixes, options.print);
}

void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options) {
  for (const Step& step : steps) {
    out << step.label << (step.label.empty() ? "" : " ") << shown_text(step, options) << step.end;
  }
}

}  // namespace attn::render
