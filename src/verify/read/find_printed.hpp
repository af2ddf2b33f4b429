#pragma once

#include <vector>

#include "verify/read/page.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Everything that the page prints of tensors, in its order: tensor(...), Parameter containing:, torch.Size([...]),
/// numpy's array(...), Nx's #Nx.Tensor<...>. Code that makes tensors (torch.tensor(...)) is not output. What is found
/// points into the page's text: the page must stay where it is as long as that is used. Takes time linear in the page.
std::vector<Printed> find_printed(const Page& page);

}  // namespace attn::verify
