#pragma once

#include <optional>
#include <string>

#include "present/prompt.hpp"
#include "present/stage.hpp"
#include "present/walks.hpp"

namespace attn::present {

/// Points at what is on the stage: chooses cells, and reveals rows. What there is to say to the user is returned.
class Pointing {
 public:
  Pointing(const Presentation& presentation, const Walks& walks, Stage& stage, Prompt& prompt)
      : presentation_(presentation), walks_(walks), stage_(stage), prompt_(prompt) {}

  // Cells
  /// Asks for a cell; the text begins with `begun`.
  std::string type(const std::string& begun);
  /// The cell that was chosen last, where there is such a one here, else the first.
  std::string choose();
  std::string derive_chosen();

  // Rows
  /// Hides the rows, or shows the next one.
  std::string reveal();
  /// Rows are no longer hidden, here or on the steps to come.
  void reveal_all();
  /// Hides the rows of a step that one goes on to, where that was so on the steps before.
  void arrive();

 private:
  std::string take_typed(const std::string& typed);
  void hide_rows();

  const Presentation& presentation_;
  const Walks& walks_;
  Stage& stage_;
  Prompt& prompt_;
  bool revealing_ = false;
  std::optional<Shape> last_cell_;
};

}  // namespace attn::present
