#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cli/options.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/read/listing.hpp"
#include "verify/read/printed.hpp"

namespace attn::cli {

/// The lessons that a page's tensors are held against, by what is known of its program, in waves: each article as it is;
/// with the seeds and sizes that the page names; with usual ones. Asked again, the same lesson is not walked again.
using LessonsToTry = std::function<std::vector<verify::Explanation>(const verify::Settings&)>;

/// Those of one page. What the options say is not varied. Both arguments must live longer.
LessonsToTry lessons_to_try(const VerifyOptions& options, std::span<const verify::Printed> printed);

}  // namespace attn::cli
