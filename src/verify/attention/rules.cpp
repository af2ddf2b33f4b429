#include "verify/attention/rules.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <sstream>
#include <unordered_map>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "torch/torch.hpp"

namespace attn::verify {

/// The text of rules.txt.
std::string_view rules_text();

namespace {

constexpr std::size_t deepest = 1000;  ///< from a statement's tensor to those of earlier ones
constexpr std::size_t longest_chain = 64;

using Axis = std::optional<std::size_t>;

/// The elements of an operand that an element, else the first, is computed from.
std::vector<Shape> places_in(const Tensor& x, std::size_t operand, Shape index = {}) {
  std::vector<Shape> places;
  const auto take = [&](const Element& one) { one.operand == operand ? places.push_back(one.index) : void(); };
  index.resize(x.shape().size());
  if (element_count(x.shape()) > 0) {
    for (const Derivation::Term& term : x.operation().derive(x.operands(), index).terms) {
      take(term.a);
      term.b ? take(*term.b) : void();
    }
  }
  return places;
}

Axis differing_axis(const Shape& a, const Shape& b) {
  const auto [first, other] = std::ranges::mismatch(a, b);
  const bool is_only = first != a.end() && std::equal(first + 1, a.end(), other + 1, b.end());
  return is_only ? Axis(static_cast<std::size_t>(first - a.begin())) : std::nullopt;
}

/// The axis of an operand along which a step along x's axis leads; empty if there is none or not one alone.
Axis axis_below(const Tensor& x, Axis axis, std::size_t operand) {
  if (!axis || *axis >= x.shape().size() || x.shape()[*axis] < 2) {
    return std::nullopt;
  }
  Shape index(x.shape().size());
  const std::vector<Shape> first = places_in(x, operand);
  index[*axis] = 1;
  const std::vector<Shape> next = places_in(x, operand, index);
  if (first.empty() || next.empty()) {  // a masked cell depends on the mask alone
    return x.operands()[operand].shape() == x.shape() ? axis : std::nullopt;
  }
  return differing_axis(first[0], next[0]);
}

/// A sum of products: matmul, einsum of two tensors, torch.dot.
struct Product {
  Tensor result;
  std::array<std::size_t, 2> summed;  ///< of each factor the axis that is summed over

  const Tensor& factor(std::size_t i) const { return result.operands()[i]; }
  std::int64_t width() const { return factor(0).shape()[summed[0]]; }
};

std::optional<Product> product_of(const Tensor& x) {
  Product product{x, {}};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<Shape> places = x.operands().size() == 2 ? places_in(x, i) : std::vector<Shape>{};
    const Axis axis = places.size() < 2 ? std::nullopt : differing_axis(places[0], places[1]);
    if (!axis || x.operands()[i].shape()[*axis] != std::ssize(places)) {
      return std::nullopt;
    }
    product.summed[i] = *axis;
  }
  return product;
}

/// An operation that scales, masks or moves an operand's elements.
struct Step {
  Tensor result;
  std::size_t operand = 0;

  const Tensor& below() const { return result.operands()[operand]; }
  /// The other operand, such as a mask, or y in x * y; null if there is none.
  const Tensor* other() const { return result.operands().size() == 2 ? &result.operands()[1 - operand] : nullptr; }
};

/// The sums of exp(x) / exp(x).sum(dim); null for another tensor.
const Tensor* sums_of(const Tensor& x) {
  const bool divides = x.kind() == Kind::divided && x.operands()[0].kind() == Kind::exp;
  return divides && x.operands()[1].kind() == Kind::sum ? &x.operands()[1] : nullptr;
}

/// The axis of a softmax, or of one that is written out: exp(x) / exp(x).sum(dim, keepdim=True).
Axis softmax_axis(const Tensor& x) {
  const std::size_t rank = x.shape().size();
  if (x.kind() == Kind::softmax && rank > 0) {
    const std::int64_t axis = x.operation().facts().axis;
    return axis < 0 ? rank - 1 : static_cast<std::size_t>(axis);
  }
  const Tensor* const sums = sums_of(x);
  if (sums == nullptr) {
    return std::nullopt;
  }
  const auto axis = static_cast<std::size_t>(x.dim() + sums->operation().facts().axis);
  const bool is_repeated = sums->shape().size() == rank || axis == 0;
  return is_repeated && sums->operands()[0].shape() == x.shape() ? Axis(axis) : std::nullopt;
}

/// Returns true for exp(x) / exp(x).sum(-1), whose sums of rows stand beside columns.
bool has_lost_sums(const Tensor& x) {
  const Tensor* const sums = sums_of(x);
  return sums != nullptr && sums->operands()[0].id() == x.operands()[0].id() && x.dim() > 1 &&
         sums->dim() + 1 == x.dim() && sums->operation().facts().axis == -1;
}

/// A tensor, and step by step what it is made from.
struct Chain {
  Tensor top;
  std::vector<Step> steps = {};

  const Tensor& end() const { return steps.empty() ? top : steps.back().below(); }
  /// The axis of the end that continues as this axis of the top.
  Axis at_end(Axis axis) const {
    for (const Step& step : steps) {
      axis = axis_below(step.result, axis, step.operand);
    }
    return axis;
  }
};

/// A program's tensors, and what is computed from each.
class Graph {
 public:
  explicit Graph(const Ran& ran) {
    for (const ProgramDraw& draw : ran.draws) {
      nodes_[draw.tensor.id()].is_dropout = draw.call.find("ropout") != std::string::npos;
    }
    for (const Computed& one : ran.computed) {
      add(one.tensor, 0);
      Node& node = nodes_[one.tensor.id()];
      node.statement = node.statement != nullptr ? node.statement : &one;
    }
  }

  /// Operands first.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Tensor>& users(const Tensor& x) const { return node(x).users; }
  /// Returns true if nothing drawn or trained is in it.
  bool is_constant(const Tensor& x) const { return node(x).is_constant; }
  /// The statement that computes it, or else what is computed from it; null if there is none.
  const Computed* statement(const Tensor& x) const {
    const Node* at = &node(x);
    for (std::size_t i = 0; i < longest_chain && at->statement == nullptr && !at->users.empty(); ++i) {
      at = &node(at->users[0]);
    }
    return at->statement;
  }

  /// Empty for a leaf, a product, a softmax.
  std::optional<Step> step(const Tensor& x) const {
    const std::vector<Tensor>& of = x.operands();
    const bool is_moved = of.size() == 1 && places_in(x, 0).size() == 1;
    if ((of.size() != 2 && !is_moved) || softmax_axis(x) || product_of(x)) {
      return std::nullopt;
    }
    const auto likeness = [&](const Tensor& y) { return (y.shape() == x.shape() ? 2 : 0) + (is_constant(y) ? 0 : 1); };
    const Step step{x, static_cast<std::size_t>(std::ranges::max_element(of, {}, likeness) - of.begin())};
    return is_moved || step.below().shape() == x.shape() ? std::optional(step) : std::nullopt;
  }

  Chain chain(const Tensor& x) const {
    Chain chain{x};
    for (auto next = step(x); next && chain.steps.size() < longest_chain; next = step(chain.end())) {
      chain.steps.push_back(*next);
    }
    return chain;
  }

  bool is_dropout(const Step& step) const { return step.other() != nullptr && node(*step.other()).is_dropout; }

 private:
  struct Node {
    std::vector<Tensor> users = {};
    bool is_constant = false;
    bool is_dropout = false;
    const Computed* statement = nullptr;
  };
  const Node& node(const Tensor& x) const {
    static const Node none;
    const auto found = nodes_.find(x.id());
    return found == nodes_.end() ? none : found->second;
  }

  void add(const Tensor& x, std::size_t depth) {
    const auto [place, is_new] = nodes_.try_emplace(x.id());
    bool is_constant = x.kind() < Kind::uniform || x.kind() > Kind::parameter;  // not drawn
    for (std::size_t i = 0; is_new && i < x.operands().size() && depth < deepest; ++i) {
      add(x.operands()[i], depth + 1);
      Node& operand = nodes_[x.operands()[i].id()];
      operand.users.push_back(x);
      is_constant = is_constant && operand.is_constant;
    }
    if (is_new) {
      place->second.is_constant = is_constant;
      tensors_.push_back(x);
    }
  }

  std::vector<Tensor> tensors_;
  std::unordered_map<const void*, Node> nodes_;
};

/// The product of weights and values.
struct Context {
  Product product;
  std::size_t place;  ///< of the weights among its factors
  Chain weights;      ///< from that factor down to the softmax
  Chain values;

  std::size_t weights_axis() const { return product.summed[place]; }
};

/// A softmax of queries' products with keys.
struct Attention {
  Tensor weights;
  std::size_t axis;  ///< of the softmax
  Chain before;      ///< from the softmax's input down to the scores
  Product scores;
  Chain queries;
  Chain keys;
  Axis key_axis;  ///< the weights' axis that is summed over with the values, or else the last
  std::optional<Context> context = {};
};

/// Adds what weighs values to the attention whose weights it has; rather a sum along the softmax's axis.
void add_context(const Context& context, std::vector<Attention>& all) {
  const Axis keys = context.weights.at_end(context.weights_axis());
  for (Attention& one : all) {
    const bool is_better = !one.context || keys == one.axis;
    if (one.weights.id() == context.weights.end().id() && is_better && !softmax_axis(context.values.end())) {
      one.context = context;
      one.key_axis = keys;
    }
  }
}

/// The attention that a program computes, in order, at most so many; also without values.
std::vector<Attention> attentions_of(const Graph& graph) {
  constexpr std::size_t most = 512;
  std::vector<Attention> all;
  for (const Tensor& x : graph.tensors()) {
    const Axis axis = all.size() < most ? softmax_axis(x) : std::nullopt;
    const auto product = product_of(x);
    if (axis) {
      const Tensor& input = x.operands()[0];
      const Chain before = graph.chain(x.kind() == Kind::softmax ? input : input.operands()[0]);
      if (const auto scores = product_of(before.end())) {
        all.push_back({x, *axis, before, *scores, graph.chain(scores->factor(0)), graph.chain(scores->factor(1)),
                       x.shape().size() - 1});
      }
    }
    for (std::size_t place = 0; place < 2 && product; ++place) {
      add_context({*product, place, graph.chain(product->factor(place)), graph.chain(product->factor(1 - place))}, all);
    }
  }
  return all;
}

/// A rule of attention, or words: a line of rules.txt.
struct Rule {
  std::string name;
  std::string sentence;
  std::string instead;
  std::string excuses;
};

const Rule& rule_of(std::string_view name) {
  static const auto rules = [] {
    std::vector<Rule> all;
    for (const std::string& line : text::lines_of(rules_text())) {
      std::istringstream fields(line);
      Rule& rule = all.emplace_back();
      for (std::string* const field : {&rule.name, &rule.sentence, &rule.instead, &rule.excuses}) {
        std::getline(fields, *field, '\t');
      }
    }
    return all;
  }();
  return *std::ranges::find(rules, name, &Rule::name);
}

/// A number after the sign, which may be a temperature; and a root; both without blanks.
constexpr std::string_view literals = "/1|/2|/3|/4|/5|/6|/7|/8|/9|*0|*1|*2";
constexpr std::string_view roots = "sqrt|**0.5|**-0.5|**(-0.5|**(1|pow(";

std::pair<std::uint32_t, std::uint32_t> order(const Place& place) { return {place.cell, place.line}; }

/// A page's words around a statement, in lower case: prose, comments, labels and names.
std::string words_near(const Page& page, const Place& place) {
  constexpr std::size_t before = 1600;
  constexpr std::size_t around = 2200;
  const std::string& text = page.text();
  std::size_t at = 0;
  while (at < text.size() && order(page.place(at)) < order(place)) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  return text::lower(text.substr(at - std::min(at, before), around));
}

bool is_near(double a, double b) { return std::abs(a - b) <= 0.02 * std::abs(b); }

/// A step's result if its operand were this tensor.
Tensor replaced_below(const Step& step, const Tensor& operand) {
  std::vector<Tensor> operands = step.result.operands();
  operands[step.operand] = operand;
  return step.result.with_operands(operands);
}

/// The number that multiplies each element in a step, 1 where it masks; 0 if it does something else.
double factor_of(const Graph& graph, const Step& step) try {
  const Kind kind = step.result.kind();
  if (graph.is_dropout(step) || kind == Kind::added || kind == Kind::subtracted) {
    return 1;
  }
  if ((kind == Kind::multiplied || kind == Kind::divided) && !graph.is_constant(*step.other())) {
    return 0;
  }
  const auto at = [&](double x) {
    const Tensor operand = divide(torch::ones(step.below().shape()), 1 / x, "");
    return replaced_below(step, operand).value(Shape(step.result.shape().size()));
  };
  const double factor = at(2) - at(1);
  return factor == 0 || std::isnan(factor) ? 1 : is_near(at(4) - at(2), 2 * factor) ? factor : 0;
} catch (const std::exception&) {
  return 0;
}

/// The steps that scale an attention's scores, queries and keys, or may do so.
struct Scaling {
  std::vector<Tensor> steps = {};
  double factor = 1;  ///< of all; 0 if it is not known
};

Scaling scaling_of(const Graph& graph, const Attention& one) {
  Scaling all;
  for (const Chain* chain : {&one.before, &one.queries, &one.keys}) {
    for (const Step& step : chain->steps) {
      const bool is_sum = step.result.kind() == Kind::added && !graph.is_constant(*step.other());
      const bool is_of_sum = is_sum && chain == &one.before && !all.steps.empty();  // (q @ k.T + a @ b.T) / c
      const double factor = is_of_sum ? 0 : factor_of(graph, step);
      if (!is_near(factor, 1)) {
        all.factor *= factor;
        all.steps.push_back(step.result);
      }
    }
  }
  return all;
}

/// The width of which a number is the root, if it is one that programs confuse with the keys'.
std::string other_width(const Attention& one, double number) {
  const Tensor& queries = one.queries.end();
  const auto layer = product_of(queries);
  const auto is = [&](std::int64_t size) { return is_near(number, static_cast<double>(size)); };
  const std::int64_t heads = one.weights.dim() > 2 ? one.weights.size(-3) : queries.size(-1) / one.scores.width();
  return is(queries.size(-1))             ? ", the width of all heads"
         : is(layer ? layer->width() : 0) ? ", the width of the inputs"
         : is(one.weights.size(-1))       ? ", the number of tokens"
         : is(heads)                      ? ", the number of heads"
                                          : "";
}

/// "W_key" of "sa.W_key.weight".
std::string layer_name(std::string_view name) {
  name = name.substr(0, name.rfind(".weight"));
  return std::string(name.substr(name.rfind('.') + 1));
}

/// A mask that hides keys that come at least so many places after their query, or before it.
struct Triangle {
  std::int64_t sign;
  std::int64_t from;
  std::string_view fault;
  double fill = 0;  ///< what ones become there
};
constexpr auto triangles = std::to_array<Triangle>({{1, 1, ""},
                                                    {1, 0, "hides each token from itself"},
                                                    {1, 2, "shows the next token"},
                                                    {-1, 0, "is inverted: it shows only the future"},
                                                    {-1, 1, "hides the past and shows the future"}});

/// The triangle that a chain's masks hide together, if it is one: there ones become another number than elsewhere,
/// zeros or numbers far below.
std::optional<Triangle> hidden_by(const Graph& graph, const Chain& chain, std::size_t keys) {
  constexpr std::int64_t most_cells = 1 << 24;
  constexpr std::int64_t most = 64;
  constexpr double low = -20;  // exp(-20) is 2e-9
  Tensor masked = torch::ones(chain.end().shape());
  for (auto step = chain.steps.rbegin(); step != chain.steps.rend(); ++step) {
    masked = step->other() == nullptr || graph.is_constant(*step->other()) ? replaced_below(*step, masked) : masked;
  }
  const Shape& shape = masked.shape();
  const std::size_t queries = keys + 1 < shape.size() || shape.size() < 2 ? shape.size() - 1 : shape.size() - 2;
  const std::int64_t size = std::min(most, shape[keys]);
  if (shape[queries] != shape[keys] || size < 3 || element_count(shape) > most_cells) {
    return {};
  }
  Box box(shape.size(), Range{0, 1});
  box[keys] = box[queries] = {0, size};
  const Array cells = masked.part(box);
  const auto cell_at = [&](std::int64_t query, std::int64_t key) {
    Shape at(shape.size());
    at[keys] = key;
    at[queries] = query;
    return cells.value(at);
  };
  const double latest = cell_at(0, size - 1);
  const double earliest = cell_at(size - 1, 0);
  for (Triangle one : triangles) {
    one.fill = one.sign > 0 ? latest : earliest;
    bool is_it = one.from + 1 < size && latest != earliest;
    for (std::int64_t cell = 0; cell < size * size && is_it; ++cell) {
      const double number = cell_at(cell / size, cell % size);
      const bool is_hidden = number == 0 || number < low || number == one.fill;
      is_it = is_hidden == (one.sign * (cell % size - cell / size) >= one.from);
    }
    if (is_it) {
      one.fill = one.fill < low ? -HUGE_VAL : one.fill;
      return one;
    }
  }
  return std::nullopt;
}

/// The step that masks, nearest to a chain's end; else its first tensor.
const Tensor& mask_of(const Chain& chain) {
  const auto is_mask = [](const Step& step) { return step.other() != nullptr && step.other()->dim() > 1; };
  const auto found = std::find_if(chain.steps.rbegin(), chain.steps.rend(), is_mask);
  return found == chain.steps.rend() ? chain.top : found->result;
}

/// Asks the rules of the attention that a program computes.
class Judge {
 public:
  Judge(const Ran& ran, const Page& page) : ran_(ran), graph_(ran), page_(page) {}

  std::vector<Fault> faults() {
    const std::vector<Attention> all = attentions_of(graph_);
    is_scaled_ = std::ranges::any_of(all, [&](const Attention& one) { return !scaling_of(graph_, one).steps.empty(); });
    for (const Attention& one : all) {
      try {
        judge(one);
      } catch (const std::exception&) {  // a mask whose numbers cannot be computed
      }
    }
    const std::vector<Tensor>& tensors = graph_.tensors();
    std::ranges::for_each(tensors, [this](const Tensor& x) { has_lost_sums(x) ? tell("sums-not-kept", x) : void(); });
    const auto open = std::ranges::find_if(tensors, [&](const Tensor& x) { return is_open(x, all); });
    open != tensors.end() ? tell("not-judged", *open) : void();
    std::ranges::for_each(ran_.discarded, [this](const Discarded& one) { judge_discarded(one); });
    return faults_;
  }

 private:
  /// Returns true if it weighs something by a softmax that is none of these.
  bool is_open(const Tensor& x, const std::vector<Attention>& all) const {
    const auto product = product_of(x);
    const Tensor weights = product ? graph_.chain(product->factor(0)).end() : x;
    const auto is_it = [&](const Attention& one) { return one.weights.id() == weights.id(); };
    return product && softmax_axis(weights) && std::ranges::none_of(all, is_it);
  }

  void judge(const Attention& one) {
    judge_scaling(one);
    judge_weights("queries and keys", one.queries.end(), one.keys.end());
    one.key_axis == one.axis ? judge_masks(one) : judge_axis(one);
    const Tensor& scores = one.scores.result;
    const std::size_t rows = scores.shape().size() - (scores.dim() > 1 ? 2 : 1);
    const auto mixed = std::ranges::find_if(one.keys.steps, [](const Step& step) {
      const Shape& to = step.result.shape();
      return step.result.kind() == Kind::view && to.size() > 1 && to.size() == step.below().shape().size() &&
             to.back() > 1 && to[to.size() - 2] > 1 && !axis_below(step.result, to.size() - 2, step.operand);
    });
    mixed != one.keys.steps.end() ? tell("keys-by-view", mixed->result) : void();
    axis_below(scores, rows, 1) ? void() : judge_split(one.queries, axis_below(scores, rows, 0));
    judge_split(one.keys, axis_below(scores, one.before.at_end(one.axis), 1));
    if (one.context) {
      judge_split(one.context->values, one.context->product.summed[1 - one.context->place]);
      judge_weights("queries and values", one.queries.end(), one.context->values.end());
      judge_weights("keys and values", one.keys.end(), one.context->values.end());
      judge_values(one);
      judge_join(one.context->product.result, one.context->product.result);
    }
  }

  /// Tells a broken rule where the first tensor that is wrong is computed.
  void tell(std::string_view rule, const Tensor& wrong, const std::string& what = "") {
    if (const Computed* const at = graph_.statement(wrong)) {
      tell_at(at->place, at->words, rule, wrong, what, at->name.empty() ? "x" : at->name);
    }
  }

  void tell_at(const Place& place, const std::string& words, std::string_view name, const Tensor& wrong,
               const std::string& what, const std::string& line) {
    const Rule& rule = rule_of(name);
    const auto is_this = [&](const Fault& one) { return one.name == name && order(one.place) == order(place); };
    const std::string near = words_near(page_, place);
    if (std::ranges::any_of(faults_, is_this) || text::contains_any(near, rule_of("shown-on-purpose").excuses) ||
        text::contains_any(near, rule.excuses)) {
      return;
    }
    const bool is_note = name == "no-scaling" || name == "not-judged" ||
                         (name == "wrong-scale" && text::contains_any(near, rule_of("widely-copied").excuses));
    faults_.push_back({std::string(name), text::replaced(rule.sentence, "{}", what),
                       text::replaced(rule.instead, "{}", line), place, words, is_note,
                       is_note ? std::nullopt : std::optional(wrong)});
  }

  void judge_scaling(const Attention& one) {
    const Scaling scaling = scaling_of(graph_, one);
    const bool is_of_products = product_of(one.queries.end()) && product_of(one.keys.end());
    if (!is_of_products && one.queries.end().id() == one.keys.end().id()) {
      return;  // simplified: no scale
    }
    const double number = std::pow(scaling.factor, -2);  // the scores are divided by its root
    const auto width = static_cast<double>(one.scores.width());
    const std::string root = "the root of " + std::to_string(one.scores.width()) + ", the keys' width";
    const std::vector<Step> after = one.context ? one.context->weights.steps : std::vector<Step>{};
    if (!scaling.steps.empty() && is_near(number * width, 1)) {
      tell("wrong-scale", scaling.steps[0], "multiplied by " + root + ", not divided by it");
    } else if (!scaling.steps.empty()) {
      number > 1.5 && is_near(number, std::round(number)) ? judge_scale(one, scaling, number) : void();
    } else if (!after.empty() && is_near(std::pow(factor_of(graph_, after.back()), -2), width)) {
      tell("scaled-after-softmax", after.back().result);
    } else if (!is_scaled_ && (one.context || is_of_products)) {
      tell("no-scaling", one.weights, std::to_string(one.scores.width()));
    }
  }

  void judge_scale(const Attention& one, const Scaling& scaling, double number) {
    const Computed* const statement = graph_.statement(scaling.steps[0]);
    const std::string words = statement != nullptr ? text::replaced(statement->words, " ", "") : "";
    const auto width = static_cast<double>(one.scores.width());
    const std::string what = other_width(one, number);
    const bool is_plain = text::contains_any(words, literals);
    std::string by;
    if (is_near(number, width * width)) {
      by = scaling.steps.size() > 1 ? "that root twice" : is_plain ? "" : std::to_string(one.scores.width());
    } else if (text::contains_any(words, roots) || (!what.empty() && !is_plain)) {
      by = "the root of " + std::to_string(std::llround(number)) + what;
    }
    if (!by.empty() && !is_near(number, width)) {
      tell("wrong-scale", scaling.steps[0],
           "divided by " + by + ", not by the root of " + std::to_string(one.scores.width()) + ", the keys' width");
    }
  }

  /// Returns true if the weights, or what they weigh, are divided by something that is computed, such as their sums;
  /// not by sums along another axis than the keys'.
  bool is_renormalised(const Context& context) const {
    const auto divides = [&](const Tensor& x) {
      if (x.kind() != Kind::divided || graph_.is_constant(x.operands()[1])) {
        return false;
      }
      const Tensor& by = x.operands()[1];
      const std::int64_t axis = by.kind() == Kind::sum ? x.dim() + by.operation().facts().axis : -1;
      const bool is_of_weights = axis >= 0 && by.operands()[0].shape() == context.product.factor(context.place).shape();
      return !is_of_weights || static_cast<std::size_t>(axis) == context.weights_axis();
    };
    return std::ranges::any_of(graph_.users(context.product.result), divides) ||
           std::ranges::any_of(context.weights.steps, divides, &Step::result);
  }

  void judge_axis(const Attention& one) {
    if (!one.context || !one.key_axis || is_renormalised(*one.context)) {
      return;
    }
    if (one.context->weights_axis() == one.axis) {
      tell("values-transposed", one.context->product.result);
    } else {
      const bool is_of_heads = one.axis + 3 == one.weights.shape().size();
      tell("softmax-axis", one.weights, !is_of_heads ? "the queries" : one.axis == 0 ? "the batch" : "the heads");
    }
  }

  void judge_masks(const Attention& one) {
    const Chain* chain = &one.before;
    std::optional<Triangle> triangle = hidden_by(graph_, one.before, one.axis);
    const auto is_unknown = [&](const Step& step) {
      return step.result.kind() == Kind::added ||
             (step.result.kind() == Kind::masked && !graph_.is_constant(*step.other()));
    };
    if (triangle && std::isfinite(triangle->fill) && std::ranges::none_of(one.before.steps, is_unknown)) {
      return tell("masked-with-number", mask_of(one.before), text::shortest_text(triangle->fill));
    }
    if (!triangle && one.context) {
      chain = &one.context->weights;
      triangle = hidden_by(graph_, *chain, one.context->weights_axis());
      if (triangle && !is_renormalised(*one.context)) {
        return tell("masked-after-softmax", mask_of(*chain));
      }
    }
    if (triangle && !triangle->fault.empty()) {
      tell("mask-triangle", mask_of(*chain), std::string(triangle->fault));
    }
    const auto dropped =
        std::ranges::find_if(one.before.steps, [&](const Step& step) { return graph_.is_dropout(step); });
    dropped == one.before.steps.end() ? void() : tell("dropout-before-softmax", dropped->result);
  }

  /// Asks of an axis of tokens, of queries, keys or values, that no view makes it of features.
  void judge_split(const Chain& chain, Axis axis) {
    for (const Step& step : chain.steps) {
      const Axis below = axis_below(step.result, axis, step.operand);
      const bool is_of_rows = axis && *axis > 0 && *axis + 2 == step.result.shape().size();
      const bool was_of_features = below && *below > 0 && *below + 1 == step.below().shape().size();
      if (step.result.kind() == Kind::view && is_of_rows && was_of_features) {
        return tell("heads-by-view", step.result);
      }
      axis = below;
    }
  }

  /// Asks of the users of contexts [.., heads, tokens, width] that no view makes heads of their tokens.
  void judge_join(const Tensor& contexts, const Tensor& x) {
    const Shape& of = contexts.shape();
    const std::size_t rank = of.size();
    for (const Tensor& user : graph_.users(x)) {
      const Shape& to = user.shape();
      const bool is_joined = rank > 2 && to.size() + 1 == rank && to.back() == of[rank - 3] * of[rank - 1];
      if (to == of && graph_.step(user)) {
        axis_below(user, rank - 2, 0) == Axis(rank - 2) ? judge_join(contexts, user) : void();
      } else if (user.kind() == Kind::view && is_joined && of[rank - 3] > 1 && to[rank - 3] == of[rank - 2]) {
        tell("heads-joined-by-view", user);
      }
    }
  }

  /// Asks of two projections that are made of the same tensors whether weights of that shape are used by nobody.
  void judge_weights(const std::string& what, const Tensor& a, const Tensor& b) {
    const auto source = [&](const Tensor& x) { return graph_.chain(x).end(); };
    const auto is_same = [&](const Tensor& x, const Tensor& y) { return source(x).id() == source(y).id(); };
    if (a.id() == b.id() || a.operands().size() < 2 || !std::ranges::equal(a.operands(), b.operands(), is_same)) {
      return;
    }
    const Tensor weights = source(a.operands()[1]);
    const auto used = std::ranges::find(ran_.draws, weights.id(), [](const auto& one) { return one.tensor.id(); });
    const auto forgotten = std::ranges::find_if(ran_.draws, [&](const ProgramDraw& one) {
      return one.tensor.shape() == weights.shape() && graph_.users(one.tensor).empty();
    });
    const Computed* const statement = graph_.statement(b);
    if (statement != nullptr && used != ran_.draws.end() && forgotten != ran_.draws.end()) {
      const std::string name = layer_name(forgotten->name);
      tell_at(statement->place, statement->words, "same-weights", b, what + " have the same weights: " + name,
              text::replaced(statement->words, layer_name(used->name), name));
    }
  }

  /// Asks of weights of keys whether there are other keys, which nobody uses: the values.
  void judge_values(const Attention& one) {
    const Tensor& keys = one.keys.end();
    const Computed* const weights = graph_.statement(one.weights);
    const auto unused = std::ranges::find_if(ran_.computed, [&](const Computed& other) {
      return weights != nullptr && order(other.place) < order(weights->place) && !other.name.empty() &&
             other.tensor.shape() == keys.shape() && graph_.users(other.tensor).empty();
    });
    if (keys.id() == one.context->values.end().id() && keys.id() != one.queries.end().id() &&
        unused != ran_.computed.end()) {
      tell("keys-as-values", one.context->product.result, unused->name);
    }
  }

  /// Asks whether a tensor is used as if it had changed, and nothing computes there what was thrown away.
  void judge_discarded(const Discarded& one) {
    const std::vector<Tensor>& users = graph_.users(one.of);
    const auto is_later = [&](const Tensor& user) {
      const Computed* const statement = user.id() == one.result.id() ? nullptr : graph_.statement(user);
      return statement != nullptr && order(statement->place) > order(one.place);
    };
    const auto is_again = [&](const Tensor& user) { return is_later(user) && user.kind() == one.result.kind(); };
    const auto wrong = std::ranges::find_if(users, is_later);
    if (wrong != users.end() && std::ranges::none_of(users, is_again)) {
      tell_at(one.place, one.words, "discarded", *wrong, one.function, one.target + " = " + one.words);
    }
  }

  const Ran& ran_;
  Graph graph_;
  const Page& page_;
  bool is_scaled_ = false;  ///< some attention of the program
  std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> faults_of(const Ran& ran, const Page& page) { return Judge(ran, page.listing()).faults(); }

}  // namespace attn::verify
