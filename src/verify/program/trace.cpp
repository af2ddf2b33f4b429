#include "verify/program/trace.hpp"

#include <algorithm>

namespace attn::verify {
namespace {

bool is_everywhere(std::string_view name) { return name.starts_with("our_") || name.find('.') != std::string::npos; }

}  // namespace

void Trace::assign(std::string_view name, std::string_view value, std::size_t in) {
  const std::size_t scope = is_everywhere(name) ? 0 : scope_;
  if (name != value || scope != in) {
    record_.add({place_, std::string(name), std::string(value), "", false, scope, in, ""});
  }
}

std::string Trace::item(std::string_view value) {
  std::string name = new_name("item");
  assign(name, value);
  return name;
}

void Trace::print(std::string_view value, std::string_view label, bool is_certain, std::string_view text) {
  record_.add({place_, "", std::string(value), std::string(label), is_certain, scope_, scope_, std::string(text)});
}

std::string_view Trace::last(std::string_view name) const {
  const auto place = record_.assigned(name, record_.written().size(), scope_);
  return place ? std::string_view(record_.written()[*place].value) : std::string_view();
}

std::vector<Written> Trace::take() const {
  constexpr std::size_t most = 2'000;
  const auto& all = record_.written();
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most))};
}

}  // namespace attn::verify
