#include "emit/listing.hpp"

#include "emit/emitters.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"

namespace attn::emit {

void Names::add(const Tensor& tensor, const std::string& name, const std::string& section) {
  if (found_.emplace(tensor.id(), "").second) {
    wanted_.push_back({tensor.id(), identifier(name), section});
  }
}

void Names::settle() {
  std::map<std::string, int> counts;
  for (const Wanted& wanted : wanted_) {
    ++counts[wanted.name];
  }
  std::set<std::string> taken;
  for (const Wanted& wanted : wanted_) {
    const bool is_shared = counts[wanted.name] > 1 && !wanted.section.empty();
    const std::string name = is_shared ? identifier(wanted.name + "_" + wanted.section) : wanted.name;
    std::string free = name;
    for (int i = 2; !taken.insert(free).second; ++i) {
      free = name + "_" + std::to_string(i);
    }
    found_[wanted.id] = free;
  }
}

namespace {

const void* id_of(const Step& step) { return step.tensor ? step.tensor->id() : nullptr; }

bool is_same(const Step& a, const Step& b) {
  return a.kind == b.kind && a.section == b.section && a.name == b.name && id_of(a) == id_of(b) && a.label == b.label;
}

/// For each step, whether it is shown. Both lists are in the same order.
std::vector<bool> marks(const std::vector<Step>& all, const std::vector<Step>& shown) {
  std::vector<bool> is_shown;
  std::size_t next = 0;
  for (const Step& step : all) {
    is_shown.push_back(next < shown.size() && is_same(step, shown[next]));
    next += is_shown.back() ? 1U : 0U;
  }
  return is_shown;
}

/// The keys of scaled or masked scores; empty if the scores are not a product with transposed keys.
std::optional<Tensor> keys_of(const Tensor& scores) {
  switch (scores.kind()) {
    case Kind::scaled:
    case Kind::masked: return keys_of(scores.operands()[0]);
    case Kind::matmul: return keys_of(scores.operands()[1]);
    case Kind::transpose: {
      const Tensor& keys = scores.operands()[0];
      return keys.kind() == Kind::transpose && keys.name().empty() ? keys_of(keys) : std::optional(keys);
    }
    default: return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> Listing::parts() {
  std::vector<std::string> parts;
  const std::vector<Step>& steps = chapter_.walk.steps();
  const std::vector<bool> is_shown = marks(steps, chapter_.shown);
  for (const Step& step : chapter_.shown) {
    if (step.tensor) {
      find_needed(*step.tensor);
    }
  }
  prepare();
  find_names(is_shown);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    section_ = step.section;
    if (step.kind == Step::Kind::tensor && is_needed(*step.tensor) && names_.has(*step.tensor)) {
      reference(*step.tensor);
    }
    if (is_shown[i]) {
      print(step);
      parts.push_back(std::exchange(text_, ""));
    }
  }
  finish();
  parts.push_back(std::exchange(text_, ""));
  return parts;
}

void Listing::find_needed(const Tensor& tensor) {
  if (++uses_[tensor.id()] > 1) {
    return;
  }
  for (const Tensor& part : made_of(tensor)) {
    find_needed(part);
  }
  needed_.push_back(tensor);
}

/// Gives a step's tensor a variable if the article's program has one, or if it is printed or used twice.
void Listing::find_names(const std::vector<bool>& is_shown) {
  const std::vector<Step>& steps = chapter_.walk.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.kind != Step::Kind::tensor || !is_needed(*step.tensor)) {
      continue;
    }
    const bool is_spoken_of = !step.tensor->name().empty() && (!step.is_unnamed || uses(*step.tensor) > 1);
    if (is_shown[i] || is_spoken_of) {
      names_.add(*step.tensor, name_of(step), step.section);
    }
  }
  names_.settle();
}

std::vector<std::string> Listing::operand_words(const Tensor& tensor) {
  std::vector<std::string> words;
  for (const Tensor& operand : tensor.operands()) {
    words.push_back(reference(operand));
  }
  const Facts facts = tensor.operation().facts();
  const std::optional<Tensor> keys = facts.root_of > 0 ? keys_of(tensor) : std::nullopt;
  if (keys && names_.has(*keys) && keys->size(-1) == facts.root_of) {
    words.push_back(reference(*keys) + ".shape[-1]");
  }
  return words;
}

std::string Listing::reference(const Tensor& tensor) {
  if (!names_.has(tensor)) {
    return expression(tensor);
  }
  if (defined_.insert(tensor.id()).second) {
    make(tensor);
  }
  return names_.of(tensor);
}

void Listing::line(const std::string& statement) {
  if (section_ != written_section_) {
    text_ += (is_begun_ ? "\n" : "") + (section_.empty() ? "" : "# " + section_ + "\n");
    written_section_ = section_;
  }
  is_begun_ = true;
  text_ += wrapped_statement(statement) + "\n";
}

std::string head_text(const Request& request, const std::string& words) {
  const Chapter& first = request.chapters[0];
  const std::string title = request.chapters.size() > 1 ? "" : first.title + "\n\nAs in: ";
  return "\"\"\"" + title + first.article + "\n\n" + words + "\n\"\"\"\n";
}

std::string chapters_text(const std::vector<std::string>& bodies, const std::vector<Chapter>& chapters) {
  if (bodies.size() == 1) {
    return bodies[0];
  }
  std::string text = "\n";
  std::string calls;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    text += "def " + chapters[i].name + "():\n    print(\"# " + chapters[i].name + "\")\n";
    for (const std::string& line : text::lines_of(bodies[i])) {
      text += (line.empty() ? "" : "    " + line) + "\n";
    }
    text += "\n\n";
    calls += chapters[i].name + "()\n";
  }
  return text + calls;
}

}  // namespace attn::emit
