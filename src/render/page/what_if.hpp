#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "render/document.hpp"
#include "render/page/nodes.hpp"
#include "walk/effects.hpp"

namespace attn::render {

/// A chapter with one rule changed, for a page's script: what differs in each step, and nothing for steps without
/// differences. The arguments must outlive it.
class PageWhatIf {
 public:
  /// The chapter's place on the page.
  struct Place {
    std::size_t chapter;
    std::size_t first_step;
  };

  /// Adds the tensors of the changed chapter to the nodes.
  PageWhatIf(const ShownChapter& chapter, const ShownWhatIf& what_if, const Place& place, PageNodes& nodes,
             const TextOptions& text);

  /// The change's name and effect.
  nlohmann::ordered_json head_json() const;
  /// The change's effect on one of the chapter's steps; 0 if nothing differs.
  nlohmann::ordered_json entry_json(std::size_t step) const;

 private:
  struct Entry {
    StepPair pair;
    std::optional<std::size_t> node;
    std::vector<const Step*> added;  ///< steps that only the changed chapter has, just before this one
  };

  nlohmann::ordered_json changed_json(const Entry& entry) const;

  const ShownChapter& chapter_;
  const ShownWhatIf& what_if_;
  TextOptions text_;
  std::vector<Entry> entries_;
};

}  // namespace attn::render
