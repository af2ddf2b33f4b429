#include "emit/listing.hpp"

#include "emit/python.hpp"
#include "text/lines.hpp"

namespace attn::emit {
namespace {

const void* id_of(const Step& step) { return step.tensor ? step.tensor->id() : nullptr; }

bool is_same(const Step& a, const Step& b) {
  return a.kind == b.kind && a.section == b.section && a.name == b.name && id_of(a) == id_of(b) && a.label == b.label;
}

/// Which of all steps are among those that are shown, which come in the same order.
std::vector<bool> marks(const std::vector<Step>& all, const std::vector<Step>& shown) {
  std::vector<bool> is_shown;
  std::size_t next = 0;
  for (const Step& step : all) {
    is_shown.push_back(next < shown.size() && is_same(step, shown[next]));
    next += is_shown.back() ? 1U : 0U;
  }
  return is_shown;
}

}  // namespace

std::string Listing::text() {
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
    }
  }
  return text_;
}

void Listing::find_needed(const Tensor& tensor) {
  if (!needed_ids_.insert(tensor.id()).second) {
    return;
  }
  for (const Tensor& part : made_of(tensor)) {
    find_needed(part);
  }
  needed_.push_back(tensor);
}

/// A step's tensor has a variable where other steps speak of it by its name, or where it is printed.
void Listing::find_names(const std::vector<bool>& is_shown) {
  const std::vector<Step>& steps = chapter_.walk.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.kind == Step::Kind::tensor && is_needed(*step.tensor) && (is_shown[i] || !step.tensor->name().empty())) {
      names_.add(*step.tensor, name_of(step), step.section);
    }
  }
  names_.settle();
}

std::string Listing::reference(const Tensor& tensor) {
  if (!names_.has(tensor)) {
    return expression(tensor);
  }
  define(tensor);
  return names_.of(tensor);
}

void Listing::define(const Tensor& tensor) {
  if (defined_.insert(tensor.id()).second) {
    make(tensor);
  }
}

void Listing::line(const std::string& statement) {
  if (section_ != written_section_) {
    text_ += (text_.empty() ? "" : "\n") + (section_.empty() ? "" : "# " + section_ + "\n");
    written_section_ = section_;
  }
  text_ += statement + "\n";
}

std::string head_text(const Request& request, const std::string& how) {
  const Chapter& first = request.chapters[0];
  const bool is_one = request.chapters.size() == 1;
  const std::string title = is_one ? first.title : first.article;
  return "\"\"\"" + title + "\n\n" + (is_one ? "Follows " + string_literal(first.article) + " " : "Follows its chapters ") + how +
         ".\n\"\"\"\n";
}

std::string chapters_text(const std::vector<std::string>& bodies, const std::vector<Chapter>& chapters) {
  if (bodies.size() == 1) {
    return "\n" + bodies[0];
  }
  std::string text;
  std::string calls = "\n\n";
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    text += "\n\ndef " + chapters[i].name + "():\n    print(\"# " + chapters[i].name + "\")\n";
    for (const std::string& line : text::lines_of(bodies[i])) {
      text += (line.empty() ? "" : "    " + line) + "\n";
    }
    calls += chapters[i].name + "()\n";
  }
  return text + calls;
}

}  // namespace attn::emit
