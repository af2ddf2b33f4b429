#pragma once

#include <optional>
#include <string>

#include "present/screen.hpp"
#include "present/stage.hpp"

namespace attn::present {

/// Questions on the last row.
class Prompt {
 public:
  /// What was typed, or that an arrow was pressed instead; neither for Escape.
  struct Answer {
    std::optional<std::string> text;
    bool is_arrow = false;
  };

  Prompt(Screen& screen, Stage& stage) : screen_(screen), stage_(stage) {}

  /// Lets the user edit a text that begins with `typed`; `takes_arrows`: while there is none, an arrow or Tab is an
  /// answer.
  Answer ask(const std::string& question, std::string typed = "", bool takes_arrows = false);
  /// Whether the terminal went away meanwhile.
  bool is_closed() const { return closed_; }

 private:
  void draw(const std::string& question, const std::string& typed, bool takes_arrows);

  Screen& screen_;
  Stage& stage_;
  bool closed_ = false;
};

}  // namespace attn::present
