#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/observed/agree.hpp"

namespace attn::verify {

/// A tensor that others may follow from.
struct Source {
  Observed numbers;
  std::string words;                      ///< "line 44", "inputs"
  std::optional<std::size_t> place = {};  ///< on the page, if it prints it
  bool is_rooted = false;                 ///< known, or follows from known tensors alone
};

/// A statement that a tensor follows from others.
struct Relation {
  std::string words;                 ///< in PyTorch's words: "torch.softmax(line 44 / 2**0.5, dim=-1)"
  std::vector<std::size_t> sources;  ///< their places on the page
  bool is_rooted = false;            ///< all sources are rooted
};

/// Finds the tensors that a printed one follows from.
class Relations {
 public:
  /// Adds a tensor that later ones may follow from. Of printed tensors, only the last few are tried.
  void add(Source source);
  /// Returns the relation by which the tensor follows; none if each may be coincidence.
  std::optional<Relation> find(const Observed& target);

 private:
  friend class RelationSearch;

  struct Leaf {
    Tensor tensor;
    Source source;
  };

  std::vector<std::int64_t> sizes_ = {2, 3, 4, 5, 6, 7, 8};  ///< their square roots may divide scores
  std::vector<Leaf> leaves_;
  Bounds bounds_;
  std::int64_t patience_ = 8'000'000;  ///< what is left for computing bounds
};

}  // namespace attn::verify
