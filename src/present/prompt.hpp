#pragma once

#include <optional>
#include <string>

#include "present/screen.hpp"
#include "present/stage.hpp"

namespace attn::present {

/// Prompts on the last row.
class Prompt {
 public:
  /// The typed text, or the arrow that was pressed instead; neither for Escape.
  struct Answer {
    std::optional<std::string> text;
    bool is_arrow = false;
  };

  Prompt(Screen& screen, Stage& stage) : screen_(screen), stage_(stage) {}

  /// Lets the user edit a text that starts as `typed`. `takes_arrows`: while the text is empty, an arrow or Tab is an
  /// answer.
  Answer ask(const std::string& question, std::string typed = "", bool takes_arrows = false);
  /// Returns true if the terminal has gone away.
  bool is_closed() const { return closed_; }

 private:
  void draw(const std::string& question, const std::string& typed, bool takes_arrows);

  Screen& screen_;
  Stage& stage_;
  bool closed_ = false;
};

}  // namespace attn::present
