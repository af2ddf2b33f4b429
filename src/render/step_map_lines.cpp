#include <algorithm>
#include <array>
#include <string_view>

#include "render/step_map.hpp"
#include "text/columns.hpp"

namespace attn::render {
namespace {

enum Side : unsigned { up = 1, down = 2, left = 4, right = 8 };

/// What a cell of the grid shows of one net: the sides to which its line goes.
struct Square {
  unsigned sides = 0;
  std::size_t net = 0;
};

/// A line from top to bottom passes over one from left to right.
unsigned merged(const Square& cell, unsigned sides, std::size_t net) {
  if (cell.sides == 0 || cell.net == net) {
    return cell.sides | sides;
  }
  const bool goes_down = (sides & (up | down)) == (up | down);
  return goes_down ? sides : cell.sides;
}

std::string_view sign(unsigned sides, bool unicode) {
  constexpr std::array<std::string_view, 16> box = {" ", "╵", "╷", "│", "╴", "┘", "┐", "┤",
                                                    "╶", "└", "┌", "├", "─", "┴", "┬", "┼"};
  if (unicode) {
    return box[sides];
  }
  const bool is_vertical = (sides & (left | right)) == 0;
  const bool is_level = (sides & (up | down)) == 0;
  return sides == 0 ? " " : is_vertical ? "|" : is_level ? "-" : "+";
}

class Grid {
 public:
  explicit Grid(const StepMap& map) : columns_(map.columns), cells_(static_cast<std::size_t>(map.rows * map.columns)) {
    for (std::size_t net = 0; net < map.nets.size(); ++net) {
      for (const StepMap::Segment& segment : map.nets[net]) {
        segment.row == segment.last_row&& segment.column != segment.last_column
            ? across(segment, net)
            : downwards(segment, net, map.nets[net]);
      }
    }
  }

  const Square& at(std::int64_t row, std::int64_t column) const {
    return cells_[static_cast<std::size_t>(row * columns_ + column)];
  }

 private:
  void put(std::int64_t row, std::int64_t column, unsigned sides, std::size_t net) {
    Square& cell = cells_[static_cast<std::size_t>(row * columns_ + column)];
    cell = {merged(cell, sides, net), (sides & (up | down)) != 0 || cell.sides == 0 ? net : cell.net};
  }

  void across(const StepMap::Segment& segment, std::size_t net) {
    for (std::int64_t column = segment.column; column <= segment.last_column; ++column) {
      put(segment.row, column, (column > segment.column ? left : 0U) | (column < segment.last_column ? right : 0U),
          net);
    }
  }

  /// A line that begins or ends on one of its net's that goes sideways turns there; else it goes on to a label.
  void downwards(const StepMap::Segment& segment, std::size_t net, const StepMap::Net& all) {
    const auto turns = [&](std::int64_t row) {
      return std::any_of(all.begin(), all.end(), [&](const StepMap::Segment& other) {
        return other.row == other.last_row && other.row == row && other.column <= segment.column &&
               segment.column <= other.last_column && other.column != other.last_column;
      });
    };
    for (std::int64_t row = segment.row; row <= segment.last_row; ++row) {
      const bool begins_on = row == segment.row && turns(row);
      const bool ends_on = row == segment.last_row && segment.row != segment.last_row && turns(row);
      put(row, segment.column, (begins_on ? 0U : up) | (ends_on ? 0U : down), net);
    }
  }

  std::int64_t columns_;
  std::vector<Square> cells_;
};

}  // namespace

std::vector<std::string> map_lines(const StepMap& map, bool unicode) {
  const Grid grid(map);
  std::vector<std::string> lines;
  for (std::int64_t row = 0; row < map.rows; ++row) {
    std::string line;
    for (std::int64_t column = 0; column < map.columns;) {
      const auto label = std::find_if(map.labels.begin(), map.labels.end(), [&](const StepMap::Label& one) {
        return one.row == row && one.column == column;
      });
      if (label != map.labels.end()) {
        line += label->text;
        column += std::max<std::int64_t>(text::display_columns(label->text), 1);
      } else {
        line += sign(grid.at(row, column).sides, unicode);
        ++column;
      }
    }
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

}  // namespace attn::render
