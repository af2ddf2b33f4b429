// Where no signal arrives, this file is in the place of signals.cpp.
#include "system/pager.hpp"

namespace attn::system {

void watch_signals() {}

void leave_keys_to_pager(bool) {}

void let_writes_fail() {}

}  // namespace attn::system
