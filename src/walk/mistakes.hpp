#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/rewrite.hpp"
#include "walk/walkthrough.hpp"

namespace attn {

/// A known mistake: one line of an attention program, changed.
struct Mistake {
  std::string name;      ///< "no-scaling"
  std::string sentence;  ///< "the scores are not divided"
  std::string instead;   ///< the line to write: "attn_scores / keys.shape[-1]**0.5"
  Rewriter::Rule rule;   ///< the same program with the mistake
};

using Steps = std::span<const Step>;

/// A row of the tables: a mistake whose rule is made for the steps at hand.
struct MistakeRow {
  std::string_view name;
  std::string_view sentence = {};
  std::string_view instead = {};
  Rewriter::Rule (*rule)(Steps steps) = nullptr;
};

Mistake made(const MistakeRow& row, Steps steps);

/// The mistakes that --what-if has, in several tables.
std::vector<std::span<const MistakeRow>> what_if_mistakes();

/// The mistake of --what-if with that name, which must exist.
Mistake mistake_of(std::string_view name, Steps steps);

}  // namespace attn
