// Runs a target on inputs, without a fuzzer, and turns folders of inputs into a part of a file of them and back:
//
//   replay TARGET FILE...                a file of inputs (.inputs), or one input itself
//   replay --unpack FILE.inputs TARGET FOLDER
//   replay --pack FOLDER FILE.inputs TARGET
//
// A file of inputs has for each its target, its number of bytes in decimal digits, a line feed, the bytes and a line
// feed.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "targets.hpp"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error(path.string() + " cannot be read");
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << bytes).flush()) {
    throw std::runtime_error(path.string() + " cannot be written");
  }
}

using Inputs = std::map<std::string, std::vector<std::string>>;

/// The inputs of a file by their targets.
Inputs unpacked(const fs::path& path) {
  const std::string packed = read(path);
  Inputs inputs;
  for (std::size_t at = 0; at < packed.size();) {
    const std::size_t begin = packed.find('\n', at) + 1;
    std::istringstream heading(packed.substr(at, begin - at));
    std::string target;
    std::size_t size = 0;
    heading >> target >> size;
    if (begin == 0 || !heading || packed.size() - begin <= size || packed[begin + size] != '\n') {
      throw std::runtime_error(path.string() + " is no file of inputs at byte " + std::to_string(at));
    }
    inputs[target].push_back(packed.substr(begin, size));
    at = begin + size + 1;
  }
  return inputs;
}

void unpack(const fs::path& from, const std::string& target, const fs::path& folder) {
  fs::create_directories(folder);
  std::size_t number = 0;
  Inputs inputs = unpacked(from);
  for (const std::string& input : inputs[target]) {
    write(folder / std::to_string(++number), input);
  }
}

void pack(const fs::path& folder, const fs::path& to, const std::string& target) {
  Inputs inputs = unpacked(to);
  inputs[target].clear();
  for (const fs::path& path : fs::directory_iterator(folder)) {
    inputs[target].push_back(read(path));
  }
  std::ranges::sort(inputs[target], {},
                    [](const std::string& input) { return std::tuple(input.size(), std::string_view(input)); });
  std::string packed;
  for (const auto& [name, all] : inputs) {
    for (const std::string& input : all) {
      packed += name + ' ' + std::to_string(input.size()) + '\n' + input + '\n';
    }
  }
  write(to, packed);
}

void run(const attn::fuzz::Target& target, const fs::path& path) {
  const std::vector<std::string> inputs =
      path.extension() == ".inputs" ? unpacked(path)[std::string(target.name)] : std::vector{read(path)};
  if (inputs.empty()) {
    throw std::runtime_error(path.string() + " has no input");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::cout << path.string() << ", input " << i + 1 << std::endl;  // the last one that is named is the one that fails
    const std::vector<char> bytes(inputs[i].begin(), inputs[i].end());  // no byte more, so that sanitizers see its end
    target.run({bytes.data(), bytes.size()});
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string name = arguments.size() > 1 ? arguments[0] : "";
  const auto target = std::ranges::find(attn::fuzz::targets, name, &attn::fuzz::Target::name);
  if (name == "--unpack" && arguments.size() == 4) {
    unpack(arguments[1], arguments[2], arguments[3]);
  } else if (name == "--pack" && arguments.size() == 4) {
    pack(arguments[1], arguments[2], arguments[3]);
  } else if (target != attn::fuzz::targets.end()) {
    std::for_each(arguments.begin() + 1, arguments.end(), [&](const std::string& path) { run(*target, path); });
  } else {
    throw std::runtime_error("there is no target '" + name + "', or nothing to run it on");
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "replay: " << error.what() << '\n';
  return 2;
}
