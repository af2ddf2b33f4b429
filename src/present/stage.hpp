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

/// The contents of the screen: the title, a step, the derivation of one of its cells, and the last line. Knows nothing
/// about keys.
class Stage {
 public:
  Stage(const Presentation& presentation, const Walks& walks, Screen& screen);

  enum class Part { introduction, steps, ending };

  // Which step
  Part part() const { return part_; }
  /// Before the first step or after the last.
  void to(Part frame);
  std::size_t at() const { return at_; }
  /// As the chapter is.
  const Step& step() const { return walks_.steps()[at_]; }
  /// The step whose cells are seen; null where there is none, or the change takes it away.
  const Step* step_in_view() const;
  void to(std::size_t at);
  /// The same step of other walks.
  void take_walks(std::size_t at);

  // How it is seen
  void toggle_explaining();
  void toggle_heatmap();
  Board& board() { return *board_; }
  /// How many cells the seed before prints otherwise; empty where there was none.
  std::string change_words();
  void to_text(std::string_view wanted);
  /// Brings the chosen cell, or the row revealed last, into sight.
  void see_cell();
  void see_row();
  /// Shows the cell's derivation in the lower part. Throws what the derivation throws.
  void derive(const render::Cell& cell);
  bool derives() const { return cell_.has_value(); }
  void end_derivation();
  /// Lines in place of the step, until they are taken away.
  void cover(Lines lines);
  bool is_covered() const { return cover_.has_value(); }
  void uncover();
  /// Whether the key is one that scrolls.
  bool scroll(Key::Kind kind);
  /// Goes on to lines that were not seen yet; false where there are none below.
  bool page_on();

  /// The screen, or what is to be seen, is another than before.
  void refresh();
  /// The same with what is hidden.
  void recompose() { stale_ = true; }
  void draw(std::string last, std::optional<std::int64_t> cursor = {});
  /// "3-20 of 40 lines  ", where not all are seen.
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
  /// The rows between the first, the title, and the last; those of the step; those of the lower part, with its head.
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
  bool stale_ = true;  ///< all is to be composed anew
  std::shared_ptr<Board> board_ = std::make_shared<Board>();
  std::optional<Face> face_;  ///< of the step that is seen, once it is made
  ScrolledLines page_;
  std::optional<ScrolledLines> cover_;
  std::optional<render::Cell> cell_;  ///< whose derivation is seen
  std::string derivation_;
  ScrolledLines lower_;
};

}  // namespace attn::present
