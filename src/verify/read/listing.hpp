#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/array.hpp"
#include "verify/read/draws.hpp"
#include "verify/read/page.hpp"
#include "verify/read/written.hpp"

namespace attn::verify {

/// Numbers that a program has written out: torch.tensor([[0.43, ...]]), np.array(...), vec![...].
struct Literal {
  Place place;       ///< of its first bracket; in a notebook the line of the cell's source
  std::string name;  ///< the variable that gets it, "inputs"; empty where none does
  Shape shape;
  std::vector<double> values;  ///< row-major, exact
};

/// What a page says of seeds, sizes and weights, in its program or elsewhere. Each list ascends and has nothing twice.
struct Settings {
  std::vector<std::int64_t> seeds;
  std::vector<std::int64_t> d_in;
  std::vector<std::int64_t> d_out;
  std::vector<std::int64_t> num_heads;
  std::vector<std::int64_t> context_length;
  std::vector<std::int64_t> batch_size;
  std::vector<double> dropouts;
  std::vector<bool> qkv_bias;  ///< false where it is switched off, true where it is switched on; both may be said
  bool rand = false;           ///< weights from a uniform distribution: torch.rand
  bool randn = false;          ///< from a normal one: torch.randn
  bool linear = false;         ///< nn.Linear's own
};

/// What the program that printed a page is known to say.
struct Listing {
  std::vector<Literal> literals;  ///< in the page's order
  Settings settings;
  std::vector<DrawCall> draws;   ///< in the order in which the program runs them
  std::vector<Written> written;  ///< what it assigns and prints
};

/// Reads the listing of a page. Takes time linear in the page.
Listing find_listing(const Page& page);

/// Whether what stands at a place of the listing is known to what is printed at the other place: cells print after
/// their source.
inline bool comes_before(const Place& listed, const Place& printed) {
  return listed.cell != 0 ? listed.cell <= printed.cell : listed.line < printed.line;
}

}  // namespace attn::verify
