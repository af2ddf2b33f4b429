#pragma once

#include "cli/options.hpp"

namespace attn::cli {

/// Returns true if the command is about a layer of a checkpoint.
bool is_about_layer(const Options& options);

/// Finds the layer of the checkpoint that --weights names, and its config: the file that --config names, or config.json
/// beside the checkpoint. With --sentence, also its tokens: those of --tokenizer, or of tokenizer.json beside it. Sets
/// the lesson's layer, and the chapter that walks through it. Reads no numbers. Throws UsageError.
void settle_layer(Options& options);

}  // namespace attn::cli
