#pragma once

#include <span>
#include <vector>

#include "cli/options.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/read/listing.hpp"
#include "verify/read/printed.hpp"

namespace attn::cli {

/// The lessons that a page's tensors are held against, in waves: each article as it is; with the seeds and sizes that
/// the page names; with usual ones. What the options say is not varied.
std::vector<verify::Explanation> lessons_to_try(const VerifyOptions& options, std::span<const verify::Printed> printed,
                                                const verify::Settings& settings);

}  // namespace attn::cli
