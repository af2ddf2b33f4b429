#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tensor/array.hpp"
#include "tensor/operations.hpp"

namespace attn {

/// A tensor that the user gives.
struct GivenTensor {
  /// How a weight is stored, if its name implies it.
  enum class Layout { as_is, rows, columns };

  std::string name;  ///< "inputs", or a weight's step with or without the section: "W_query", "head_1/W_query"
  Shape shape;
  /// Reads the numbers, row-major, on first use, so that a wrong shape is refused before.
  std::function<std::shared_ptr<const std::vector<float>>()> values;
  std::string source;             ///< the name on the command line: "mine.npz"; or the option that makes it
  Layout layout = Layout::as_is;  ///< rows: nn.Linear's [d_out, d_in]; columns: [d_in, d_out]
  LeafWords words = {""};         ///< how a program reads it; empty: a program lists its numbers
};

/// A word of a sentence as one token of a checkpoint's vocabulary.
struct GivenToken {
  std::string word;  ///< "journey"
  std::string text;  ///< as the vocabulary spells it: "Ġjourney"
  std::int64_t id = 0;
};

/// One layer of a model's checkpoint.
struct GivenLayer {
  std::int64_t number = 0;
  std::string source;                                  ///< the checkpoint on the command line: "model.safetensors"
  std::vector<std::string> files;                      ///< that have the layer's tensors
  std::map<std::string, Tensor, std::less<>> weights;  ///< by their names in the layer, "attn.c_attn.weight", or where
                                                       ///< the model embeds tokens, "wte.weight"
  std::string config;                                  ///< the path of its config.json; empty without one
  std::map<std::string, double, std::less<>> numbers;  ///< what the config says, as files::Settings
  std::map<std::string, std::string, std::less<>> words;
  std::vector<GivenToken> tokens;  ///< of the lesson's sentence; empty if it has the hidden states
  std::string tokenizer;           ///< the path of the tokens' tokenizer.json
};

/// The weights that the user gives.
struct GivenWeights {
  std::vector<GivenTensor> tensors;
  bool is_whole_file = false;  ///< all tensors of a file: those that are not weights of the chapter are ignored
  std::string source;
};

}  // namespace attn
