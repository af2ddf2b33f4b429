#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "present/board.hpp"
#include "present/page.hpp"
#include "present/presenter.hpp"
#include "present/screen.hpp"
#include "present/scrolled.hpp"
#include "present/walks.hpp"

namespace attn::present {

/// The contents of the screen: the title, a step, the derivation of one of its cells, and the last line. It does not
/// know the keys.
class Stage {
 public:
  Stage(const Presentation& presentation, const Walks& walks, Screen& screen);

  enum class Part { introduction, steps, ending };

  // Which step
  Part part() const { return part_; }
  /// Before the first step or after the last.
  void to(Part frame);
  std::size_t at() const { return at_; }
  /// The step of the unchanged chapter.
  const Step& step() const { return walks_.steps()[at_]; }
  /// The step whose cells are visible; null if there is none, or if the change removes it.
  const Step* step_in_view() const;
  void to(std::size_t at);
  /// The same step of other walks.
  void take_walks(std::size_t at);

  // How it is seen
  void toggle_explaining();
  void toggle_heatmap();
  /// Nothing but the step's name, formula, picture and derivation.
  void toggle_projector();
  bool projects() const { return projects_; }
  /// Makes a projected picture larger, or smaller with -1.
  void enlarge(std::int64_t by);
  Board& board() { return *board_; }
  /// Says how many cells the previous seed prints differently; empty if there was none.
  std::string change_words();
  void to_text(std::string_view wanted);
  /// Scrolls to the chosen cell, or to the row revealed last.
  void see_cell();
  void see_row();
  /// Shows the cell's derivation in the lower part. Throws what the derivation throws.
  void derive(const render::Cell& cell);
  bool derives() const { return cell_.has_value(); }
  void end_derivation();
  /// Shows lines in place of the step until they are closed.
  void cover(Lines lines);
  bool is_covered() const { return cover_.has_value(); }
  void uncover();
  /// Returns true if the key scrolls.
  bool scroll(Key::Kind kind);
  /// Scrolls down to unseen lines; false if there are none below.
  bool page_on();

  /// Makes the step's view again and composes the screen again at the next draw.
  void refresh();
  /// Composes the screen again at the next draw, for example after rows are hidden or revealed.
  void recompose() { stale_ = true; }
  void draw(std::string last, std::optional<std::int64_t> cursor = {});
  /// "3-20 of 40 lines  " if not all lines are visible.
  std::string place();

 private:
  void compose();
  Face face() const;
  void compose_page();
  void compose_frame();
  void compose_lower();
  text::StyledLine title() const;
  std::string view_words() const;
  std::string head() const;
  std::string first_line() const;
  std::string as_is_words() const;
  std::string number_of(const Tensor& tensor) const;
  std::string fitted(const std::string& text) const;
  /// The rows between the title (first) and the last; the step's rows; the lower part's rows, with its heading.
  std::int64_t room() const;
  std::int64_t upper_rows() const { return room() - lower_rows(); }
  std::int64_t lower_rows() const;

  const Presentation& presentation_;
  const Walks& walks_;
  Screen& screen_;
  Part part_ = Part::steps;
  std::size_t at_ = 0;
  bool explaining_;
  bool heatmap_;
  bool projects_ = false;
  std::int64_t enlarged_ = 0;
  bool stale_ = true;  ///< everything must be composed again
  std::shared_ptr<Board> board_ = std::make_shared<Board>();
  std::optional<Face> face_;  ///< the visible step's, once made
  ScrolledLines page_;
  std::optional<ScrolledLines> cover_;
  std::optional<render::Cell> cell_;  ///< the cell whose derivation is shown
  std::string derivation_;
  ScrolledLines lower_;
};

}  // namespace attn::present
