#include "present/changing.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "present/words.hpp"
#include "torch/seed.hpp"

namespace attn::present {

std::string Changing::ask_for_seed() {
  const std::optional<std::string> typed = prompt_.ask("seed (now " + walks_.seed().text() + "): ").text;
  if (!typed || typed->empty()) {
    return "";
  }
  const std::optional<torch::Seed> seed = torch::parsed_seed(*typed);
  if (!seed) {
    return "'" + *typed + "' is not a seed; try a whole number such as 42";
  }
  try {
    walks_.take_seed(*seed);
  } catch (const std::exception& error) {
    return error.what();
  }
  const std::string message = take_walks();
  return message.empty() ? stage_.change_words() : message;
}

std::string Changing::what_if() {
  if (walks_.rule() == nullptr) {
    return walks_.what_ifs().size() == 1 ? change(0) : list_rules();
  }
  walks_.next_view();
  return take_walks();
}

std::string Changing::list_rules() {
  if (walks_.what_ifs().empty()) {
    return "no rule can be changed in this chapter";
  }
  lists_rules_ = true;
  stage_.cover(rule_lines(walks_.what_ifs(), next_rule()));
  return "";
}

std::string Changing::take_rule(const Key& key) {
  lists_rules_ = false;
  if (key.is(U'w') || key.kind == Key::Kind::enter) {
    return change(next_rule());
  }
  const bool is_number =
      key.kind == Key::Kind::character && key.character >= U'1' && key.character < U'1' + walks_.what_ifs().size();
  return is_number ? change(key.character - U'1') : "";
}

/// The rule after the changed one.
std::size_t Changing::next_rule() {
  const std::vector<const WhatIf*>& rules = walks_.what_ifs();
  const auto present = std::ranges::find(rules, walks_.rule());
  return present == rules.end() ? 0 : static_cast<std::size_t>(present - rules.begin() + 1) % rules.size();
}

std::string Changing::change(std::size_t rule) {
  try {
    walks_.change(*walks_.what_ifs()[rule]);
  } catch (const std::exception& error) {
    return error.what();
  }
  return take_walks();
}

std::string Changing::take_walks() {
  const std::optional<Shape> chosen = stage_.board().chosen();
  stage_.take_walks(std::min(stage_.at(), walks_.steps().size() - 1));
  stage_.see_cell();
  if (chosen && !stage_.board().hides(*chosen) && stage_.board().choose(*chosen)) {
    return pointing_.derive_chosen();
  }
  return "";
}

}  // namespace attn::present
