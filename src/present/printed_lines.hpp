#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "present/long_lines.hpp"

namespace attn::present {

/// A text of any length, some of its parts in reverse.
class PrintedLines final : public LongLines {
 public:
  /// Parts [offset, size), in order; none goes over a line's end.
  using Parts = std::vector<std::pair<std::size_t, std::size_t>>;

  explicit PrintedLines(std::string text, Parts reversed = {});

  std::size_t count() const override { return begins_.size(); }
  std::string_view plain(std::size_t line) const;
  text::StyledLine styled(std::size_t line) const override;
  std::int64_t columns() const override;

 private:
  std::string text_;
  Parts reversed_;
  std::vector<std::size_t> begins_;
};

}  // namespace attn::present
