#pragma once

#include <cstddef>
#include <vector>

#include "verify/read/budget.hpp"
#include "verify/read/page.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// Everything that the page prints of tensors, in its order: tensor(...), Parameter containing:, torch.Size([...]),
/// numpy's array(...), Nx's #Nx.Tensor<...>. Code that makes tensors (torch.tensor(...)) is not output. What is found
/// points into the page's text: the page must stay where it is as long as that is used. Takes time linear in the page.
/// Throws OverBudget where that takes more memory than the budget has.
/// `for_each` bytes are taken for each thing that is found as well, for what is done with it later.
std::vector<Printed> find_printed(const Page& page, Budget& budget, std::size_t for_each);
std::vector<Printed> find_printed(const Page& page);

}  // namespace attn::verify
