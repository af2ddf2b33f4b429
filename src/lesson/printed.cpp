#include "lesson/printed.hpp"

#include <algorithm>

#include "torch/shown.hpp"

namespace attn::render {
namespace {

/// Calls `use` with the numbers that print needs, for a summarised tensor the shown ones, and with the text before the
/// last bracket: grad_fn or requires_grad.
template <class Use>
auto with_numbers(const Tensor& tensor, const TextOptions& options, Use use) {
  std::vector<std::string> suffixes;
  if (options.show_grad && tensor.requires_grad()) {
    const std::string grad_fn = tensor.grad_fn();
    suffixes.push_back(grad_fn.empty() ? "requires_grad=True" : "grad_fn=<" + grad_fn + ">");
  }
  const std::vector<torch::ShownItems> axes = torch::shown_items(tensor.shape(), options.print);
  if (std::ranges::any_of(axes, &torch::ShownItems::cut)) {
    return use(torch::Printable(tensor.shape(), torch::shown_elements(tensor, axes)), suffixes);
  }
  return use(torch::Printable(*tensor.array().contents()), suffixes);
}

/// The text before "tensor(", which marks an nn.Parameter.
std::string start_of(const Tensor& tensor) {
  return tensor.operation().is_parameter() ? "Parameter containing:\n" : "";
}

/// The value of a step that is no tensor.
std::string plain_value(const Step& step) {
  return step.kind == Step::Kind::size ? torch::format_size(step.tensor->shape()) : step.text;
}

}  // namespace

std::string label_text(const Step& step) { return step.label.empty() ? "" : step.label + " "; }

void write_value(const torch::TextSink& sink, const Step& step, const TextOptions& options) {
  if (step.kind != Step::Kind::tensor) {
    sink(plain_value(step));
    return;
  }
  sink(start_of(*step.tensor));
  with_numbers(*step.tensor, options, [&](const torch::Printable& numbers, const std::vector<std::string>& suffixes) {
    torch::write_tensor(sink, numbers, suffixes, options.print);
  });
}

std::string tensor_text(const Tensor& tensor, const TextOptions& options) {
  return with_numbers(tensor, options, [&](const torch::Printable& numbers, const std::vector<std::string>& suffixes) {
    return start_of(tensor) + torch::format_tensor(numbers, suffixes, options.print);
  });
}

std::string value_text(const Step& step, const TextOptions& options) {
  return step.kind == Step::Kind::tensor ? tensor_text(*step.tensor, options) : plain_value(step);
}

std::string step_text(const Step& step, const TextOptions& options) {
  return label_text(step) + value_text(step, options);
}

torch::PrintedTensor printed_step(const Step& step, const TextOptions& options) {
  if (step.kind != Step::Kind::tensor) {
    return {step_text(step, options), {}};
  }
  const std::string before = label_text(step) + start_of(*step.tensor);
  torch::PrintedTensor printed = with_numbers(
      *step.tensor, options, [&](const torch::Printable& numbers, const std::vector<std::string>& suffixes) {
        return torch::print_tensor(numbers, suffixes, options.print);
      });
  printed.text.insert(0, before);
  for (torch::PrintedCell& cell : printed.cells) {
    cell.offset += before.size();
  }
  return printed;
}

void write_text(std::ostream& out, std::span<const Step> steps, const TextOptions& options) {
  for (const Step& step : steps) {
    out << label_text(step);
    write_value([&out](std::string_view text) { out << text; }, step, options);
    out << step.end;
  }
}

}  // namespace attn::render
