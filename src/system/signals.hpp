#pragma once

#include <csignal>

namespace attn::system {

/// From here on, a signal that ends the process first removes what is unfinished (beside.hpp). A signal that the
/// process was started to ignore stays ignored.
void watch_signals();

/// While a pager runs, Ctrl-C is left to it.
void leave_keys_to_pager(bool is_paged);

/// Makes a failing write return an error instead of raising a signal: the pipe has no reader, or the file has reached
/// its size limit.
void let_writes_fail();

}  // namespace attn::system
