#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lesson/derivation.hpp"
#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "picture/terminal.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter with one line of its program written otherwise.
struct ShownWhatIf {
  std::string name;         ///< "no-mask"
  std::string did;          ///< one sentence on what that did to the numbers
  std::vector<Step> steps;  ///< those that are asked for, as far as there are any
};

/// One chapter as a writer gets it.
struct ShownChapter {
  std::string name;                               ///< "causal"
  std::string title;                              ///< "causal: a causal mask: no token sees a later one"
  std::function<nlohmann::ordered_json()> about;  ///< tool, version, chapter, article, options
  std::vector<Step> steps;                        ///< those that are asked for
  std::vector<Step> all_steps;                    ///< those that a derivation may go back to
  std::vector<std::string> tokens;                ///< the words that the rows of `inputs` stand for; may be empty
  Why why;
  /// Given all steps; empty where a part of them is asked for.
  std::function<Framing(std::span<const Step> all_steps)> framing;
  std::string article;                ///< whose program it follows: the article's title
  std::vector<ShownWhatIf> what_ifs;  ///< for writers that show them; may be empty
};

/// Exercises instead of the steps as they are: how many numbers of each tensor are hidden, and the seed that decides
/// which.
struct Asked {
  std::int64_t cells;
  std::uint64_t seed;
};

/// All that is written at once, and what is asked for besides the form.
struct Document {
  std::vector<ShownChapter> chapters;  ///< one at least
  TextOptions text;
  bool explain = false;
  bool heatmap = false;
  std::optional<CellRequest> cell;  ///< the derivation of this number instead of the steps
  std::int64_t depth = 1;           ///< of the derivation; 0: down to what is given
  std::optional<Asked> asked;
  Terminal terminal;          ///< where text goes
  std::string_view glossary;  ///< lines "- token: a piece of text", each with more lines after two spaces
};

}  // namespace attn::render
