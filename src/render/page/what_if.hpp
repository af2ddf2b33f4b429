#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "render/document.hpp"
#include "render/page/nodes.hpp"
#include "walk/step_pairs.hpp"

namespace attn::render {

/// A chapter with one rule changed, as a page's script reads it: of each step what differs, and of those in which
/// nothing does, nothing. What it is given must outlive it.
class PageWhatIf {
 public:
  /// Where the chapter is on the page.
  struct Place {
    std::size_t chapter;
    std::size_t first_step;
  };

  /// Adds the tensors that the change made to the nodes.
  PageWhatIf(const ShownChapter& chapter, const ShownWhatIf& what_if, const Place& place, PageNodes& nodes,
             const TextOptions& text);

  /// Its name, and what it did.
  nlohmann::ordered_json head_json() const;
  /// What it made of one of the chapter's steps; 0 where nothing differs.
  nlohmann::ordered_json entry_json(std::size_t step) const;

 private:
  struct Entry {
    StepPair pair;
    std::optional<std::size_t> node;
    std::vector<const Step*> added;  ///< steps that only the change has, just before this one
  };

  nlohmann::ordered_json changed_json(const Entry& entry) const;

  const ShownChapter& chapter_;
  const ShownWhatIf& what_if_;
  TextOptions text_;
  std::vector<Entry> entries_;
};

}  // namespace attn::render
