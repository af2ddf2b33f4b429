// Where no signal arrives, this file is in the place of signals.cpp.
#include "system/signals.hpp"

namespace attn::system {

bool ends_process(int) { return false; }

struct sigaction handle(int, void (*)(int)) { return {}; }

bool passed_to_main_thread(int) { return false; }

HeldSignals::HeldSignals() = default;

HeldSignals::~HeldSignals() = default;

void let_writes_fail() {}

}  // namespace attn::system
