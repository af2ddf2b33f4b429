#pragma once

#include <vector>

#include "verify/read/page.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Finds all printed tensors and sizes of the page, in its order: tensor(...), Parameter containing:,
/// torch.Size([...]), numpy's array(...), Nx's #Nx.Tensor<...>. Code that creates tensors (torch.tensor(...)) is not
/// output. The results point into the page's text, so the page must not move while they are used. Takes time linear in
/// the page.
std::vector<Printed> find_printed(const Page& page);

}  // namespace attn::verify
