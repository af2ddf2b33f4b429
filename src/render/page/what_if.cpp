#include "render/page/what_if.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "lesson/compared.hpp"
#include "lesson/explain.hpp"
#include "lesson/printed.hpp"
#include "render/page/words.hpp"

namespace attn::render {
namespace {

using Json = nlohmann::ordered_json;

/// The label and the printed value that the step's article element shows.
Json printed_json(const Step& step, const TextOptions& text) {
  return {{"label", label_text(step)}, {"printed", value_text(step, text)}};
}

bool is_same(const StepPair& pair, const TextOptions& text) {
  const std::string_view alike = likeness(pair, text);
  const bool is_tensor = pair.as_is->kind == Step::Kind::tensor;
  return !alike.empty() && !(is_tensor && !same_numbers(*pair.as_is->tensor, *pair.changed->tensor));
}

}  // namespace

PageWhatIf::PageWhatIf(const ShownChapter& chapter, const ShownWhatIf& what_if, const Place& place, PageNodes& nodes,
                       const TextOptions& text)
    : chapter_(chapter), what_if_(what_if), text_(text) {
  std::vector<const Step*> added;
  for (const StepPair& pair : pairs_of(chapter.steps, what_if.steps)) {
    if (pair.as_is == nullptr) {
      added.push_back(pair.changed);
      continue;
    }
    Entry entry{pair, {}, std::exchange(added, {})};
    const bool is_changed = pair.changed != nullptr && !is_same(pair, text);
    if (is_changed && pair.changed->kind == Step::Kind::tensor) {
      entry.node = nodes.add(*pair.changed->tensor, place.chapter);
      if (entry.node) {
        nodes.set_step(*entry.node, place.first_step + entries_.size(), pair.changed->name);
      }
    }
    entries_.push_back(std::move(entry));
  }
  if (!entries_.empty()) {
    entries_.back().added.insert(entries_.back().added.end(), added.begin(), added.end());
  }
}

Json PageWhatIf::head_json() const { return {{"name", what_if_.name}, {"did", what_if_.did}}; }

Json PageWhatIf::changed_json(const Entry& entry) const {
  const Step& step = *entry.pair.changed;
  Json json = printed_json(step, text_);
  if (entry.node) {
    json["node"] = *entry.node;
  }
  if (heading_of(step) != heading_of(*entry.pair.as_is)) {
    json["heading"] = heading_of(step);
  }
  if (const std::string_view alike = likeness(entry.pair, text_); !alike.empty()) {
    json["alike"] = alike;
  }
  const StepExplanation said = explain(step, {}, chapter_.tokens);  // the unchanged step already has its reason
  if (step.kind == Step::Kind::tensor) {
    json["expression"] = step.name + " = " + said.expression;
  }
  json["shapes"] = said.shapes;
  json["notices"] = said.notices;
  return json;
}

Json PageWhatIf::entry_json(std::size_t step) const {
  const Entry& entry = entries_[step];
  Json json = Json::object();
  for (const Step* added : entry.added) {
    Json one = printed_json(*added, text_);
    one["what"] = added->name + (added->tensor ? " = " + added->tensor->expression() : "");
    json["added"].push_back(std::move(one));
  }
  if (entry.pair.changed == nullptr) {
    json["gone"] = "no " + entry.pair.as_is->name + " here";
  } else if (!is_same(entry.pair, text_)) {
    json.update(changed_json(entry));
  }
  return json.empty() ? Json(0) : json;
}

}  // namespace attn::render
