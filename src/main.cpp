#include <exception>
#include <iostream>

#include "cli/options.hpp"
#include "system/descriptor.hpp"
#include "system/pager.hpp"

int main(int argc, char** argv) try {
  attn::system::occupy_standard_descriptors();
  std::ios::sync_with_stdio(false);
  return attn::cli::run(attn::cli::parse(argc, argv));
} catch (const std::exception& error) {
  attn::system::let_writes_fail();
  std::cerr << "attn-walkthrough: error: " << attn::cli::error_line(error) << '\n';
  return 2;
}
