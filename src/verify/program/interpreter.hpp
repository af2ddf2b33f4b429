#pragma once

#include <bit>
#include <limits>
#include <map>
#include <variant>

#include "tensor/tensor.hpp"
#include "torch/generator.hpp"
#include "verify/program/ran.hpp"

namespace attn::verify {

inline constexpr std::int64_t most_listed = 1 << 22;   ///< cells of a tensor
inline constexpr std::int64_t most_computed = 20'000;  ///< of one whose numbers are computed all at once

/// Thrown where a function does not fit its arguments, or nothing can be told of its result.
struct Unknown {};

inline void require(bool is_so) { is_so ? void() : throw Unknown{}; }

template <typename T>
T known(std::optional<T> one) {
  return one ? *std::move(one) : throw Unknown{};
}

/// What a library's function takes and gives: a tensor, a number, or several of them; nothing where it cannot be told.
struct Value {
  Value() = default;
  Value(Tensor x, bool whole = false, bool numpy = false, std::uint32_t deep = 0)
      : tensor(std::move(x)), is_whole(whole), is_numpy(numpy), depth(deep) {}
  Value(double x) : number(x) {}

  std::optional<Tensor> tensor = {};
  std::optional<double> number = {};
  std::vector<Value> items = {};  ///< what torch.stack takes, and torch.topk gives
  std::string words = {};         ///< of an argument that is neither: "bool", "True"
  bool is_whole = false;          ///< a tensor of whole numbers, which drops the fraction of what is put into it
  bool is_numpy = false;          ///< numpy's array, some of whose functions differ
  std::uint32_t depth = 0;        ///< of the operations that it depends on

  bool is_known() const { return tensor || number || !items.empty(); }
};

/// Arguments: those without a name, and those with one.
template <typename One>
struct Arguments {
  std::vector<One> plain = {};
  std::vector<std::pair<std::string, One>> named = {};

  /// By one of its names, or its place where it has none; unknown where it is not given.
  One get(std::string_view names, std::size_t place) const {
    const auto found = std::ranges::find_if(named, [&](const auto& one) { return is_among(one.first, names); });
    return found != named.end() ? found->second : place < plain.size() ? plain[place] : One{};
  }
};
using Passed = Arguments<Value>;

/// What a library's function or a sign makes of arguments: torch.softmax, np.tril, "+". The first of them may stand
/// before the dot.
Value call_of(std::string_view function, const Passed& arguments);

/// x[i, :, 2:4, None]; an item that is no number is a tensor of them.
struct Subscript {
  enum class Kind { item, slice, added, rest } kind;
  std::optional<double> first = {};
  std::optional<double> last = {};
  double step = 1;
  std::optional<Tensor> places = {};  ///< x[ids], x[mask]: rows that numbers name, or cells
};
Value subscripted(const Value& x, std::span<const Subscript> subscripts);
/// x after x[subscripts] = y.
Value put_into(const Value& x, const Value& y, std::span<const Subscript> subscripts);

/// The places of an axis that a slice takes: from begin on, before end.
struct Range {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
};
Range range_of(const Subscript& slice, std::int64_t size);

inline std::int64_t whole(double number) {
  constexpr double most = 1e15;  // beyond any size or place
  return std::llround(std::clamp(std::isnan(number) ? 0 : number, -most, most));
}

/// a + b and its like; of a comparison 1 if it holds, else 0, and & | ^ take numbers as truth values.
double arithmetic(std::string_view sign, double a, double b);

// ---- Parts of functions, which throw Unknown ---------------------------------------------------------

/// A tensor whose numbers follow from their places, row-major.
Tensor constant(const Shape& shape, std::function<double(std::size_t)> number, std::optional<Kernels> kernels = {});
/// A tensor of which the shape alone is known: all its numbers are nan.
Tensor unknown_of(const Shape& shape);
Tensor scalar(double number);
/// All numbers, row-major; none if one of them is unknown.
std::optional<std::vector<double>> cells_of(const Tensor& x);
/// True as 1, False as 0; another tensor as it is.
Tensor as_numbers(const Tensor& x);
/// The bool tensor of the places where a comparison holds; unknown where the numbers are.
Tensor compared(std::string_view sign, const Tensor& a, const Tensor& b);
/// The bool tensor of the places that are not 0.
Tensor truths_of(const Tensor& x);
/// a + b and its like, with the axes that one of them lacks.
Value combined(std::string_view sign, const Value& a, const Value& b);

/// Each element is the one of x at `from`, or 0 where there is none.
Tensor moved(const Tensor& x, const Shape& shape, std::function<std::optional<Shape>(const Shape&)> from);
/// With the axes that it lacks.
Tensor expanded(const Tensor& x, const Shape& shape);
/// The same numbers in another shape.
Tensor reshaped(const Tensor& x, const Shape& shape);
Tensor with_axis(const Tensor& x, std::int64_t axis);

using OfNumbers = std::function<double(std::span<const double>)>;
/// A function of the numbers at the same place of tensors, with the axes that some lack.
Tensor each(const std::vector<Tensor>& operands, OfNumbers function);

/// torch.tensor([0.5, 1.0]) and torch.tensor(0.5)
Tensor listed_numbers(const Value& list);
/// torch.stack and torch.cat, of masks as well.
Tensor joined(std::vector<Tensor> parts, std::int64_t axis, bool is_stack);
/// x.masked_fill(mask, number)
Tensor masked(const Tensor& x, const Tensor& mask, const Value& number);

/// numpy.random.RandomState, also behind np.random.seed. numpy's newer default_rng is not repeated.
class NumpyGenerator {
 public:
  /// The seed is from 0 to 2^32 - 1.
  explicit NumpyGenerator(std::uint32_t seed) : twister_(seed) {}

  /// In [0, 1): random_sample, random. From numpy/random/src/mt19937: genrand_res53.
  double uniform() {
    const std::uint32_t high = twister_() >> 5U;
    const std::uint32_t low = twister_() >> 6U;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

  /// Mean 0, standard deviation 1: standard_normal. From numpy/random/src/legacy: legacy_gauss, Marsaglia's polar
  /// method.
  double normal() {
    if (left_over_) {
      return *std::exchange(left_over_, {});
    }
    double x1 = 0;
    double x2 = 0;
    double square = 0;
    do {
      x1 = 2 * uniform() - 1;
      x2 = 2 * uniform() - 1;
      square = x1 * x1 + x2 * x2;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    left_over_ = factor * x1;
    return factor * x2;
  }

  /// From 0 to `most`, which is below 2^32 - 1: randint(most + 1). From numpy/random/src/distributions:
  /// buffered_bounded_masked_uint32.
  std::uint32_t integer(std::uint32_t most) {
    const auto mask = most == 0 ? 0 : std::numeric_limits<std::uint32_t>::max() >> std::countl_zero(most);
    for (;;) {
      if (const std::uint32_t value = most == 0 ? 0 : twister_() & mask; value <= most) {
        return value;
      }
    }
  }

 private:
  torch::MersenneTwister twister_;
  std::optional<double> left_over_;
};

struct Thing;

/// The value of an expression.
struct Any {
  enum class Kind : std::uint8_t {
    unknown,
    none,
    number,
    string,
    tensor,
    text,  ///< a string with things in it whose numbers are only printed: its parts are items
    list,
    tuple,
    set,
    dictionary,
    function,
    klass,
    object,  ///< with `self`, what super() gives in a method of that class
    path,    ///< of a library: "torch.nn.Linear"; with `self` a method of a generator
  };

  Kind kind = Kind::unknown;
  bool is_whole = false;  ///< of a number: an int
  bool is_truth = false;  ///< True or False
  double number = 0;
  Thing* thing = nullptr;
  Thing* self = nullptr;  ///< of a bound method

  bool is(Kind one) const { return kind == one; }
  bool is_known() const { return kind != Kind::unknown; }
  /// The tensor, if at least its shape is known.
  const Tensor* tensor() const;
  bool holds_items() const { return kind == Kind::list || kind == Kind::tuple || kind == Kind::set; }
};

using Attributes = std::map<std::string, Any, std::less<>>;
using Given = Arguments<Any>;

/// A scope's variables ("super()" is one of a method), and the scope around it.
struct Scope {
  Attributes names = {};
  Scope* around = nullptr;
};

/// What a program has by reference. All that a run makes lives until it ends.
struct Thing {
  std::string text = {};            ///< a string, a path, a class's name
  Value value = {};                 ///< a tensor; nothing if not even its shape is known
  std::span<const Stmt> body = {};  ///< of a function
  std::span<const Expr> parameters = {};
  Scope* around = nullptr;                 ///< where a function is defined
  Thing* klass = nullptr;                  ///< of an object; of a method the class that has it
  std::vector<Thing*> bases = {};          ///< of a class: itself and all of its bases, the nearest first
  Attributes attributes = {};              ///< of an object; of a class, methods as well
  std::vector<std::string> order = {};     ///< of the attributes
  std::vector<Any> items = {};             ///< of a list, a tuple, a dictionary, a text; defaults of a function
  std::vector<Any> keys = {};              ///< of a dictionary
  Thing* viewed = nullptr;                 ///< by a tensor: the one whose numbers it shares
  std::vector<Subscript> subscripts = {};  ///< of it; without them a write to one makes the other unknown
  std::vector<Thing*> views = {};          ///< of a tensor
  bool is_sizes = false;                   ///< of a tuple: a torch.Size
  bool is_static = false;                  ///< of a function: it is called without self
  bool is_library = false;                 ///< of a function: no page defines it
  bool is_parameter = false;               ///< of a tensor: training changes it
  bool is_unsure = false;                  ///< of a list or a dictionary: something unknown changed it
};

inline const Tensor* Any::tensor() const {
  return is(Kind::tensor) && thing->value.tensor ? &*thing->value.tensor : nullptr;
}

/// Returns true if each byte of a text is a character.
inline bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The classes that Python's isinstance finds a value to be of, as words; none of an object.
std::string_view types_of(const Any& value);

/// The number of a tensor that has one; nan where it is not known.
double number_in(const Any& value);

/// "Linear" of "torch.nn.Linear"
inline std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// What a whole page's program may cost.
struct Budget {
  std::size_t steps = 250'000;
  std::size_t bytes = std::size_t{160} << 20U;
  std::size_t depth = 0;  ///< of expressions and statements

  void step(std::size_t count = 1) { steps = steps > count ? steps - count : throw Stopped{"too many steps"}; }
  /// A step into what may be nested.
  Level deeper() {
    constexpr std::size_t most_nested = 900;
    step();
    return {depth, most_nested};
  }
  void take(std::size_t count) { bytes = bytes > count ? bytes - count : throw Stopped{"too much memory"}; }
};

/// Runs a program once: its draws are drawn, its other tensors are lazy. It throws Stopped beyond its budget.
class Interpreter {
 public:
  explicit Interpreter(const RunWith& with) : with_(with) {}
  Ran run(const Program& program);

 private:
  /// How a block ends; unsure: it is not known whether it was left.
  enum class Ends { no, returned, broken, continued, unsure };

  /// A generator from one seed on.
  struct Seeded {
    std::variant<std::monostate, torch::Generator, NumpyGenerator> generator;
    std::string seeding = {};                       ///< "torch.manual_seed(123)"
    std::map<std::string, std::size_t> calls = {};  ///< how often each was made
  };
  /// What numbers are drawn: "uniform" between a and b, "normal" with mean a and deviation b, "integers" from a to b,
  /// "kept" ones that dropout of a rate of a multiplies by.
  struct Law {
    std::string name;
    double a = 0;
    double b = 1;
  };

  // Statements
  Ends block(std::span<const Stmt> statements, Scope& scope);
  Ends statement(const Stmt& one, Scope& scope);
  Ends loop(const Stmt& one, Scope& scope);
  Ends chosen(const Stmt& one, Scope& scope);
  Any of_function(Thing function, Scope& scope);
  void define(const Stmt& one, Scope& scope);
  void define_class(const Stmt& one, Scope& scope);
  void augment(const Stmt& one, Scope& scope);
  void stand_alone(const Stmt& one, Scope& scope);
  void assign(const Expr& target, const Any& value, Scope& scope);
  void assign_item(const Expr& target, const Any& value, Scope& scope);
  void set_attribute(const Any& base, const std::string& name, const Any& value);
  void name(const Any& value, const std::string& name, Scope& scope);
  void tell(const Any& value, std::string_view words, const std::string& name = {});
  void doubt(std::span<const Stmt> statements, Scope& scope);
  void doubt(const Expr& expr, Scope& scope);
  void doubt_draws();
  void doubt_parameters();
  void forget(const Any& value);
  void name_draws(const Any& value, const std::string& path, std::size_t depth);

  // Printing
  Any print(const Given& given);
  void show(const Any& value, const std::string& words, std::string& label);
  void note_discarded(const Stmt& one, const Any& value, Scope& scope);

  // Expressions
  Any of(const Expr& expr, Scope& scope);
  Any evaluated(const Expr& expr, Scope& scope);
  Any variable(const std::string& name, Scope& scope);
  Any unary(const Expr& expr, Scope& scope);
  Any binary(const Expr& expr, Scope& scope);
  Any compared(const std::string& sign, const Any& a, const Any& b);
  Any operated(const std::string& sign, const Any& a, const Any& b);
  Any display(const Expr& expr, Scope& scope);
  void add(const Any& to, const Expr& item, Scope& scope);
  Any format(const Expr& expr, Scope& scope);
  Any subscript(const Any& base, const Expr& expr, Scope& scope);
  Any slice_of(const Any& base, const Expr& expr, Scope& scope);
  Any part(const Any& base, const std::vector<Subscript>& subscripts);
  std::optional<std::vector<Subscript>> subscripts(const Expr& expr, Scope& scope);
  std::optional<bool> truth(const Any& value);
  std::optional<std::vector<Any>> items(const Any& value);
  std::optional<bool> same(const Any& a, const Any& b);
  /// The place of an item; of a key that a dictionary lacks its size; nothing if it cannot be told.
  std::optional<std::size_t> place_of(const Any& base, const Any& key);
  void put(Thing& dictionary, const Any& key, const Any& item);

  // Calls
  Any call(const Expr& expr, Scope& scope);
  std::optional<Given> arguments(std::span<const Expr> exprs, Scope& scope);
  Any called(const Any& function, Given given);
  Any run_function(Thing& function, Given given);
  void bind(const Thing& function, Given& given, Scope& inner);
  Any made_object(Thing& klass, Given given);
  Any attribute(const Any& base, const std::string& name);
  Any tensor_attribute(const Any& base, const std::string& name);
  Any method(const std::string& name, Given given);
  Any tensor_method(const std::string& name, const Given& given);
  Any written_by(const std::string& name, const Given& given);
  Any library(const std::string& path, Given& given);
  Any table(const std::string& name, const Given& given, bool is_numpy = false);

  // Python's own functions
  Any builtin(const std::string& name, const Given& given);
  Any collected(const std::string& name, const Given& given);
  Any attribute_asked(const std::string& name, const Given& given);
  Any number_made(const std::string& name, const Given& given);
  Any string_method(const std::string& name, const Given& given);
  Any range(const Given& given);
  Any sorted(const Given& given);
  Any is_instance(const Any& value, const Any& klass);

  // Draws
  Any seeded(const std::string& path, const Given& given);
  Any drawn(const Given& given);
  Tensor tensor_drawn(Seeded& from, const Shape& shape, const std::string& call, const Law& law);
  void fill(Seeded& from, const Law& law, std::vector<float>& out) const;

  // Things
  Thing& made(Thing thing = {});
  static Any of_number(double number, bool is_whole = false);
  static Any of_truth(bool is_so);
  Any of_string(std::string text);
  Any of_items(Any::Kind kind, std::vector<Any> items);
  Any of_path(const std::string& path, Thing* self = nullptr);
  Any of_tensor(Value value);
  Any unknown_tensor(const std::optional<Shape>& shape = {});
  Any as_any(Value value, bool is_numpy);
  Value as_value(const Any& any);
  Any joined(const std::vector<Any>& pieces);
  void write(Thing& tensor, Value value);
  void spread(Thing& tensor, const Thing* from);
  static void link(const Any& view, const Any& of, const std::vector<Subscript>& subscripts = {});
  const Any* in_library(const std::string& name) const;

  RunWith with_;
  Ran ran_;
  Budget budget_;
  std::deque<Thing> things_;
  std::deque<Scope> scopes_ = std::deque<Scope>(2);
  std::map<std::string, Thing*, std::less<>> paths_;
  Scope* library_ = &scopes_[0];
  Scope* globals_ = &scopes_[1];
  std::map<const Thing*, Seeded> generators_;  ///< torch's, numpy's, and those that a program makes
  Any result_;
  Place place_;                               ///< of the outermost statement
  const Stmt* here_ = nullptr;                ///< the innermost statement of the page
  const Expr* caller_ = nullptr;              ///< the call that runs, of the page
  std::map<const void*, std::size_t> draws_;  ///< of a drawn tensor its place among the draws
  std::string label_;                         ///< printed before what is printed next
  bool in_library_ = false;                   ///< a function of the library runs
  std::int64_t drawn_ = 0;                    ///< numbers
  bool is_without_grad_ = false;
};

}  // namespace attn::verify
