#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace attn::cli {

/// The last value that an option was given, of a flag any text; nothing where it was not given. A command's own name is
/// asked for like a flag: "all".
using LastValue = std::function<std::optional<std::string>(std::string_view option)>;

/// Whether the command has the option.
using Has = std::function<bool(std::string_view option)>;

/// Throws UsageError, with the reason and what to do instead, for an option that has no effect beside another, or without
/// one that it needs.
void check_rules(const LastValue& last_value, const Has& has);

}  // namespace attn::cli
