#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "torch/generator.hpp"
#include "verify/program/interpreter.hpp"

namespace attn::verify {
namespace {

using Kind = Any::Kind;

/// What shares its numbers with the tensor it is made of, or may share them.
constexpr std::string_view views =
    "view unsqueeze numpy from_numpy transpose T mT t swapaxes permute expand diagonal narrow select reshape "
    "contiguous as_tensor asarray float double long int bool";
/// Functions whose result is no whole number.
constexpr std::string_view of_fractions =
    "mean softmax log_softmax exp sqrt rsqrt float double half bfloat16 div sigmoid tanh log sin "
    "layer_norm cos float_power normalize gelu true_divide ones zeros empty eye linspace /";
constexpr std::string_view whole_types = "long int int64 int32 int16 int8 uint8";

/// Roots of libraries that draw nothing from torch or numpy.
constexpr std::string_view harmless =
    "os sys time math matplotlib json re tiktoken requests urllib collections typing dataclasses random seaborn "
    "IPython pathlib warnings logging tqdm copy itertools functools einops string inspect platform importlib pandas "
    "torchinfo contextlib abc enum subprocess datetime types pprint google";

std::string root_of(const std::string& path) { return path.substr(0, path.find('.')); }

constexpr std::int64_t most_drawn = 1 << 22;  ///< numbers of a tensor
constexpr std::size_t most_draws = 4'096;
constexpr double most_ranged = 1U << 24U;

/// The sizes that 3, (3, 2) or ((3, 2),) say.
std::optional<Shape> sizes_in(const Any& value) {
  std::vector<Any> all = value.holds_items() && !value.thing->is_unsure ? value.thing->items : std::vector{value};
  all = all.size() == 1 && all[0].holds_items() ? std::vector<Any>(all[0].thing->items) : all;
  Shape shape;
  std::int64_t count = 1;
  for (const Any& one : all) {
    const bool is_size = one.is(Kind::number) && one.number >= 1 && one.number == std::floor(one.number);
    if (!is_size || shape.size() > 7 || one.number * static_cast<double>(count) > most_drawn) {
      return std::nullopt;
    }
    shape.push_back(whole(one.number));
    count *= shape.back();
  }
  return shape;
}

/// A call on one line, of at most a certain length.
std::string words_of(const Expr* call) {
  constexpr std::size_t longest = 100;
  return call == nullptr ? std::string() : std::string(call->words.substr(0, longest));
}

}  // namespace

const Any* Interpreter::in_library(const std::string& name) const {
  const auto found = library_->names.find(name);
  return found != library_->names.end() && !found->second.is(Kind::path) ? &found->second : nullptr;
}

std::optional<Given> Interpreter::arguments(std::span<const Expr> exprs, Scope& scope) {
  Given given;
  Thing plain;
  Thing named;
  for (const Expr& one : exprs) {
    if (one.kind == Expr::Kind::keyword) {
      given.named.emplace_back(one.text, of(one.parts[0], scope));
    } else {
      const bool is_named = one.kind == Expr::Kind::star && one.text == "**";
      add(is_named ? Any{.kind = Kind::dictionary, .thing = &named} : Any{.kind = Kind::list, .thing = &plain}, one,
          scope);
    }
  }
  for (std::size_t i = 0; i < named.keys.size(); ++i) {
    given.named.emplace_back(named.keys[i].is(Kind::string) ? named.keys[i].thing->text : "", named.items[i]);
  }
  given.plain = std::move(plain.items);
  return plain.is_unsure || named.is_unsure ? std::nullopt : std::optional(given);
}

Any Interpreter::call(const Expr& expr, Scope& scope) {
  const Expr& callee = expr.parts[0];
  const bool is_method = callee.kind == Expr::Kind::attribute;
  const Any base = is_method ? of(callee.parts[0], scope) : Any{};
  const bool has_attributes = base.is(Kind::object) || base.is(Kind::klass) || base.is(Kind::path);
  const Any function = !is_method ? of(callee, scope) : has_attributes ? attribute(base, callee.text) : Any{};
  if (function.is(Kind::path) && function.thing->text == "super") {
    return variable("super()", scope);
  }
  const bool is_of_value = is_method && !has_attributes;
  auto given = arguments(std::span(expr.parts).subspan(1), scope);
  if (!given) {
    doubt_draws();
    return {};
  }
  const Expr* const outer = std::exchange(caller_, in_library_ ? caller_ : &expr);
  is_of_value ? void(given->plain.insert(given->plain.begin(), base)) : void();
  const Any result = is_of_value ? method(callee.text, std::move(*given)) : called(function, std::move(*given));
  caller_ = outer;
  return result;
}

Any Interpreter::called(const Any& function, Given given) {
  budget_.step();
  const Any self{.kind = Kind::object, .thing = function.self};
  if (function.is(Kind::object)) {
    const auto own =
        std::array{attribute(function, "forward"), attribute(function, "__call__"), attribute(function, "call")};
    const auto found = std::ranges::find(own, Kind::function, &Any::kind);
    return found != own.end() ? called(*found, std::move(given)) : Any{};
  }
  if (function.self != nullptr && function.is(Kind::path)) {
    given.named.emplace_back("generator", self);
  } else if (function.self != nullptr) {
    given.plain.insert(given.plain.begin(), self);
  }
  const bool is_callable = function.is(Kind::function) || function.is(Kind::klass) || function.is(Kind::path);
  is_callable ? void() : doubt_draws();
  return function.is(Kind::function) ? run_function(*function.thing, std::move(given))
         : function.is(Kind::klass)  ? made_object(*function.thing, std::move(given))
         : function.is(Kind::path)   ? library(function.thing->text, given)
                                     : Any{};
}

void Interpreter::bind(const Thing& function, Given& given, Scope& inner) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Expr& one = function.parameters[i];
    if (one.kind == Expr::Kind::star) {
      const Any rest = of_items(one.text == "**" ? Kind::dictionary : Kind::tuple, {});
      for (; one.text == "*" && !one.parts.empty() && next < given.plain.size(); ++next) {
        rest.thing->items.push_back(given.plain[next]);
      }
      for (const auto& [name, value] : one.text == "**" ? std::exchange(given.named, {}) : decltype(given.named){}) {
        put(*rest.thing, of_string(name), value);
      }
      one.parts.empty() ? void() : void(inner.names[one.parts[0].text] = rest);
      continue;
    }
    const std::string names = one.text == "dim" ? "dim axis" : one.text == "keepdim" ? "keepdim keepdims" : one.text;
    const auto own = std::ranges::find_if(given.named, [&](const auto& by) { return is_among(by.first, names); });
    const bool is_named = own != given.named.end();
    inner.names[one.text] = is_named                    ? own->second
                            : next < given.plain.size() ? given.plain[next++]
                                                        : function.items[i];
    is_named ? void(given.named.erase(own)) : void();
  }
  given.plain.erase(given.plain.begin(), given.plain.begin() + static_cast<std::ptrdiff_t>(next));
}

Any Interpreter::run_function(Thing& function, Given given) {
  Scope& inner = scopes_.emplace_back(Scope{{}, function.around});
  budget_.take(sizeof(Scope));
  if (function.klass != nullptr && !given.plain.empty() && given.plain[0].thing != nullptr) {
    inner.names["super()"] = {.kind = Kind::object, .thing = given.plain[0].thing, .self = function.klass};
  }
  bind(function, given, inner);
  if (function.is_library && function.klass == nullptr && (!given.named.empty() || !given.plain.empty())) {
    doubt_draws();  // it has an argument that the program here does not follow
    return {};
  }
  const bool in_library = std::exchange(in_library_, function.is_library);
  const Stmt* const here = here_;
  const Ends ends = block(function.body, inner);
  here_ = here;
  in_library_ = in_library;
  return ends == Ends::returned ? std::exchange(result_, {}) : Any{ends == Ends::no ? Kind::none : Kind::unknown};
}

Any Interpreter::made_object(Thing& klass, Given given) {
  const Any object{.kind = Kind::object, .thing = &made({.klass = &klass})};
  if (const Any init = attribute(object, "__init__"); init.is(Kind::function)) {
    called(init, std::move(given));
    return object;
  }
  for (std::size_t i = 0; i < given.plain.size() && i < klass.order.size(); ++i) {  // of a dataclass
    given.named.emplace_back(klass.order[i], given.plain[i]);
  }
  std::ranges::for_each(given.named, [&](const auto& one) { set_attribute(object, one.first, one.second); });
  return object;
}

Any Interpreter::attribute(const Any& base, const std::string& name) {
  if (base.is(Kind::path)) {
    const std::string path = base.thing->text + "." + name;
    const bool is_of_math = is_among(root_of(path), "torch numpy math jax mlx");
    constexpr std::size_t longest = 200;
    if (is_of_math && is_among(name, "inf infty pi e nan")) {
      return name == "nan" ? Any{} : of_number(name.starts_with("inf") ? HUGE_VAL : name == "pi" ? M_PI : M_E);
    }
    return is_of_math && name == "newaxis" ? Any{Kind::none} : path.size() > longest ? Any{} : of_path(path);
  }
  if (base.is(Kind::tensor)) {
    return tensor_attribute(base, name);
  }
  if (base.thing == nullptr) {
    return {};
  }
  const bool is_super = base.is(Kind::object) && base.self != nullptr;
  const auto own = base.thing->attributes.find(name);
  if (!is_super && own != base.thing->attributes.end()) {
    return own->second;
  }
  if (generators_.contains(base.thing)) {
    return of_path(base.thing->text + name, base.thing);
  }
  if (!base.is(Kind::object) && !base.is(Kind::klass)) {
    return {};
  }
  Thing* const klass = is_super ? base.self : base.is(Kind::klass) ? base.thing : base.thing->klass;
  if (klass == nullptr) {
    return {};
  }
  for (Thing* const one : std::span(klass->bases).subspan(is_super ? 1 : 0)) {
    if (const auto found = one->attributes.find(name); found != one->attributes.end()) {
      Any made = found->second;
      const bool is_bound = base.is(Kind::object) && made.is(Kind::function) && !made.thing->is_static;
      made.self = is_bound ? base.thing : made.self;
      return made;
    }
  }
  return name == "__name__"    ? of_string(klass->text)
         : name == "__class__" ? Any{.kind = Kind::klass, .thing = klass}
         : name == "__init__"  ? of_path("our_nothing")
                               : Any{};
}

Any Interpreter::tensor_attribute(const Any& base, const std::string& name) {
  const Value& x = base.thing->value;
  if (name == "device" || name == "dtype") {
    const bool is_bool = name == "dtype" && x.tensor && x.tensor->dtype() == DType::boolean;
    return of_path(is_bool ? "torch.bool" : "torch." + name);
  }
  if (x.tensor && is_among(name, "shape ndim")) {
    const Any sizes = of_items(Kind::tuple, {});
    sizes.thing->is_sizes = true;
    for (const std::int64_t size : x.tensor->shape()) {
      sizes.thing->items.push_back(of_number(static_cast<double>(size), true));
    }
    return name == "shape" ? sizes : of_number(static_cast<double>(x.tensor->dim()), true);
  }
  return name == "data" ? base : is_among(name, "T mT values indices") ? method(name, {{base}, {}}) : Any{};
}

/// A method of the first argument.
Any Interpreter::method(const std::string& name, Given given) {
  const Any base = given.plain[0];
  const bool is_tensor = base.is(Kind::tensor);
  const bool is_numpy = is_tensor && base.thing->value.is_numpy;
  const std::string type(is_numpy             ? "numpy"
                         : is_tensor          ? "torch.Tensor"
                         : base.holds_items() ? "list"
                                              : types_of(base));
  const Any* own = in_library(type + "." + name);
  own = own == nullptr && is_numpy ? in_library("torch.Tensor." + name) : own;
  if (own != nullptr || is_tensor || base.is(Kind::string)) {
    return own != nullptr ? called(*own, std::move(given))
           : is_tensor    ? tensor_method(name, given)
                          : string_method(name, given);
  }
  if (base.is(Kind::list) && name == "append" && given.plain.size() == 2) {
    base.thing->items.push_back(given.plain[1]);
    return {Kind::none};
  }
  if (base.is(Kind::dictionary) && !base.thing->is_unsure && is_among(name, "keys values")) {
    return of_items(Kind::list, name == "keys" ? base.thing->keys : base.thing->items);
  }
  !base.is(Kind::tuple) && !is_among(name, "index count") ? forget(base) : void();
  is_among(name, "forward generate fit apply train_step init reset_parameters") ? doubt_draws() : void();
  name == "step" ? doubt_parameters() : void();
  return {};
}

Any Interpreter::tensor_method(const std::string& name, const Given& given) {
  const Any& base = given.plain[0];
  if (name.ends_with('_') && !name.starts_with('_')) {
    return written_by(name.substr(0, name.size() - 1), given);
  }
  const Value& x = base.thing->value;
  const bool is_numpy = name == "numpy" || (x.is_numpy && name != "tolist");
  if (is_among(name, "to type astype")) {
    const Any kind = given.get("dtype", 1);
    const std::string path = kind.is(Kind::path) ? last_of(kind.thing->text) : "";
    const std::string other = is_among(path, whole_types)                  ? "long"
                              : path == "float16"                          ? "half"
                              : is_among(path, "float32 float64 double")   ? "float"
                              : is_among(path, "bool bfloat16 half float") ? path
                                                                           : "contiguous";
    return table(other, {{base}, {}}, is_numpy);
  }
  if (name == "item") {
    const double number = number_in(base);
    return std::isnan(number) ? Any{} : of_number(number, x.is_whole);
  }
  return table(name, given, is_numpy);
}

/// x.masked_fill_(mask, 0): what the method without the stroke gives is written into the tensor.
Any Interpreter::written_by(const std::string& name, const Given& given) {
  const Any& base = given.plain[0];
  if (name == "requires_grad") {
    return base;
  }
  const bool copies = is_among(name, "copy fill") && given.plain.size() > 1;
  const Value after = as_value(copies ? given.plain[1] : method(name, given));
  is_among(name, "random bernoulli exponential normal") ? doubt_draws() : void();
  is_among(name, "unsqueeze squeeze t transpose swapaxes") ? void(base.thing->value = after)
                                                           : write(*base.thing, after);
  return base;
}

/// A function of the tables.
Any Interpreter::table(const std::string& name, const Given& given, bool is_numpy) {
  Passed all;
  bool is_whole = !is_among(name, of_fractions);
  std::uint32_t depth = 0;
  bool has_tensor = std::ranges::any_of(given.plain, [](const Any& one) { return one.is(Kind::tensor); });
  const auto look = [&](const Value& one) {
    depth = std::max(depth, one.depth);
    has_tensor = has_tensor || one.tensor;
    is_whole = is_whole && (one.tensor ? one.is_whole || one.tensor->dtype() == DType::boolean
                                       : !one.number || one.is_whole || is_among(one.words, "True False"));
  };
  for (const Any& one : given.plain) {
    look(all.plain.emplace_back(as_value(one)));
    std::ranges::for_each(all.plain.back().items, look);
  }
  for (const auto& [key, value] : given.named) {
    look(all.named.emplace_back(key, as_value(value)).second);
  }
  const std::string type = all.get("dtype", 99).words;
  is_whole = type.empty() ? is_whole || is_among(name, "long int argmax argmin argsort") : is_among(type, whole_types);
  Value made = call_of(name, all);
  if (!made.is_known()) {
    return has_tensor ? unknown_tensor() : Any{};
  }
  made.is_whole = made.number ? made.is_whole : is_whole;
  made.depth = depth + 1;
  const Any result = as_any(std::move(made), is_numpy);
  !given.plain.empty() && is_among(name, views) ? link(result, given.plain[0]) : void();
  return result;
}

Any Interpreter::library(const std::string& path, Given& given) {
  const std::string root = root_of(path);
  const std::string name = last_of(path);
  if (given.plain.empty() && given.get("input", 0).is_known()) {
    given.plain.push_back(given.get("input", 0));
    std::erase_if(given.named, [](const auto& one) { return one.first == "input"; });
  }
  const Any first = given.get("input", 0);
  constexpr std::string_view seeds =
      "torch.manual_seed torch.random.manual_seed torch.Generator torch.Generator.manual_seed numpy.random.seed "
      "numpy.random.RandomState numpy.random.default_rng";
  const bool is_of_arrays = is_among(root, "torch numpy mlx jax tensorflow") && path.find(".random.") == npos;
  const Any* own = in_library(path.starts_with("torch.optim.") ? "torch.optim.Optimizer" : path);
  for (const std::string& one : {"torch." + name, "torch.Tensor." + name}) {
    own = own == nullptr && is_of_arrays ? in_library(one) : own;
  }
  if (own != nullptr || root == path || is_among(path, seeds)) {
    return own != nullptr ? called(*own, std::move(given)) : root == path ? builtin(path, given) : seeded(path, given);
  }
  const bool is_layer = path.starts_with("torch.nn.") && path.find("functional") == npos;
  if (is_layer || path.starts_with("numpy.random.")) {
    doubt_draws();
    forget(given.get("tensor", 0));
    return {};
  }
  if (is_among(root, "torch numpy math mlx jax")) {
    const bool is_of_number = root == "math" || (given.plain.size() == 1 && first.is(Kind::number));
    return table(name, given, !is_of_number && root != "torch");
  }
  is_among(root, harmless) ? void() : doubt_draws();
  return {};
}

/// A new generator from a seed on, or the library's own.
Any Interpreter::seeded(const std::string& path, const Given& given) {
  const Any seed = given.get("seed", 0);
  const Any own = given.get("generator", 99);
  const bool is_torch = path.starts_with("torch");
  const bool is_known = seed.is(Kind::number) && seed.number == std::floor(seed.number) && std::abs(seed.number) < 9e15;
  const auto number = is_known ? static_cast<std::int64_t>(seed.number) : 0;
  const std::string words = words_of(caller_);
  Seeded made;
  made.seeding = own.is_known() ? "torch.Generator().manual_seed" : words.substr(0, words.find('('));
  made.seeding += "(" + std::to_string(number) + ")";
  if (is_known && !own.is_known() && std::ranges::find(ran_.seeds, number) == ran_.seeds.end()) {
    ran_.seeds.push_back(number);
  }
  if (is_known && is_torch) {
    made.generator.emplace<torch::Generator>(static_cast<std::uint64_t>(number));
  } else if (is_known && number >= 0 && number <= std::numeric_limits<std::uint32_t>::max() &&
             !path.ends_with("default_rng")) {
    made.generator.emplace<NumpyGenerator>(static_cast<std::uint32_t>(number));
  }
  const bool is_of_library = is_among(path, "torch.manual_seed torch.random.manual_seed numpy.random.seed");
  Thing* const generator = is_of_library    ? of_path(is_torch ? "torch" : "numpy").thing
                           : own.is_known() ? own.thing
                                            : &this->made({.text = is_torch ? "torch.Generator." : "numpy.random."});
  generators_[generator] = std::move(made);
  return is_of_library ? Any{Kind::none} : Any{.kind = Kind::object, .thing = generator};
}

void Interpreter::fill(Seeded& from, const Law& law, std::vector<float>& out) const {
  const auto range = static_cast<std::uint32_t>(std::clamp(law.b - law.a, 1.0, 2 * most_ranged));
  const auto generate = [&](const auto& number) {
    std::ranges::generate(out, [&] { return static_cast<float>(number()); });
  };
  if (auto* const numpy = std::get_if<NumpyGenerator>(&from.generator)) {
    generate([&] {
      return law.name == "uniform"  ? law.a + (law.b - law.a) * numpy->uniform()
             : law.name == "normal" ? law.a + law.b * numpy->normal()
                                    : law.a + numpy->integer(range - 1);
    });
    return;
  }
  auto& generator = std::get<torch::Generator>(from.generator);
  if (law.name == "uniform") {
    torch::uniform(generator, out, law.a, law.b, with_.kernels.cpu);
  } else if (law.name == "normal") {
    torch::normal(generator, out, with_.kernels.cpu);
    std::ranges::transform(out, out.begin(), [&](double x) { return static_cast<float>(x * law.b + law.a); });
  } else if (law.name == "integers") {
    generate([&] { return law.a + generator.random() % range; });
  } else {
    const auto keeps = std::make_unique<bool[]>(out.size());
    torch::bernoulli(generator, {keeps.get(), out.size()}, 1 - law.a, with_.dropout_kernel);
    std::transform(keeps.get(), keeps.get() + out.size(), out.begin(),
                   [kept = static_cast<float>(1 / (1 - law.a))](bool keep) { return keep ? kept : 0; });
  }
}

Tensor Interpreter::tensor_drawn(Seeded& from, const Shape& shape, const std::string& call, const Law& law) {
  const auto count = static_cast<std::size_t>(element_count(shape));
  constexpr std::size_t cells_of_a_step = 256;
  budget_.step(1 + count / cells_of_a_step);
  budget_.take(count * sizeof(float));
  const bool is_known = from.generator.index() > 0;
  const std::size_t before = is_known ? from.calls[call]++ : 0;
  Tensor tensor = unknown_of(shape);
  if (is_known) {
    const auto numbers = std::make_shared<std::vector<float>>(count);
    fill(from, law, *numbers);
    tensor = constant(
        shape, [numbers](std::size_t i) { return (*numbers)[i]; }, with_.kernels);
  }
  if (ran_.draws.size() < most_draws) {
    draws_[tensor.id()] = ran_.draws.size();
    ran_.draws.push_back({tensor, "", call, is_known ? from.seeding : "", before + 1});
  }
  return tensor;
}

/// our_drawn(generator, dtype, law, a, b, shape, part): a part of a layer is a parameter.
Any Interpreter::drawn(const Given& given) {
  std::array<Any, 7> all;
  std::copy_n(given.plain.begin(), std::min(given.plain.size(), all.size()), all.begin());
  const auto& [source, type, name, a, b, sizes, part] = all;
  const auto shape = sizes_in(sizes);
  const Law law{name.thing->text, a.number, b.number};
  const bool is_own = source.is(Kind::object) && generators_.contains(source.thing);
  Thing* const generator = is_own ? source.thing : of_path(source.is(Kind::string) ? "numpy" : "torch").thing;
  Seeded& from = generators_[generator];
  const bool is_numpy = generator->text.starts_with("numpy");
  const bool is_usual = !type.is(Kind::path) ||
                        (!is_numpy && !is_among(last_of(type.thing->text), "float64 double float16 half bfloat16"));
  const bool is_whole = law.name == "integers";
  const bool is_fitting = law.name == "kept" ? law.a > 0 && law.a < 1
                          : is_whole         ? law.b > law.a && std::max(std::abs(law.a), std::abs(law.b)) < most_ranged
                                             : is_among(law.name, "uniform normal");
  drawn_ += shape ? element_count(*shape) : 0;
  if (!shape || !is_usual || !is_fitting || !a.is(Kind::number) || !b.is(Kind::number) || drawn_ > most_drawn) {
    from.generator = {};
    return unknown_tensor(shape);
  }
  ran_.draws_dropout = ran_.draws_dropout || law.name == "kept";
  const std::string call = law.name == "kept"      ? "nn.Dropout(" + text::shortest_text(law.a) + ")"
                           : part.is(Kind::string) ? words_of(caller_) + part.thing->text
                                                   : words_of(caller_);
  const Any made = of_tensor({tensor_drawn(from, *shape, call, law), is_whole, is_numpy});
  made.thing->is_parameter = part.is(Kind::string);
  return made;
}

}  // namespace attn::verify
