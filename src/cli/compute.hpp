#pragma once

#include <iosfwd>

#include "cli/options.hpp"
#include "emit/emitters.hpp"
#include "files/read/read.hpp"
#include "render/document.hpp"
#include "system/place.hpp"
#include "walk/lesson.hpp"

namespace attn::cli {

/// A chapter with one rule changed.
struct Otherwise {
  const WhatIf* what_if;
  Walkthrough walk;
};

/// The what-if rules of the chapter's program, if the output format shows them and every tensor is small enough to be
/// shown whole; else only --what-if's rule, if it is given. Computes no numbers.
std::vector<Otherwise> what_ifs_of(const Walkthrough& as_is, const Options& options);

/// A writer's view of the changes, with a sentence on the effect of each.
std::vector<render::ShownWhatIf> shown_what_ifs(const Walkthrough& as_is, const Options& options);

/// The chapter's walkthrough without computed numbers; only the user's own tensors are read. Detects errors in them,
/// too little memory and a full disk before anything is written. Throws as computed() does.
Walkthrough planned(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options);

/// The chapter's walkthrough with its random numbers drawn. Throws TooLarge, before any is drawn, if the requested
/// steps do not fit into memory, and UsageError if the chapter does not have them.
Walkthrough computed(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options);

/// A writer's view of the walkthrough, with the numbers of the requested steps and without what-if rules. Chapter and
/// options must outlive it.
render::ShownChapter shown(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options);

/// An emitter's view of the walkthrough. Throws UsageError if the chapter does not have the requested steps.
emit::Chapter emitted(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options);

/// The writer's input.
render::Document document(std::vector<render::ShownChapter> chapters, const Options& options);

/// The chapter's question and next commands.
render::Framing framing(const chapters::Chapter& chapter, const Options& options, std::span<const Step> steps);

/// The purpose of the chapter's steps; it does not depend on the seed. Chapter and options must outlive it.
render::Why why_in(const chapters::Chapter& chapter, const Options& options);

using Write = std::function<void(std::ostream&)>;

/// Prints a note on standard error.
void tell(const std::string& note);

/// Writes to standard output. A pipe that its reader closes is not an error. Throws std::runtime_error.
void to_standard_output(const Write& write);

/// Writes to standard output, on a terminal through a pager if the options allow one. Calls `write` twice if the pager
/// fails to start.
void to_reader(const Options& options, const Write& write);

/// The destinations of a walkthrough: standard output or --output's file for its text, --save's folder or file for its
/// tensors.
class Outputs {
 public:
  /// Checks the destinations before anything is computed. Throws if one is not usable.
  explicit Outputs(const Options& options);

  /// Writes the text and, with --save, the tensors; on an error, neither. Throws std::runtime_error.
  void write(const std::vector<render::ShownChapter>& chapters, const Write& write) const;

 private:
  void write_text(const Write& write) const;

  const Options& options_;
  std::optional<system::Place> output_;
};

/// Runs the action; turns a DumpError into a UsageError that names the option.
template <class Action>
auto reading(const std::string& option, const Action& action) {
  try {
    return action();
  } catch (const files::DumpError& error) {
    throw UsageError(option + ": " + error.what());
  }
}

/// Finds the tensor [tokens, d_in] that an option names: FILE, or FILE:NAME. If the file has several tensors and NAME
/// is not given, it is the one called `name`. Throws UsageError.
GivenTensor read_inputs(const std::string& option, const std::string& text, const std::string& name);

/// Reads the value of --weights: all weights in a FILE, or NAME=FILE,NAME=FILE. Throws UsageError.
GivenWeights read_weights(const std::string& text, std::vector<std::string>& notes);

/// Finds the layer of the checkpoint that --weights names, and its config: the file that --config names, or config.json
/// beside the checkpoint. With --sentence, also its tokens: those of --tokenizer, or of tokenizer.json beside it. Sets
/// the lesson's layer, and the chapter that walks through it. Reads no numbers. Throws UsageError.
void settle_layer(Options& options);

}  // namespace attn::cli
