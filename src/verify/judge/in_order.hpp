#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "verify/judge/judge.hpp"

namespace attn::port {

/// Reads one tensor of a dump.
using ReadOne = std::function<dump::Dumped(const std::string& name)>;

/// What judge() says of a large dump that is all right by the steps' own names and shapes, read and computed a tensor
/// at a time: its numbers are not kept, nor are the lesson's. None where anything else is in it. `given` are the
/// dump's tensors without their numbers, and must outlive the result.
std::optional<Judgement> judge_in_order(std::span<const dump::Dumped> given, const ReadOne& read,
                                        std::span<const Step> steps, const Tolerance& tolerance);

}  // namespace attn::port
