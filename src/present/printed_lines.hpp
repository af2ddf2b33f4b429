#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/styled.hpp"

namespace attn::present {

/// A text of any length as lines, some of its parts in reverse. A line is made when somebody looks at it.
class PrintedLines {
 public:
  /// Parts [offset, size), in order; none goes over a line's end.
  using Parts = std::vector<std::pair<std::size_t, std::size_t>>;

  explicit PrintedLines(std::string text, Parts reversed = {});

  std::size_t count() const { return begins_.size(); }
  std::string_view plain(std::size_t line) const;
  text::StyledLine styled(std::size_t line) const;

 private:
  std::string text_;
  Parts reversed_;
  std::vector<std::size_t> begins_;
};

}  // namespace attn::present
