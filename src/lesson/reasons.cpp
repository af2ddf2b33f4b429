#include "lesson/reasons.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "lesson/lineage.hpp"
#include "tensor/operations.hpp"
#include "text/columns.hpp"
#include "text/numbers.hpp"

namespace attn::render {
namespace {

bool is_scaled(const Step& step) { return step.tensor->operation().facts().root_of > 1; }

/// The scores of a softmax before scaling.
const Tensor& unscaled(const Tensor& scores) { return scores.kind() == Kind::scaled ? scores.operands()[0] : scores; }

bool is_masked_softmax(const Step& step) {
  if (step.tensor->kind() != Kind::softmax || step.tensor->operation().facts().axis != -1) {
    return false;
  }
  const Tensor& scores = unscaled(step.tensor->operands()[0]);
  return scores.kind() == Kind::masked && std::isinf(scores.operation().facts().value) &&
         scores.operands()[1].operation().facts().is_by_tokens && step.tensor->size(-1) >= 2;
}

bool is_dropped(const Step& step) {
  const double p = step.tensor->operation().facts().p;
  return step.tensor->kind() == Kind::dropout && p > 0 && p < 1;
}

bool is_split(const Step& step) {
  const Tensor& tensor = *step.tensor;
  const Tensor& view = tensor.kind() == Kind::transpose ? tensor.operands()[0] : tensor;
  return view.kind() == Kind::view && view.operands()[0].kind() == Kind::linear && tensor.shape().size() == 4 &&
         counts_heads(view, 2);
}

bool is_unmasked_context(const Step& step) {
  const Tensor& tensor = *step.tensor;
  return tensor.kind() == Kind::matmul && tensor.dim() >= 2 && tensor.size(-2) >= 2 &&
         counts_tokens(tensor, tensor.shape().size() - 2) && is_made_with(tensor.operands()[0], {Kind::softmax}) &&
         !is_made_with(tensor, {Kind::masked, Kind::dropout, Kind::multiplied});
}

}  // namespace

Reasons::Reasons(std::span<const Step> steps) {
  constexpr Form table[] = {
      {is_scaled, [](const Tensor& tensor, std::span<const std::string>) { return scaling_reasons(tensor); }},
      {is_masked_softmax, mask_reasons},
      {is_dropped, [](const Tensor& tensor, std::span<const std::string>) { return dropout_reasons(tensor); }},
      {is_split, [](const Tensor& tensor, std::span<const std::string>) { return head_reasons(tensor); }},
      {is_unmasked_context, [](const Tensor& tensor, std::span<const std::string>) { return order_reasons(tensor); }},
  };
  for (const Form& form : table) {
    const auto first = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
      return step.kind == Step::Kind::tensor && form.fits(step);
    });
    if (first != steps.end()) {
      by_step_.emplace(full_name(*first), form);
    }
  }
}

std::vector<Reason> Reasons::of(const Step& step, std::span<const std::string> tokens) const {
  const auto found = step.kind == Step::Kind::tensor ? by_step_.find(full_name(step)) : by_step_.end();
  const bool fits = found != by_step_.end() && found->second.fits(step);
  return fits ? found->second.show(*step.tensor, tokens) : std::vector<Reason>{};
}

std::string fixed_text(double value, int digits) { return text::number_text(value, std::chars_format::fixed, digits); }

std::vector<std::string> table_lines(const Reason& reason) {
  std::vector<std::int64_t> widths;
  for (const auto& row : reason.table) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], text::display_columns(row[i]));
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : reason.table) {
    std::string line = row.empty() ? "" : text::left_aligned(row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += "  " + text::right_aligned(row[i], widths[i]);
    }
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

}  // namespace attn::render
