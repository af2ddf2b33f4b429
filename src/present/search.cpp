#include "present/search.hpp"

#include <utility>

#include "lesson/printed.hpp"
#include "text/lines.hpp"

namespace attn::present {

std::optional<std::size_t> step_named(std::span<const Step> steps, const std::string& typed) {
  const std::string wanted = text::lower(typed);
  for (const auto& [closeness, is_tensor] :
       {std::pair(0, true), {0, false}, {1, true}, {1, false}, {2, true}, {2, false}}) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if ((steps[i].kind == Step::Kind::tensor) != is_tensor) {
        continue;
      }
      const std::string name = text::lower(steps[i].name);
      const std::string full = text::lower(steps[i].section) + "/" + name;
      const bool fits = closeness == 0   ? name == wanted || full == wanted
                        : closeness == 1 ? name.starts_with(wanted) || full.starts_with(wanted)
                                         : full.find(wanted) != std::string::npos;
      if (fits) {
        return i;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> step_with(std::span<const Step> steps, std::size_t at, const std::string& wanted,
                                     const render::TextOptions& options) {
  const std::string lower = text::lower(wanted);
  for (std::size_t distance = 1; distance <= steps.size(); ++distance) {
    const std::size_t i = (at + distance) % steps.size();
    const Step& step = steps[i];
    const std::string text = step.name + "\n" + step.section + "\n" + render::step_text(step, options);
    if (text::lower(text).find(lower) != std::string::npos) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace attn::present
