#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/array.hpp"
#include "verify/read/draws.hpp"
#include "verify/read/page.hpp"
#include "verify/read/written.hpp"

namespace attn::verify {

/// Numbers written out in a program: torch.tensor([[0.43, ...]]), np.array(...), vec![...].
struct Literal {
  Place place;       ///< of its first bracket; in a notebook, the line of the cell's source
  std::string name;  ///< the variable assigned to, "inputs"; empty if there is none
  Shape shape;
  std::vector<double> values;  ///< row-major, exact
};

/// A page's statements about seeds, sizes and weights, in its program or elsewhere. Each list is ascending without
/// duplicates.
struct Settings {
  std::vector<std::int64_t> seeds;
  std::vector<std::int64_t> d_in;
  std::vector<std::int64_t> d_out;
  std::vector<std::int64_t> num_heads;
  std::vector<std::int64_t> context_length;
  std::vector<std::int64_t> batch_size;
  std::vector<double> dropouts;
  std::vector<bool> qkv_bias;  ///< false if it is switched off, true if it is switched on; may have both
  bool rand = false;           ///< weights from a uniform distribution: torch.rand
  bool randn = false;          ///< weights from a normal distribution: torch.randn
  bool linear = false;         ///< nn.Linear's own initialisation
};

/// What is known about the program that printed a page.
struct Listing {
  std::vector<Literal> literals;  ///< in the page's order
  Settings settings;
  std::vector<DrawCall> draws;   ///< in execution order
  std::vector<Written> written;  ///< assignments and prints
};

/// Reads a page's listing. Takes time linear in the page.
Listing find_listing(const Page& page);

/// Returns true if code at the one place runs before the output at the other is printed: cells print after their
/// source.
inline bool comes_before(const Place& listed, const Place& printed) {
  return listed.cell != 0 ? listed.cell <= printed.cell : listed.line < printed.line;
}

}  // namespace attn::verify
