#pragma once

#include <cstddef>
#include <string>

#include "present/pointing.hpp"
#include "present/prompt.hpp"
#include "present/stage.hpp"
#include "present/walks.hpp"

namespace attn::present {

/// Takes other walks: with another seed, and with a rule changed. What there is to say to the user is returned.
class Changing {
 public:
  Changing(Walks& walks, Stage& stage, Prompt& prompt, Pointing& pointing)
      : walks_(walks), stage_(stage), prompt_(prompt), pointing_(pointing) {}

  std::string ask_for_seed();
  /// The next view of the rule that is changed; before there is one, the list of rules, or the only one.
  std::string what_if();
  /// Covers the stage with the rules.
  std::string list_rules();
  bool lists_rules() const { return lists_rules_; }
  /// The rule that a key names in the list, which ends.
  std::string take_rule(const Key& key);

 private:
  std::string change(std::size_t rule);
  std::size_t next_rule();
  /// What was chosen stays chosen in the other walk.
  std::string take_walks();

  Walks& walks_;
  Stage& stage_;
  Prompt& prompt_;
  Pointing& pointing_;
  bool lists_rules_ = false;
};

}  // namespace attn::present
