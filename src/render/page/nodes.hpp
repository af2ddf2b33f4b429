#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "lesson/explain.hpp"
#include "lesson/questions.hpp"
#include "render/document.hpp"
#include "tensor/tensor.hpp"
#include "torch/shown.hpp"

namespace attn::render {

/// The positions of a step's cells that exercises may ask for, as runs: [first, how many, first, how many, ...]; null
/// if there are none. Records the step's numbers as known in `questions`.
nlohmann::ordered_json asks_json(const Step& step, Questions& questions, const TextOptions& text);

/// The tensors of a page for its script: those shown and all that they depend on, operands first.
class PageNodes {
 public:
  explicit PageNodes(const torch::PrintOptions& print) : print_(print) {}

  /// Adds a chapter and returns its number. `tokens` are the words for the rows of its `inputs` and must outlive this
  /// object.
  std::size_t add_chapter(std::span<const std::string> tokens);

  /// Adds a tensor and returns its number; empty if it has too many elements, or more than PyTorch prints in full.
  std::optional<std::size_t> add(const Tensor& tensor, std::size_t chapter);

  /// Records that this step shows the node, and names the node if it has no name. If several steps show it, the first
  /// counts.
  void set_step(std::size_t node, std::size_t step, const std::string& name);

  std::size_t size() const { return nodes_.size(); }
  /// A node as the script reads it; adds its descriptions to the tellings.
  nlohmann::ordered_json node_json(std::size_t node);
  /// The descriptions of numbers from this one on, each stored once.
  nlohmann::ordered_json tellings_from(std::size_t first) const;

 private:
  struct Node {
    Tensor tensor;
    std::size_t chapter;
    std::vector<std::int64_t> operands;  ///< node numbers; -1 for tensors that are not on the page
    std::optional<std::size_t> step;
    std::string name;
  };

  /// How each of a tensor's elements is computed, as [description, a, b, bias]. The lists have the places of the
  /// operands' elements, counted through all operands, one after the other; empty lists at the end are left out. Empty
  /// if there are too many terms.
  nlohmann::ordered_json derivations_json(const Tensor& tensor);
  std::size_t telling_number(const nlohmann::ordered_json& telling);

  torch::PrintOptions print_;
  std::vector<nlohmann::ordered_json> tellings_;
  std::map<std::string, std::size_t> telling_numbers_;
  std::vector<std::span<const std::string>> tokens_;  ///< by chapter
  std::vector<Node> nodes_;
  std::unordered_map<const void*, std::size_t> numbers_;
};

/// The effect of a changed rule on each of the chapter's steps; 0 if nothing differs. Adds the tensors of the changed
/// chapter to the nodes; `first_step` is the place of the chapter's first step on the page.
std::vector<nlohmann::ordered_json> changes_json(const ShownChapter& chapter, const ShownWhatIf& what_if,
                                                 std::size_t number, std::size_t first_step, PageNodes& nodes,
                                                 const TextOptions& text);

/// Writes text escaped for HTML, also inside quotes.
void write_escaped(std::ostream& out, std::string_view text);

/// Writes the contents of a placeholder.
using Write = std::function<void(std::ostream&)>;
using Blanks = std::map<std::string_view, Write>;

Write escaped(std::string text);
/// `html` must outlive it.
Write verbatim(std::string_view html);

/// Writes the template with each {{name}} replaced, piece by piece, because a page may be larger than memory.
void write_filled(std::ostream& out, std::string_view pattern, const Blanks& places);

/// The text between <!--name--> and <!--/name-->, and the pattern with {{name}} in its place.
struct Cut {
  std::string inner;
  std::string rest;
};

Cut cut_out(const std::string& pattern, const std::string& name);

/// The text compressed with zlib, as base64; a page's script unpacks it on demand.
std::string packed(const std::string& text);

/// The glossary's terms with their meanings: <dt> and <dd>.
void write_glossary(std::ostream& out, std::string_view glossary);

/// A step's label as a heading; if it has none, or the label is code, its name in words: "context vectors".
std::string heading_of(const Step& step);

/// Writes the notices as list items.
void write_notice_items(std::ostream& out, std::span<const std::string> notices);

/// Writes the reasons as paragraphs and tables.
void write_reasons(std::ostream& out, std::span<const Reason> reasons);

/// Writes the hidden steps that a step depends on.
void write_through(std::ostream& out, std::span<const StepExplanation> before);

}  // namespace attn::render
