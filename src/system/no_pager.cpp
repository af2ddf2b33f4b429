// Where no other program can be started, this file is in the place of pager.cpp.
#include "system/pager.hpp"

namespace attn::system {

std::optional<std::string> pager_command() { return std::nullopt; }

Pager::Pager(const std::string&) {}

Pager::~Pager() = default;

bool Pager::finish() { return false; }

}  // namespace attn::system
