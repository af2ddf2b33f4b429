#include <exception>
#include <iostream>

#include "cli/options.hpp"
#include "cli/run.hpp"

int main(int argc, char** argv) try {
  std::ios::sync_with_stdio(false);
  return attn::cli::run(attn::cli::parse(argc, argv));
} catch (const std::exception& error) {
  std::cerr << "attn-walkthrough: error: " << attn::cli::error_line(error) << '\n';
  return 2;
}
