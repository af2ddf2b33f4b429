#include "verify/port/match.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"
#include "verify/port/names.hpp"

namespace attn::verify {
namespace {

struct Name {
  std::string section;
  std::string own;
};

/// "head_1/attn_scores" has a section, "attn_scores" none.
Name parted(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? Name{"", plain_name(name)}
                                         : Name{plain_name(name.substr(0, slash)), plain_name(name.substr(slash + 1))};
}

bool is_named(const Step& step, const Name& name) {
  return plain_name(name.own) == plain_name(step.name) &&
         (name.section.empty() || name.section == plain_name(step.section));
}

std::string without_digits(const std::string& name) {
  std::string result = plain_name(name);
  std::erase_if(result, [](char c) { return text::is_digit(c) || c == '_'; });
  return result;
}

/// Other tensors that a step's own name may mean: the same numbers in another form, or at an earlier stage.
struct Forms {
  std::string_view name;
  std::array<std::string_view, 3> others;
};
constexpr std::array<Forms, 10> forms = {{{"queries_heads", {"scaled_queries_heads"}},
                                          {"keys_heads", {"scaled_keys_heads"}},
                                          {"queries", {"queries_heads", "scaled_queries", "scaled_queries_heads"}},
                                          {"keys", {"keys_heads", "scaled_keys", "scaled_keys_heads"}},
                                          {"values", {"values_heads"}},
                                          {"attn_scores", {"scaled_attn_scores", "masked_attn_scores"}},
                                          {"masked_attn_scores", {"scaled_attn_scores"}},
                                          {"mask", {"mask_simple"}},
                                          {"inputs", {"batch"}},
                                          {"batch", {"inputs"}}}};

/// Throws NameError for a name that none of these has.
template <class Range, class NameOf>
[[noreturn]] void throw_unknown(const std::string& what, const std::string& name, const Range& all, NameOf name_of) {
  std::vector<std::string> known;
  std::ranges::transform(all, std::back_inserter(known), name_of);
  const std::string near = text::nearest(name, known);
  throw NameError("--map: " + what + " '" + name + "'; accepted are " + text::one_line(text::joined(known)) +
                  (near.empty() ? "" : "; try " + near));
}

/// Finds which steps each of a dump's tensors may be by its name.
class Reader {
 public:
  Reader(std::span<const Observed> dumped, std::span<const Step> steps, Right& right, Parts& parts)
      : dumped_(dumped), steps_(steps), right_(right), parts_(parts) {}

  std::vector<Item> run(const Names& names) {
    add_mapped(names);
    for (std::size_t i = 0; i < dumped_.size(); ++i) {
      if (!names.contains(dumped_[i].name)) {
        add(i);
      }
    }
    std::ranges::for_each(items_, [this](Item& item) { contest(item); });
    doubt_numbered();
    return std::move(items_);
  }

 private:
  /// A step's own name may mean another step if another tensor's name leads to this step first: fairseq's attn_weights
  /// and attn_probs.
  void contest(Item& item) {
    const auto leads_there = [&](const Item& other) {
      return other.by == Matched::By::habit && !other.candidates.empty() && other.candidates[0] == item.candidates[0];
    };
    if (item.by == Matched::By::name && item.own == 1 && std::ranges::any_of(items_, leads_there)) {
      const Step& step = steps_[item.candidates[0]];
      const Meant meant = meant_by(step.name);
      for (const std::string& name : meant.is_certain ? meant.steps : std::vector<std::string>()) {
        append(item.candidates, called({step.section, name}));
      }
      item.by = Matched::By::habit;
      item.is_final = meant.is_final;
      item.own = item.candidates.size();
    }
  }

  /// "dense", "dense_1" and "dense_2" do not say whose weights they are.
  void doubt_numbered() {
    std::vector<Item*> doubted;
    for (Item& item : items_) {
      const auto is_alike = [&](const Item& other) {
        return &other != &item && other.candidates == item.candidates &&
               without_digits(other.theirs->name) == without_digits(item.theirs->name);
      };
      const bool is_parameter = item.by == Matched::By::habit && !item.candidates.empty() &&
                                steps_[item.candidates[0]].tensor->operation().is_parameter();
      if (is_parameter && !item.theirs->head && std::ranges::any_of(items_, is_alike)) {
        doubted.push_back(&item);
      }
    }
    for (Item* const item : doubted) {
      item->candidates.clear();
      item->by = Matched::By::numbers;
    }
  }

  void add_mapped(const Names& names) {
    std::map<std::size_t, std::string> owners;
    for (const auto& [theirs, ours] : names) {
      const auto found = std::ranges::find(dumped_, theirs, &Observed::name);
      if (found == dumped_.end()) {
        throw_unknown("the dump has no tensor", theirs, dumped_, &Observed::name);
      }
      std::vector<std::size_t> candidates = called(parted(ours));
      if (candidates.empty()) {
        throw_unknown("the chapter has no step", ours, steps_, full_name);
      }
      if (candidates.size() == 1) {
        const auto [owner, is_new] = owners.emplace(candidates[0], theirs);
        if (!is_new) {
          throw NameError("--map: '" + owner->second + "' and '" + theirs + "' are both to be " + ours +
                          "; accepted is one tensor for each step; leave one of them out");
        }
      }
      const std::size_t own = candidates.size();
      items_.push_back(
          {static_cast<std::size_t>(found - dumped_.begin()), &*found, Matched::By::map, std::move(candidates), own});
    }
  }

  void add(std::size_t given) {
    const Observed& theirs = dumped_[given];
    Item item{given, &theirs, Matched::By::name, called(parted(theirs.name))};
    item.own = item.candidates.size();
    if (!item.candidates.empty()) {
      const auto form = std::ranges::find(forms, std::string_view(steps_[item.candidates[0]].name), &Forms::name);
      const std::string section = steps_[item.candidates[0]].section;
      for (std::size_t i = 0; form != forms.end() && i < form->others.size(); ++i) {
        append(item.candidates, section, std::string(form->others[i]));
      }
      items_.push_back(std::move(item));
      return;
    }
    Meant meant = meant_by(theirs.name);
    meant.section = meant.section.empty() ? section_in(theirs.name) : meant.section;
    if (!meant.parts.empty() && add_parts(given, meant, true)) {
      return;
    }
    item.by = Matched::By::habit;
    item.is_certain = meant.is_certain;
    item.is_final = meant.is_final;
    // "?attn_scores": where the chapter has not what the name means first.
    const std::string first = meant.steps.empty() ? "" : meant.steps[0];
    const bool has_first = !called({"", first}).empty() || !called({"", first + "_heads"}).empty();
    for (const std::string& word : meant.steps) {
      const bool is_instead = word.starts_with('?');
      if (is_instead && has_first) {
        continue;
      }
      const std::string name = word.substr(is_instead ? 1 : 0);
      const std::vector<std::size_t> in_section = called({meant.section, name});
      append(item.candidates, meant.section.empty() || in_section.empty() ? called({"", name}) : in_section);
    }
    const auto fits = [&](std::size_t step) { return right_.has_layout(theirs, *steps_[step].tensor); };
    if (meant.parts.empty() && std::ranges::none_of(item.candidates, fits) &&
        add_parts(given, fused_, !item.candidates.empty())) {
      return;
    }
    item.own = item.candidates.size();
    item.by = item.candidates.empty() ? Matched::By::numbers : item.by;
    if (std::ranges::find(meant.steps, "attn_scores") != meant.steps.end()) {  // "scores", used again for the weights
      append(item.candidates, meant.section, "attn_weights");
    }
    items_.push_back(std::move(item));
  }

  static void append(std::vector<std::size_t>& all, const std::vector<std::size_t>& more) {
    std::ranges::copy_if(more, std::back_inserter(all),
                         [&](std::size_t one) { return std::ranges::find(all, one) == all.end(); });
  }

  /// Adds the steps of this name, those of the section first.
  void append(std::vector<std::size_t>& all, const std::string& section, const std::string& name) const {
    append(all, called({section, name}));
    append(all, called({"", name}));
  }

  std::vector<std::size_t> called(const Name& name) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (is_named(steps_[i], name)) {
        found.push_back(i);
      }
    }
    return found;
  }

  /// The section that a part of the name is called like: "window" of "window.q"; empty if there is none.
  std::string section_in(std::string_view name) const {
    for (std::size_t end = name.find_first_of("./"); end != std::string_view::npos; end = name.find_first_of("./")) {
      const std::string part = plain_name(name.substr(0, end));
      const auto is_its = [&](const Step& step) { return !part.empty() && plain_name(step.section) == part; };
      if (std::ranges::any_of(steps_, is_its)) {
        return part;
      }
      name.remove_prefix(end + 1);
    }
    return "";
  }

  /// Splits a fused tensor, in the way that makes most parts right; each part is an item. Returns false where it
  /// cannot, or where not all parts are right of one that nothing but its numbers calls fused.
  bool add_parts(std::size_t given, const Meant& meant, bool is_named) {
    std::vector<Item> best;
    std::vector<Observed> parts_of_best;
    std::tuple<std::size_t, std::size_t, double> most;  // of parts that are right, or may be laid out so; and how near
    for (const std::vector<std::string>& names : meant.parts) {
      std::vector<Item> items;
      std::vector<std::int64_t> sizes;
      for (const std::string& name : names) {
        if (const std::vector<std::size_t> steps = called({meant.section, name}); !steps.empty()) {
          items.push_back({given, nullptr, Matched::By::habit, {steps[0]}, 1});
          sizes.push_back(element_count(steps_[steps[0]].tensor->shape()));
        }
      }
      if (items.size() != names.size()) {
        continue;
      }
      take_apart(dumped_[given], sizes, right_.heads(), [&](std::vector<Observed>&& parts) {
        std::tuple<std::size_t, std::size_t, double> good{};
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const Tensor& tensor = *steps_[items[i].candidates[0]].tensor;
          std::get<0>(good) += right_.holding(parts[i], tensor) ? 1U : 0U;
          if (const std::optional<Laid> laid = right_.nearest(parts[i], tensor)) {
            ++std::get<1>(good);
            std::get<2>(good) -= right_.distance(*laid, tensor);
          }
        }
        if (best.empty() || good > most) {
          most = good;
          best = items;
          parts_of_best = std::move(parts);
        }
        return std::get<0>(most) == items.size();
      });
    }
    if (best.empty() || (!is_named && std::get<0>(most) < best.size())) {
      return false;
    }
    for (std::size_t i = 0; i < best.size(); ++i) {
      best[i].theirs = &parts_.emplace_back(std::move(parts_of_best[i]));
      items_.push_back(std::move(best[i]));
    }
    return true;
  }

  std::span<const Observed> dumped_;
  std::span<const Step> steps_;
  Right& right_;
  Parts& parts_;
  const Meant fused_ = meant_by("qkv");
  std::vector<Item> items_;
};

}  // namespace

std::vector<Item> items_of(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                           Right& right, Parts& parts) {
  return Reader(dumped, steps, right, parts).run(names);
}

}  // namespace attn::verify
