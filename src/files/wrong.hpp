#pragma once

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "text/lines.hpp"

namespace attn::files {

/// Thrown for a file that cannot be read: what is wrong; what is accepted; how to go on.
struct DumpError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr const char* accepted_formats =
    "give a folder of .npy, .csv, .tsv or .bin files, or one file of these, .npz, .safetensors or .json";
inline constexpr const char* accepted_dtypes =
    "numbers may be bool, integers of 8 to 64 bits, float16, float32 or float64, and in .safetensors bfloat16";

/// An error in a file, in the words that a DumpError puts after the file's path.
struct Wrong : std::runtime_error {
  Wrong(const std::string& what, std::string how_to_go_on, std::string what_is_accepted = accepted_formats)
      : runtime_error(text::one_line(what)), accepted(std::move(what_is_accepted)), way_on(std::move(how_to_go_on)) {}

  std::string accepted;
  std::string way_on;
};

/// Runs an action that throws Wrong, and lets its errors begin with the name of something in the file.
template <class Action>
auto within(const std::string& name, const Action& action) {
  try {
    return action();
  } catch (const Wrong& wrong) {
    throw Wrong("'" + name + "': " + wrong.what(), wrong.way_on, wrong.accepted);
  }
}

/// Runs an action that throws Wrong, and makes it a DumpError with the file's path.
template <class Action>
auto naming(const std::filesystem::path& path, const Action& action) {
  try {
    return action();
  } catch (const Wrong& wrong) {
    throw DumpError(
        text::one_line("'" + path.string() + "': " + wrong.what() + "; " + wrong.accepted + "; " + wrong.way_on));
  }
}

}  // namespace attn::files
