// Runs a target on inputs, without a fuzzer, and turns folders of inputs into files of them and back:
//
//   replay TARGET FILE...              each a file of inputs (.inputs), or one input itself
//   replay --unpack FILE.inputs FOLDER
//   replay --pack FOLDER FILE.inputs
//
// A file of inputs has for each its number of bytes in decimal digits, a line feed, the bytes and a line feed.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
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

std::vector<std::string> inputs_of(const fs::path& path) {
  if (path.extension() != ".inputs") {
    return {read(path)};
  }
  const std::string packed = read(path);
  std::vector<std::string> inputs;
  for (std::size_t at = 0; at < packed.size();) {
    const std::size_t begin = packed.find('\n', at) + 1;
    const std::size_t size = begin != 0 ? std::stoul(packed.substr(at, begin - at)) : 0;
    if (begin == 0 || packed.size() - begin <= size || packed[begin + size] != '\n') {
      throw std::runtime_error(path.string() + " is no file of inputs at byte " + std::to_string(at));
    }
    inputs.push_back(packed.substr(begin, size));
    at = begin + size + 1;
  }
  return inputs;
}

void unpack(const fs::path& from, const fs::path& folder) {
  fs::create_directories(folder);
  std::size_t number = 0;
  for (const std::string& input : inputs_of(from)) {
    write(folder / std::to_string(++number), input);
  }
}

void pack(const fs::path& folder, const fs::path& to) {
  std::vector<std::string> inputs;
  for (const fs::path& path : fs::directory_iterator(folder)) {
    inputs.push_back(read(path));
  }
  std::ranges::sort(inputs, {},
                    [](const std::string& input) { return std::tuple(input.size(), std::string_view(input)); });
  std::string packed;
  for (const std::string& input : inputs) {
    packed += std::to_string(input.size()) + '\n' + input + '\n';
  }
  write(to, packed);
}

void run(const attn::fuzz::Target& target, const fs::path& path) {
  const std::vector<std::string> inputs = inputs_of(path);
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
  if (name == "--unpack" && arguments.size() == 3) {
    unpack(arguments[1], arguments[2]);
  } else if (name == "--pack" && arguments.size() == 3) {
    pack(arguments[1], arguments[2]);
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
