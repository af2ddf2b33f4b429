#pragma once

#include <cstddef>
#include <string>

#include "present/pointing.hpp"
#include "present/prompt.hpp"
#include "present/stage.hpp"
#include "present/walks.hpp"

namespace attn::present {

/// Switches to other walks: another seed, or one rule changed. The functions return a message for the user.
class Changing {
 public:
  Changing(Walks& walks, Stage& stage, Prompt& prompt, Pointing& pointing)
      : walks_(walks), stage_(stage), prompt_(prompt), pointing_(pointing) {}

  std::string ask_for_seed();
  /// The next view of the changed rule. Before any rule is changed: the list of rules, or the rule itself if there is
  /// only one.
  std::string what_if();
  /// Covers the stage with the list of rules.
  std::string list_rules();
  bool lists_rules() const { return lists_rules_; }
  /// Changes the rule that a key names in the list, and closes the list.
  std::string take_rule(const Key& key);

 private:
  std::string change(std::size_t rule);
  std::size_t next_rule();
  /// Keeps the chosen cell in the other walk.
  std::string take_walks();

  Walks& walks_;
  Stage& stage_;
  Prompt& prompt_;
  Pointing& pointing_;
  bool lists_rules_ = false;
};

}  // namespace attn::present
