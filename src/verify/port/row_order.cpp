#include "verify/port/row_order.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "verify/port/axes.hpp"

namespace attn::verify {
namespace {

bool are_rows(const std::string& order) { return order.starts_with("[B*T,") || order.starts_with("[T*B,"); }

/// Where tokens may have been mixed up with entries: such rows say nothing of the others.
bool is_joined(const Item& item) {
  const std::string& name = item.matched->step->name;
  return are_rows(order_in(item.matched->laid->words)) && (name.starts_with("context") || name == "output");
}

}  // namespace

std::optional<bool> is_tokens_first(const Item& item) {
  if (!item.matched || !item.matched->laid->cells.empty()) {
    return std::nullopt;
  }
  const std::vector<Axis> axes = axes_of(*item.matched->step->tensor);
  const auto has = [&axes](std::string_view label) {
    return std::ranges::any_of(axes, [&](const Axis& axis) { return axis.label == label && axis.size > 1; });
  };
  const std::string order = order_in(item.matched->laid->words);
  const bool is_told = has("B") && has("T") && (order.empty() || order[1] == 'B' || order[1] == 'T');
  return is_told ? std::optional(!order.empty() && order[1] == 'T') : std::nullopt;
}

std::vector<Item*> rows_in_another_order(std::span<Item> items) {
  const Item* first = nullptr;
  for (const Item& item : items) {
    if (is_tokens_first(item) && (first == nullptr || item.matched->step < first->matched->step)) {
      first = &item;
    }
  }
  const bool usual = first != nullptr && !is_joined(*first) && is_tokens_first(*first).value_or(false);
  std::vector<Item*> others;
  for (Item& item : items) {
    if (is_tokens_first(item).value_or(usual) != usual && are_rows(order_in(item.matched->laid->words))) {
      others.push_back(&item);
    }
  }
  return others;
}

}  // namespace attn::verify
