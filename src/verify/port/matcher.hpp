#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "verify/port/items.hpp"
#include "verify/port/layer_result.hpp"
#include "verify/port/match.hpp"

namespace attn::verify {

/// One match of a dump with the steps of a way: first what is right, then what is wrong.
class Matcher {
 public:
  /// The arguments must outlive it.
  Matcher(std::span<const Observed> dumped, const Way& way, Right& right, Parts& parts);

  Matching run(const Names& names);

 private:
  const Tensor& tensor(std::size_t step) const { return *steps_[step].tensor; }
  bool is_taken(std::size_t step) const { return holders_[step] > 0; }
  std::size_t step_of(const Item& item) const { return static_cast<std::size_t>(item.matched->step - steps_.data()); }

  // ---- What numbers say (match.cpp)

  void learn_orders();
  void add_wrong(std::size_t step, const Laid& laid);
  void take(Item& item, std::size_t step, std::optional<Laid> laid, bool is_right);
  std::vector<std::size_t> allowed(const Item& item) const;
  void release(Item& item, std::vector<std::size_t> candidates);
  void release_contradicting();
  bool is_second_scores(const Item& item, std::size_t step) const;
  bool take_holding(Item& item, const std::vector<std::size_t>& steps);
  void take_right(Item& item) { take_holding(item, allowed(item)); }
  void read_unwritten(Item& item);
  bool has_right_other(const Item& item) const;
  bool is_rival(const Item& item, std::size_t step) const;
  void take_by_numbers(Item& item);
  void check_final();
  void release_undecided();
  Matching result();

  // ---- What is wrong (match_wrong.cpp)

  struct Choice {
    std::size_t step;
    std::size_t rank = 0;  ///< among the steps that the name allows
    bool is_own = false, is_expected = false, is_taken = false;
    std::optional<Laid> laid = {};  ///< once it is weighed
    double distance = 0;
  };
  struct Open {
    Item* item;
    std::vector<Choice> choices;         ///< by its name
    std::vector<std::size_t> elsewhere;  ///< steps that it may be only where it follows, or another from it
  };

  bool weigh(const Item& item, Choice& choice);
  bool is_large_like(const Item& item, std::size_t step) const;
  std::vector<Choice> choices_of(const Item& item);
  std::set<std::string> certain_sections() const;
  std::vector<Open> open_items();
  void sort_by_distance(const Item& item, std::vector<std::size_t>& steps);
  bool is_made_of_own(std::size_t step, const Item& item) const;
  void take_wrong();
  void take_lost(std::vector<Open>& open);
  std::optional<Laid> following(const Observed& theirs, const Tensor& step, const PortOperands& operands);
  bool take_inherited(Open& one, bool may_be_any_slice);
  bool take_followed(const Open& other, std::span<const Open> open);
  bool follows(const Open& one, std::size_t step, const Laid& laid);
  bool is_followed(const Item& item, const Choice& choice, std::span<const Open> open);
  bool holds_input(const Item& item);
  void take_nearest(Item& item, std::vector<Choice>& choices, std::span<const Open> open);
  void judge_again(Matched& matched);

  std::span<const Observed> dumped_;
  const Way& way_;
  std::span<const Step> steps_;
  Right& right_;
  Parts& parts_;
  std::vector<Item> items_;
  LayerResult result_;
  std::vector<int> holders_;    ///< how many tensors each step has
  std::vector<bool> is_named_;  ///< steps that a tensor is by its exact name
  std::set<std::size_t> right_holders_;
  std::set<std::size_t> undecided_;
  bool are_entries_first_ = false;  ///< a right tensor has entries of the batch before tokens, and none the reverse
  PortOperands operands_;
};

/// Returns true for the steps that a program gets.
bool is_input(const Step& step);

/// Numbers that few tensors share: of a mask, its shape.
bool says_something(const Observed& dumped);

}  // namespace attn::verify
