#pragma once

#include <algorithm>

#include <nlohmann/json_fwd.hpp>

#include "lesson/explain.hpp"
#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "lesson/told.hpp"
#include "picture/terminal.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// A chapter with one line of its program changed.
struct ShownWhatIf {
  std::string name;         ///< "no-mask"
  std::string rule;         ///< the change in words, without a full stop
  std::string did;          ///< one sentence about the effect on the numbers
  std::vector<Step> steps;  ///< the requested steps that exist
  bool is_asked_for;        ///< by --what-if: the chapter is compared with it
};

/// One chapter as passed to a writer.
struct ShownChapter {
  std::string name;                               ///< "causal"
  std::string title;                              ///< "causal: a causal mask: no token sees a later one"
  std::function<nlohmann::ordered_json()> about;  ///< tool, version, chapter, article, options
  std::vector<Step> steps;                        ///< the requested steps
  std::vector<Step> all_steps;                    ///< the steps that a derivation may go back to
  std::vector<std::string> tokens;                ///< words for the rows of `inputs`; may be empty
  Why why;
  /// Builds the framing from all steps; empty if only some steps are requested.
  std::function<Framing(std::span<const Step> all_steps)> framing;
  std::string article;                ///< title of the article whose program the chapter follows
  std::vector<ShownWhatIf> what_ifs;  ///< for writers that show them; may be empty
};

/// The rule that the chapter is compared with; null if there is none.
inline const ShownWhatIf* asked_what_if(const ShownChapter& chapter) {
  const auto found = std::ranges::find_if(chapter.what_ifs, &ShownWhatIf::is_asked_for);
  return found == chapter.what_ifs.end() ? nullptr : &*found;
}

/// Exercises in place of the unchanged steps: the number of hidden numbers per tensor, and the seed that chooses them.
struct Asked {
  std::int64_t cells;
  std::uint64_t seed;
};

/// Everything to write, and the options besides the format.
struct Document {
  std::vector<ShownChapter> chapters;  ///< at least one
  TextOptions text;
  bool explain = false;
  bool heatmap = false;
  std::string settings;             ///< of the lesson, as given: "seed 7, num-heads 2"
  bool slides = false;              ///< the page opens as its projector, one step a sheet when printed
  std::string live;                 ///< the settings of a page that computes its lesson, as JSON; empty for others
  std::optional<CellRequest> cell;  ///< write this number's derivation instead of the steps
  std::int64_t depth = 1;           ///< of the derivation; 0: down to given numbers
  std::optional<Asked> asked;
  Terminal terminal;          ///< where the text is shown
  std::string_view glossary;  ///< lines "- token: a piece of text", each continued on lines indented by two
};

}  // namespace attn::render
