#pragma once

#include <optional>
#include <string>

#include "present/prompt.hpp"
#include "present/stage.hpp"
#include "present/walks.hpp"

namespace attn::present {

/// Points at parts of the stage: chooses cells and reveals rows. The functions return a message for the user.
class Pointing {
 public:
  Pointing(const Presentation& presentation, const Walks& walks, Stage& stage, Prompt& prompt)
      : presentation_(presentation), walks_(walks), stage_(stage), prompt_(prompt) {}

  // Cells
  /// Asks for a cell; the text starts as `begun`.
  std::string type(const std::string& begun);
  /// Chooses the cell that was chosen last if this step has it, else the first cell.
  std::string choose();
  std::string derive_chosen();

  // Rows
  /// Hides the rows, or reveals the next one.
  std::string reveal();
  /// Stops hiding rows, here and on later steps.
  void reveal_all();
  /// Hides the rows of the step just reached if the rows of the previous steps were hidden.
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
