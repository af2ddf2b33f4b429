#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "text/numbers.hpp"
#include "verify/program/listed.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {

std::optional<Listed::Here> Listed::item_at(const Here& here) const {
  const std::size_t bracket = here.text.find('[');
  if (bracket == 0 || bracket == std::string::npos || !here.text.ends_with(']')) {
    return std::nullopt;
  }
  const auto holder = assigned(here.text.substr(0, bracket), here.before, here.scope);
  const auto k = text::number_of<std::size_t>(here.text.substr(bracket + 1, here.text.size() - bracket - 2));
  const std::string_view list = holder ? std::string_view(written_[*holder].value) : std::string_view();
  if (!k || !list.starts_with('[') || !list.ends_with(']')) {
    return std::nullopt;
  }
  const auto items = split_outside(list.substr(1, list.size() - 2), ',');
  return *k < items.size() ? std::optional(Here{std::string(items[*k]), *holder, written_[*holder].in}) : std::nullopt;
}

void Listed::bind(std::size_t i, std::size_t position) {
  constexpr int deepest = 20;
  const Written& one = written_[i];
  std::optional<Here> here = one.name.empty() ? Here{one.value, i, one.in} : Here{one.name, i + 1, one.scope};
  for (int turn = 0; here && turn < deepest; ++turn) {
    if (!is_path(here->text)) {
      here = item_at(*here);
      continue;
    }
    const auto at = assigned(here->text, here->before, here->scope);
    if (turn > 0 && bindings_.contains({here->text, at})) {
      break;
    }
    bindings_[{here->text, at}] = position;
    here = at ? std::optional(Here{written_[*at].value, *at, written_[*at].in}) : std::nullopt;
  }
  values_.clear();
}

}  // namespace attn::verify
