#include "verify/explain/written_at.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

/// Returns true if the label fits what the listing prints there.
bool may_be(const Printed& printed, const Written& written) {
  const std::string label = plain_label(printed.label);
  const std::string words = plain_label(written.label);
  return words.empty() || label.empty() || label.find(words) != std::string::npos ||
         words.find(label) != std::string::npos;
}

bool is_size_of(std::string_view value) { return value.ends_with(".shape") || value.ends_with(".size()"); }

bool is_called(const Printed& printed, const Written& written) {
  const std::string label = plain_label(printed.label);
  return !label.empty() && (label == plain_label(written.label) || label == plain_label(written.value));
}

}  // namespace

WrittenAt written_at(std::span<const Printed> printed, std::span<const Written> written) {
  WrittenAt result(printed.size());
  std::vector<std::size_t> prints;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].is_printed) {
      prints.push_back(i);
    }
  }
  /// The expression that stands alone before the output, as at a prompt or in a notebook.
  const auto standing_before = [&](const Printed& one) {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < written.size(); ++i) {
      const Place& place = written[i].place;
      const bool is_before = place.cell == 0 && one.place.cell == 0 && place.line < one.place.line;
      last = is_before ? std::optional(i) : last;
    }
    const bool stands = last && written[*last].name.empty() && !written[*last].is_printed;
    return stands ? last : std::nullopt;
  };
  const auto comes_before = [&](std::size_t print, const Printed& one) {
    const Place& place = written[print].place;
    return place.cell != one.place.cell ? place.cell < one.place.cell : place.cell > 0 || place.line < one.place.line;
  };
  const auto is_listing_between = [&](const Printed& one, const Printed& other) {
    return one.place.cell == 0 && std::ranges::any_of(written, [&](const Written& statement) {
             return statement.place.cell == 0 && statement.place.line > one.place.line &&
                    statement.place.line < other.place.line;
           });
  };
  std::size_t next = 0;  // of the prints
  for (std::size_t begin = 0; begin < printed.size();) {
    // 1. Collect what is printed before the listing continues, and what the listing prints there.
    std::size_t last = next;
    while (last < prints.size() && comes_before(prints[last], printed[begin])) {
      ++last;
    }
    std::size_t end = begin + 1;
    while (end < printed.size() && printed[end].place.cell == printed[begin].place.cell &&
           (last == prints.size() || !comes_before(prints[last], printed[end])) &&
           !is_listing_between(printed[end - 1], printed[end])) {
      ++end;
    }
    std::size_t first = next;
    while (first < last && written[prints[first]].place.cell != printed[begin].place.cell) {
      ++first;
    }
    std::vector<std::size_t> group(prints.begin() + static_cast<std::ptrdiff_t>(first),
                                   prints.begin() + static_cast<std::ptrdiff_t>(last));
    // 2. Match them with each other.
    const auto standing = group.size() + 1 == end - begin ? standing_before(printed[begin]) : std::nullopt;
    if (standing) {
      result[end - 1] = standing;
    }
    const std::size_t called = end - (standing ? 1 : 0);
    const bool has_sizes = std::any_of(printed.begin() + static_cast<std::ptrdiff_t>(begin),
                                       printed.begin() + static_cast<std::ptrdiff_t>(called), is_size);
    if (group.size() != called - begin && !has_sizes) {  // numpy prints sizes as (2, 3)
      std::erase_if(group, [&](std::size_t print) { return is_size_of(written[print].value); });
    }
    bool is_each = group.size() == called - begin;
    for (std::size_t i = 0; i < group.size() && is_each; ++i) {
      is_each = !written[group[i]].value.empty() && may_be(printed[begin + i], written[group[i]]);
    }
    for (std::size_t i = begin, from = 0; i < called; ++i) {
      for (std::size_t k = is_each ? i - begin : from; k < group.size(); ++k) {
        if (is_each || (is_called(printed[i], written[group[k]]) && !written[group[k]].value.empty())) {
          result[i] = group[k];
          from = k + 1;
          break;
        }
      }
    }
    next = last;
    begin = end;
  }
  return result;
}

}  // namespace attn::verify
