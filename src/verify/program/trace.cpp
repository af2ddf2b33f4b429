#include "verify/program/trace.hpp"

namespace attn::verify {
namespace {

bool is_everywhere(std::string_view name) { return name.starts_with("our_") || name.find('.') != std::string::npos; }

}  // namespace

void Trace::add(Written written) {
  constexpr std::size_t most = 2'000;
  if (written_.size() < most) {
    written_.push_back(std::move(written));
  }
}

void Trace::assign(std::string_view name, std::string_view value, std::size_t in) {
  const std::size_t scope = is_everywhere(name) ? 0 : scope_;
  last_[{scope, std::string(name)}] = value;
  if (name != value || scope != in) {
    add({place_, std::string(name), std::string(value), "", false, scope, in, ""});
  }
}

std::string Trace::item(std::string_view value) {
  std::string name = new_name("item");
  assign(name, value);
  return name;
}

void Trace::print(std::string_view value, std::string_view label, bool is_certain, std::string_view text) {
  add({place_, "", std::string(value), std::string(label), is_certain, scope_, scope_, std::string(text)});
}

std::string_view Trace::last(std::string_view name) const {
  for (const std::size_t scope : {scope_, std::size_t{0}}) {
    if (const auto found = last_.find({scope, std::string(name)}); found != last_.end()) {
      return found->second;
    }
  }
  return {};
}

}  // namespace attn::verify
