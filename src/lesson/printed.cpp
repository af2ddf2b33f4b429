#include "lesson/printed.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "torch/shown.hpp"

namespace attn::render {
namespace {

/// Calls `use` with the numbers that print needs: for a summarised tensor, the shown ones.
template <class Use>
auto with_numbers(const Tensor& tensor, const torch::PrintOptions& print, Use use) {
  const std::vector<torch::ShownItems> axes = torch::shown_items(tensor.shape(), print);
  if (std::ranges::any_of(axes, &torch::ShownItems::cut)) {
    return use(torch::Printable(tensor.shape(), torch::shown_elements(tensor, axes)));
  }
  return use(torch::Printable(*tensor.array().contents()));
}

torch::PrintedTensor after(const std::string& heading, torch::PrintedTensor printed) {
  printed.text.insert(0, heading);
  for (torch::PrintedCell& cell : printed.cells) {
    cell.offset += heading.size();
  }
  return printed;
}

}  // namespace

std::string print_heading(const Tensor& tensor) {
  return tensor.operation().is_parameter() ? "Parameter containing:\n" : "";
}

std::vector<std::string> print_suffixes(const Tensor& tensor, const TextOptions& options) {
  if (!options.show_grad || !tensor.requires_grad()) {
    return {};
  }
  const std::string grad_fn = tensor.grad_fn();
  return {grad_fn.empty() ? "requires_grad=True" : "grad_fn=<" + grad_fn + ">"};
}

torch::PrintedTensor printed_tensor(const Tensor& tensor, const TextOptions& options) {
  return with_numbers(tensor, options.print, [&](const torch::Printable& numbers) {
    return after(print_heading(tensor), torch::print_tensor(numbers, print_suffixes(tensor, options), options.print));
  });
}

std::string tensor_text(const Tensor& tensor, const TextOptions& options) {
  return with_numbers(tensor, options.print, [&](const torch::Printable& numbers) {
    return print_heading(tensor) + torch::format_tensor(numbers, print_suffixes(tensor, options), options.print);
  });
}

std::string label_text(const Step& step) { return step.label.empty() ? "" : step.label + " "; }

torch::PrintedTensor printed_value(const Step& step, const TextOptions& options) {
  switch (step.kind) {
    case Step::Kind::tensor: return printed_tensor(*step.tensor, options);
    case Step::Kind::size: return {torch::format_size(step.tensor->shape()), {}};
    case Step::Kind::text: break;
  }
  return {step.text, {}};
}

torch::PrintedTensor printed_step(const Step& step, const TextOptions& options) {
  return after(label_text(step), printed_value(step, options));
}

std::string value_text(const Step& step, const TextOptions& options) {
  return step.kind == Step::Kind::tensor ? tensor_text(*step.tensor, options) : printed_value(step, options).text;
}

void write_value(const torch::TextSink& sink, const Step& step, const TextOptions& options) {
  if (step.kind != Step::Kind::tensor) {
    sink(printed_value(step, options).text);
    return;
  }
  const Tensor& tensor = *step.tensor;
  sink(print_heading(tensor));
  with_numbers(tensor, options.print, [&](const torch::Printable& numbers) {
    torch::write_tensor(sink, numbers, print_suffixes(tensor, options), options.print);
  });
}

std::string step_text(const Step& step, const TextOptions& options) {
  return label_text(step) + value_text(step, options);
}

}  // namespace attn::render
