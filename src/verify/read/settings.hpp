#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace attn::verify {

/// A page's statements about seeds, sizes and weights, in its program or elsewhere. Each list is ascending without
/// duplicates.
struct Settings {
  std::vector<std::int64_t> seeds;
  std::vector<std::int64_t> d_out;
  std::vector<std::int64_t> num_heads;
  std::vector<double> dropouts;
  std::vector<bool> qkv_bias;  ///< false if it is switched off, true if it is switched on; may have both
  bool rand = false;           ///< weights from a uniform distribution: torch.rand
  bool randn = false;          ///< weights from a normal distribution: torch.randn
  bool linear = false;         ///< nn.Linear's own initialisation
};

/// Finds a text's statements about seeds, sizes and weights: "manual_seed(123)", "seed 123", "d_in, d_out = 3, 2",
/// "nn.Linear(3, 2". Takes time linear in the text.
Settings find_settings(std::string_view text);

}  // namespace attn::verify
