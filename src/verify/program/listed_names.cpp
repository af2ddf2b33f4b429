#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "text/numbers.hpp"
#include "verify/program/listed.hpp"
#include "verify/program/value_parts.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {
namespace {

/// Returns true if the expression has more nodes than this; a shared operand counts each time.
bool has_more_nodes(const Tensor& tensor, std::size_t most) {
  std::size_t count = 0;
  const auto walk = [&](const auto& self, const Tensor& node) -> void {
    for (const Tensor& operand : node.operands()) {
      if (++count <= most && operand.name().empty()) {
        self(self, operand);
      }
    }
  };
  walk(walk, tensor);
  return count > most;
}

/// "1.0000+0.0000j" is read as two numbers.
Value printed_parts(const Value& x) {
  const Tensor pairs = *as_pairs(x).tensor;
  Shape shape(pairs.shape().begin(), pairs.shape().end() - 1);
  shape.empty() ? shape.push_back(2) : void(shape.back() *= 2);
  return reshaped(pairs, shape);
}

}  // namespace

Listed::Listed(std::vector<Written> written, Given given, Printed printed)
    : given_(std::move(given)), printed_(std::move(printed)) {
  std::ranges::for_each(written, [this](Written& one) { add(std::move(one)); });
}

void Listed::add(Written written) {
  if (!written.name.empty()) {
    places_[written.name].push_back(written_.size());
  }
  written_.push_back(std::move(written));
}

std::optional<std::size_t> Listed::assigned(std::string_view name, std::size_t before, std::size_t scope) const {
  const auto places = places_.find(name);
  if (places == places_.end()) {
    return std::nullopt;
  }
  for (auto place = std::ranges::lower_bound(places->second, before); place != places->second.begin();) {
    if (written_[*--place].scope == scope) {
      return *place;
    }
  }
  return scope > 0 ? assigned(name, before, 0) : std::nullopt;
}

std::vector<std::string> Listed::names_of(std::string_view beginning) const {
  std::vector<std::string> names;
  for (auto one = places_.lower_bound(beginning); one != places_.end() && one->first.starts_with(beginning); ++one) {
    const std::string_view rest = std::string_view(one->first).substr(beginning.size());
    rest.find('.') == npos ? names.emplace_back(rest) : std::string();
  }
  return names;
}

Value Listed::variable(std::string_view name, std::size_t before, std::size_t scope) const {
  const auto last = assigned(name, before, scope);
  if (const auto bound = bindings_.find({std::string(name), last}); bound != bindings_.end()) {
    if (const auto tensor = printed_(bound->second)) {
      return value_of(*tensor);
    }
  }
  // 1. layer.weight, of a layer that has another name.
  const std::size_t dot = name.rfind('.');
  const auto holder = dot == npos ? std::nullopt : assigned(name.substr(0, dot), before, scope);
  if (holder && (!last || *last < *holder)) {
    const Written& other = written_[*holder];
    const bool is_same = assigned(other.value, *holder, other.in) == assigned(other.value, before, other.in);
    return is_path(other.value)
               ? variable(other.value + std::string(name.substr(dot)), is_same ? before : *holder, other.in)
               : Value{};
  }
  // 2. What is given, by a name that nothing else has.
  const auto places = places_.find(name);
  const auto is_same = [&](std::size_t place) { return !last || written_[place].scope == written_[*last].scope; };
  const bool is_draw = !last && name.starts_with("our_");  // whatever it becomes later
  const bool is_once = is_draw || places == places_.end() || std::ranges::count_if(places->second, is_same) <= 1;
  const bool is_programs = !last || written_[*last].scope == 0;
  const bool is_replaced = holder && last;  // layer.bias = torch.zeros(3)
  if (const auto tensor = is_once && is_programs && !is_replaced ? given_(name) : std::nullopt) {
    return value_of(*tensor);
  }
  if (!last) {
    return {};
  }
  const auto known = values_.find(*last);
  if (known != values_.end()) {
    return known->second;
  }
  // 3. What is assigned.
  constexpr std::size_t longest = 48;  // what is longer is rather called by its name
  const Value& made = values_.emplace(*last, value(written_[*last].value, *last, written_[*last].in)).first->second;
  const bool is_known = is_once && is_programs;
  constexpr std::size_t most_nodes = 16;  // what is of more is called by its name in a function as well
  if (!name.starts_with("our_") && made.tensor && made.tensor->name().empty() &&
      (has_more_nodes(*made.tensor, most_nodes) || (is_known && made.tensor->expression().size() > longest))) {
    made.tensor->set_name(std::string(name));
  }
  return made;
}

std::optional<Tensor> Listed::tensor(std::size_t i) const {
  const Value result = value(written_[i].value, i, written_[i].in);
  return result.kind == Value::Kind::complex ? printed_parts(result).tensor : result.tensor;
}

std::optional<Shape> Listed::sizes(std::size_t i) const {
  const Value result = value(written_[i].value, i, written_[i].in);
  Shape sizes;
  for (const Value& item : result.items) {
    if (!item.number) {
      return std::nullopt;
    }
    sizes.push_back(whole(*item.number));
  }
  return result.items.empty() || result.kind == Value::Kind::dictionary ? std::nullopt : std::optional(sizes);
}

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
  if (value(one.value, i, one.in).kind == Value::Kind::complex) {
    return;  // its parts are printed, not itself
  }
  std::optional<Here> here = one.name.empty() ? Here{one.value, i, one.in} : Here{one.name, i + 1, one.scope};
  for (int turn = 0; here && turn < deepest; ++turn) {
    if (!is_path(here->text)) {
      here = item_at(*here);
      continue;
    }
    const auto at = assigned(here->text, here->before, here->scope);
    const bool is_nobodys = !at && here->text.starts_with("our_");  // each value that is not known has this name
    if (is_nobodys || (turn > 0 && bindings_.contains({here->text, at}))) {
      break;
    }
    bindings_[{here->text, at}] = position;
    here = at ? std::optional(Here{written_[*at].value, *at, written_[*at].in}) : std::nullopt;
  }
  values_.clear();
}

}  // namespace attn::verify
