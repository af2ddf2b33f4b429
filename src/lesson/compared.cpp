#include "lesson/printed.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <variant>

#include "text/lines.hpp"

namespace attn::render {
namespace {

/// Also tells 0 from -0, which print differently.
bool same(float a, float b) { return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b); }
template <class T>
bool same(T a, T b) {
  return a == b;
}

}  // namespace

std::vector<bool> differences(const Contents& a, const Contents& b) {
  return std::visit(
      [&b]<class T>(const Block<T>& values) {
        const auto& others = std::get<Block<T>>(b);
        std::vector<bool> differ(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          differ[i] = !same(values.data()[i], others.data()[i]);
        }
        return differ;
      },
      a);
}

bool same_numbers(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return false;
  }
  const auto differ = differences(*a.array().contents(), *b.array().contents());
  return std::find(differ.begin(), differ.end(), true) == differ.end();
}

std::string_view likeness(const Step& as_is, const Step& changed, TextOptions options) {
  constexpr std::string_view same_as_before = "same as before";
  switch (as_is.kind) {
    case Step::Kind::tensor:
      if (same_numbers(*as_is.tensor, *changed.tensor)) {
        return same_as_before;
      }
      options.show_grad = false;
      return step_text(as_is, options) == step_text(changed, options) ? "same as before in all printed digits" : "";
    case Step::Kind::size: return as_is.tensor->shape() == changed.tensor->shape() ? same_as_before : "";
    case Step::Kind::text: break;
  }
  return as_is.text == changed.text ? same_as_before : "";
}

std::string_view likeness(const StepPair& pair, const TextOptions& options) {
  const bool are_both = pair.as_is != nullptr && pair.changed != nullptr;
  return are_both ? likeness(*pair.as_is, *pair.changed, options) : "";
}

std::vector<Compared> compared_steps(std::span<const Step> as_is, std::span<const Step> changed,
                                     const TextOptions& options) {
  std::vector<Compared> all;
  for (const StepPair& pair : pairs_of(as_is, changed)) {
    const Step& step = pair.as_is != nullptr ? *pair.as_is : *pair.changed;
    const std::string_view alike = likeness(pair, options);
    if (alike.empty()) {
      all.push_back({step.section, alike, {}, pair});
      continue;
    }
    if (all.empty() || all.back().likeness != alike || all.back().section != step.section) {
      all.push_back({step.section, alike, {}, {nullptr, nullptr}});
    }
    std::vector<std::string>& names = all.back().names;
    const std::string name = step.name + (step.kind == Step::Kind::size ? ".shape" : "");
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return all;
}

std::string marked_text(const Step& as_is, const Step& changed, const TextOptions& options) {
  const torch::PrintedTensor before = printed_step(as_is, options);
  const torch::PrintedTensor after = printed_step(changed, options);
  if (changed.kind != Step::Kind::tensor || as_is.tensor->shape() != changed.tensor->shape() ||
      as_is.tensor->dtype() != changed.tensor->dtype()) {
    return after.text;
  }
  const std::vector<bool> differ = differences(*as_is.tensor->array().contents(), *changed.tensor->array().contents());
  std::string text;
  text.reserve(after.text.size() + after.cells.size());
  std::size_t done = 0;
  for (std::size_t k = 0; k < after.cells.size(); ++k) {
    const torch::PrintedCell& cell = after.cells[k];
    const bool is_marked = differ[static_cast<std::size_t>(cell.position)] &&
                           torch::cell_text(after, cell) != torch::cell_text(before, before.cells[k]);
    text.append(after.text, done, cell.offset - done) += is_marked ? '*' : ' ';
    done = cell.offset;
  }
  return text.append(after.text, done);
}

void write_compared(std::ostream& out, std::span<const Step> as_is, std::span<const Step> changed,
                    const std::string& sentence, const TextOptions& options) {
  out << "# " << sentence << '\n';
  std::string section;
  for (const Compared& one : compared_steps(as_is, changed, options)) {
    if (one.section != section) {
      section = one.section;
      out << "# " << section << '\n';
    }
    const auto [before, after] = one.pair;
    if (!one.likeness.empty()) {
      out << "# " << text::joined(one.names) << ": " << one.likeness << '\n';
    } else if (after == nullptr) {
      out << "# original\n" << step_text(*before, options) << "\n# changed\n# no " << before->name << " here\n";
    } else if (before == nullptr) {
      out << "# original\n# no " << after->name << " here\n# changed\n" << step_text(*after, options) << '\n';
    } else {
      out << "# original\n" << step_text(*before, options) << "\n# changed\n";
      out << marked_text(*before, *after, options) << '\n';
    }
  }
}

}  // namespace attn::render
