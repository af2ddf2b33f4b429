#include "emit/names.hpp"

#include "emit/python.hpp"

namespace attn::emit {

void Names::add(const Tensor& tensor, const std::string& name, const std::string& section) {
  if (found_.emplace(tensor.id(), "").second) {
    wanted_.push_back({tensor.id(), identifier(name), section});
  }
}

void Names::settle() {
  std::map<std::string, int> counts;
  for (const Wanted& wanted : wanted_) {
    ++counts[wanted.name];
  }
  std::set<std::string> taken;
  for (const Wanted& wanted : wanted_) {
    const bool is_shared = counts[wanted.name] > 1 && !wanted.section.empty();
    const std::string name = is_shared ? identifier(wanted.name + "_" + wanted.section) : wanted.name;
    std::string free = name;
    for (int i = 2; !taken.insert(free).second; ++i) {
      free = name + "_" + std::to_string(i);
    }
    found_[wanted.id] = free;
  }
}

}  // namespace attn::emit
