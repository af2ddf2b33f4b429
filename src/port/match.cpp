#include "port/match.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "port/arrange.hpp"
#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::port {
namespace {

// ---- Names ----------------------------------------------------------------------------------------

/// What programs call what the articles call so.
struct Synonyms {
  std::string_view name;
  std::vector<std::string_view> others;
};

const std::vector<Synonyms>& synonyms() {
  static const std::vector<Synonyms> table = {
      {"inputs", {"x", "input", "embeddings", "embedding"}},
      {"queries", {"q", "query"}},
      {"keys", {"k", "key"}},
      {"values", {"v", "value"}},
      {"w_query", {"wq", "w_q", "wquery", "query_weight", "q_proj", "w_query_weight", "weight_query"}},
      {"w_key", {"wk", "w_k", "wkey", "key_weight", "k_proj", "w_key_weight", "weight_key"}},
      {"w_value", {"wv", "w_v", "wvalue", "value_weight", "v_proj", "w_value_weight", "weight_value"}},
      {"attn_scores", {"scores", "attention_scores", "qk", "logits", "score"}},
      {"scaled_attn_scores", {"scaled_scores", "scaled", "scaled_attention_scores"}},
      {"masked_attn_scores", {"masked_scores", "masked", "masked_attention_scores"}},
      {"attn_weights", {"weights", "attention_weights", "probs", "attn", "attention", "softmax"}},
      {"dropout_attn_weights", {"dropped_weights", "dropped", "dropout_weights", "attn_weights_dropped"}},
      {"context_vecs", {"context", "context_vec", "context_vectors", "out", "output", "ctx"}},
      {"dropout_mask", {"keep_mask", "drop_mask"}},
      {"out_proj", {"wo", "w_o", "out_proj_weight", "o_proj"}},
  };
  return table;
}

/// Lower case, with _ for what is no letter and no figure.
std::string plain(std::string_view name) {
  std::string result;
  for (const char c : text::lower(name)) {
    result += text::is_letter(c) || text::is_digit(c) ? c : '_';
  }
  return result;
}

std::string usual(const std::string& name) {
  const auto known = std::ranges::find_if(synonyms(), [&](const Synonyms& row) {
    return std::ranges::find(row.others, std::string_view(name)) != row.others.end();
  });
  return known == synonyms().end() ? name : std::string(known->name);
}

struct Name {
  std::string section;
  std::string own;
};

/// "head_1/attn_scores" has a section, "attn_scores" none.
Name parted(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? Name{"", plain(name)}
                                         : Name{plain(name.substr(0, slash)), plain(name.substr(slash + 1))};
}

bool is_named(const Step& step, const Name& name) {
  return (name.own == plain(step.name) || usual(name.own) == plain(step.name)) &&
         (name.section.empty() || name.section == plain(step.section));
}

// ---- Matching -------------------------------------------------------------------------------------

/// Finds steps for tensors, each of which is taken once.
class Matcher {
 public:
  Matcher(std::span<const Step> steps, const Tolerance& tolerance) : tolerance_(tolerance) {
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::tensor) {
        open_.push_back({&step, values_of(*step.tensor), {}});
      }
    }
  }

  /// The step of this name that suits best: of those of the tensor's size, the one with the fewest wrong numbers.
  bool match_name(const dump::Dumped& dumped, const Name& name) {
    return take(dumped, true, [&](const Open& open) { return is_named(*open.step, name); });
  }

  /// The step all of whose numbers the tensor has, where these say something.
  bool match_numbers(const dump::Dumped& dumped) {
    const bool says_something =
        std::ranges::any_of(dumped.values, [&](double value) { return value != 0 && value != 1; }) &&
        dumped.values.size() > 1;
    return says_something && take(dumped, false, [&](const Open& open) {
             return open.values.size() == dumped.values.size();
           });
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Open& open : open_) {
      names.push_back(full_name(*open.step));
    }
    return names;
  }

  std::vector<Matched> matched() {
    std::vector<Matched> result;
    for (Open& open : open_) {
      if (open.matched) {
        result.push_back(*std::move(open.matched));
      }
    }
    return result;
  }

 private:
  struct Open {
    const Step* step;
    std::vector<double> values;
    std::optional<Matched> matched;
  };

  template <class Suits>
  bool take(const dump::Dumped& dumped, bool by_name, Suits suits) {
    Open* best = nullptr;
    std::size_t fewest = 0;
    std::optional<Arranged> arranged;
    for (Open& open : open_) {
      if (open.matched || !suits(open)) {
        continue;
      }
      std::optional<Arranged> laid = arrange(dumped, open.step->tensor->shape(), open.values, tolerance_);
      const std::size_t wrong =
          laid ? compare(laid->values, open.values, tolerance_).mismatched.size() : dumped.values.size() + open.values.size() + 1;
      if ((by_name || wrong == 0) && (best == nullptr || wrong < fewest)) {
        best = &open;
        fewest = wrong;
        arranged = std::move(laid);
      }
    }
    if (best == nullptr) {
      return false;
    }
    best->matched = Matched{&dumped, best->step, by_name, arranged ? arranged->words : "", arranged.has_value(),
                            arranged ? std::move(arranged->values) : std::vector<double>{}};
    return true;
  }

  const Tolerance& tolerance_;
  std::vector<Open> open_;
};

[[noreturn]] void throw_no_tensor(const std::string& name, std::span<const dump::Dumped> dumped) {
  std::vector<std::string> names;
  for (const dump::Dumped& one : dumped) {
    names.push_back(one.name);
  }
  const std::string near = text::nearest(name, names);
  throw NameError("--map: the dump has no tensor '" + name + "'; accepted are its names" +
                  (near.empty() ? ", such as " + names.front() : "; try " + near));
}

[[noreturn]] void throw_no_step(const std::string& name, const std::vector<std::string>& names) {
  const std::string near = text::nearest(name, names);
  throw NameError("--map: the chapter has no step '" + name + "'; accepted are " + text::joined(names) +
                  (near.empty() ? "" : "; try " + near));
}

}  // namespace

std::vector<double> values_of(const Tensor& tensor) {
  return std::visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
                    *tensor.array().contents());
}

Matching match(std::span<const dump::Dumped> dumped, std::span<const Step> steps, const Names& names,
               const Tolerance& tolerance) {
  Matcher matcher(steps, tolerance);
  for (const auto& [theirs, ours] : names) {
    const auto found = std::ranges::find(dumped, theirs, &dump::Dumped::name);
    if (found == dumped.end()) {
      throw_no_tensor(theirs, dumped);
    }
    if (!matcher.match_name(*found, parted(ours))) {
      throw_no_step(ours, matcher.names());
    }
  }
  std::vector<const dump::Dumped*> left;
  for (const dump::Dumped& one : dumped) {
    if (!names.contains(one.name) && !matcher.match_name(one, parted(one.name))) {
      left.push_back(&one);
    }
  }
  std::erase_if(left, [&](const dump::Dumped* one) { return matcher.match_numbers(*one); });
  return {matcher.matched(), std::move(left)};
}

}  // namespace attn::port
