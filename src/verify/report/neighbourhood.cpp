#include "verify/report/neighbourhood.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "verify/explain/numbers.hpp"
#include "verify/report/words.hpp"

namespace attn::verify {
namespace {

/// Some rows of a printed tensor, with the differing cells in brackets.
class Neighbourhood {
 public:
  explicit Neighbourhood(const Finding& finding)
      : finding_(finding), shape_(finding.printed->shape), columns_(shape_.back()) {
    for (const Difference& difference : finding.differences) {
      marked_.insert(position_of(difference.index, shape_));
    }
  }

  /// The rows around the first marked one in its slice.
  std::string text() const {
    const std::int64_t marked = *marked_.begin();
    const std::int64_t rows = shape_.size() > 1 ? shape_[shape_.size() - 2] : 1;
    const std::int64_t row = marked / columns_;
    const std::int64_t begin = std::max(row - 1, row / rows * rows);
    const std::int64_t end = std::min(row + 2, (row / rows + 1) * rows);
    const std::int64_t first = std::max<std::int64_t>(0, marked % columns_ - cells_before);
    std::vector<std::string> names;
    std::size_t width = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      Shape index = index_of(i * columns_, shape_);
      index.pop_back();
      names.push_back(index_words(index, shape_, finding_));
      width = std::max(width, names.back().size());
    }
    std::string out;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::string& name = names[static_cast<std::size_t>(i - begin)];
      out += "      " + name + std::string(width - name.size(), ' ') + row_text(i, first) + '\n';
    }
    return out;
  }

 private:
  static constexpr std::int64_t cells_before = 4;
  static constexpr std::int64_t most_cells = 10;

  std::string row_text(std::int64_t row, std::int64_t first) const {
    const std::int64_t last = std::min(columns_, first + most_cells);
    std::string out = first > 0 ? "  ..." : "";
    for (std::int64_t column = first; column < last; ++column) {
      const std::int64_t position = row * columns_ + column;
      const std::string text(finding_.printed->cells[static_cast<std::size_t>(position)].text);
      const std::string cell = marked_.contains(position) ? "[" + text + "]" : " " + text + " ";
      constexpr std::size_t usual_width = 9;
      out += " " + std::string(usual_width - std::min(usual_width, cell.size()), ' ') + cell;
    }
    out += last < columns_ ? " ..." : "";
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  }

  const Finding& finding_;
  const Shape& shape_;
  std::int64_t columns_;
  std::set<std::int64_t> marked_;
};

}  // namespace

std::string neighbourhood(const Finding& finding) {
  const bool possible = finding.verdict == Verdict::differs && is_regular(*finding.printed) &&
                        !finding.printed->shape.empty() && !finding.differences.empty() &&
                        finding.change.kind != Change::Kind::lost;
  return possible ? Neighbourhood(finding).text() : "";
}

}  // namespace attn::verify
