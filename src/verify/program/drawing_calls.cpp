#include "verify/program/drawing_calls.hpp"

#include <algorithm>
#include <array>

#include "text/lines.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {
namespace {

using Kind = DrawCall::Kind;

/// The meaning of a call's arguments.
enum class Says {
  sizes,   ///< (3, 2), ((3, 2)), (size=(3, 2))
  bounds,  ///< low, high, size
  whole,   ///< high, size; low, high, size
  like,    ///< a tensor with the same shape
  layer,   ///< the two sizes of a module
  nothing,
};

struct Drawer {
  std::string_view path;
  Kind kind;
  Says says;
  std::array<std::string_view, 2> names = {};  ///< names of the first two arguments
};

constexpr auto torch_drawers = std::to_array<Drawer>({
    {"torch.rand", Kind::uniform, Says::sizes},
    {"torch.randn", Kind::normal, Says::sizes},
    {"torch.rand_like", Kind::uniform, Says::like},
    {"torch.randn_like", Kind::normal, Says::like},
    {"torch.randint", Kind::integers, Says::whole, {"low", "high"}},
    {"torch.normal", Kind::normal, Says::bounds, {"mean", "std"}},
    {"torch.nn.Linear", Kind::linear, Says::layer, {"in_features", "out_features"}},
    {"torch.nn.Embedding", Kind::embedding, Says::layer, {"num_embeddings", "embedding_dim"}},
    {"torch.bernoulli", Kind::unread, Says::nothing},
    {"torch.multinomial", Kind::unread, Says::nothing},
    {"torch.randperm", Kind::unread, Says::nothing},
    {"torch.nn.Bilinear", Kind::unread, Says::nothing},
    {"torch.nn.Conv1d", Kind::unread, Says::nothing},
    {"torch.nn.Conv2d", Kind::unread, Says::nothing},
    {"torch.nn.GRU", Kind::unread, Says::nothing},
    {"torch.nn.LSTM", Kind::unread, Says::nothing},
    {"our_uniform", Kind::uniform, Says::bounds, {"low", "high"}},
    {"torch.nn.RNN", Kind::unread, Says::nothing},
    {"torch.nn.functional.dropout", Kind::unread, Says::nothing},
});

/// Names after "numpy.random." or a RandomState's variable; every other function draws as well.
constexpr auto numpy_drawers = std::to_array<Drawer>({
    {"rand", Kind::uniform, Says::sizes},
    {"randn", Kind::normal, Says::sizes},
    {"random", Kind::uniform, Says::sizes},
    {"random_sample", Kind::uniform, Says::sizes},
    {"ranf", Kind::uniform, Says::sizes},
    {"sample", Kind::uniform, Says::sizes},
    {"standard_normal", Kind::normal, Says::sizes},
    {"normal", Kind::normal, Says::bounds, {"loc", "scale"}},
    {"uniform", Kind::uniform, Says::bounds, {"low", "high"}},
    {"randint", Kind::integers, Says::whole, {"low", "high"}},
    {"integers", Kind::integers, Says::whole, {"low", "high"}},
});

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('.') + 1); }

/// PyTorch functions that draw but do not create a tensor: dropout, and methods that fill one.
bool fills(std::string_view path) {
  const std::string_view name = last_name(path);
  return (name.size() < path.size() &&
          is_among(name,
                   "bernoulli_ exponential_ normal_ random_ uniform_ kaiming_normal_ kaiming_uniform_ xavier_normal_"
                   " xavier_uniform_ trunc_normal_ orthogonal_")) ||
         name.find("dropout") != npos;
}

/// The sizes in a text of arguments or a tuple: "3, 2", "(3, d_out)", "x.shape".
std::optional<Shape> sizes_of(std::string_view text, const ValueOf& value_at) {
  text = text::trimmed(text);
  return text.empty() ? Shape{} : sizes_in(value_at(std::string("(").append(text) + ")"));
}

std::optional<Shape> sizes_of(const Arguments& arguments, const ValueOf& value_at) {
  const std::string_view named = arguments.value_of("size");
  const std::vector<std::string_view>& plain = arguments.plain;
  if (!named.empty() || plain.empty()) {
    return sizes_of(named, value_at);
  }
  const char* const begin = plain.front().data();
  return sizes_of(std::string_view(begin, static_cast<std::size_t>(plain.back().data() - begin) + plain.back().size()),
                  value_at);
}

/// Reads the sizes and bounds; false if they cannot be determined.
bool read_arguments(const Drawer& drawer, const Arguments& arguments, const ValueOf& value_at, DrawCall& call) {
  std::optional<Shape> shape;
  switch (drawer.says) {
    case Says::nothing: return false;
    case Says::sizes: shape = sizes_of(arguments, value_at); break;
    case Says::like: shape = arguments.plain.empty() ? std::nullopt : shape_of(value_at(arguments.plain[0])); break;
    case Says::layer: {
      const auto first = whole_in(value_at(arguments.at(0, drawer.names[0])));
      const auto second = whole_in(value_at(arguments.at(1, drawer.names[1])));
      const std::string_view bias = arguments.at(2, "bias");
      const bool is_linear = drawer.kind == Kind::linear;
      if (!first || !second || *first < 1 || *second < 1) {
        return false;
      }
      shape = is_linear ? Shape{*second, *first} : Shape{*first, *second};
      const auto padding = is_linear ? std::nullopt : whole_in(value_at(arguments.at(2, "padding_idx")));
      call.zero_row = !padding ? -1 : *padding + (*padding < 0 ? *first : 0);
      call.has_bias = is_linear && (bias.empty() || value_at(bias).number.value_or(1) != 0);
      break;
    }
    case Says::whole:
    case Says::bounds: {
      const bool starts_at_0 = drawer.says == Says::whole && arguments.value_of(drawer.names[0]).empty() &&
                               arguments.plain.size() + (arguments.value_of("size").empty() ? 0U : 1U) < 3;
      std::size_t place = 0;
      const auto bound = [&](std::string_view name, double usual) {
        const std::string_view text = arguments.at(place++, name);
        return text.empty() ? std::optional(usual) : value_at(text).number;
      };
      const auto low = starts_at_0 ? std::optional(0.0) : bound(drawer.names[0], 0);
      const auto high = bound(drawer.names[1], 1);
      const std::string_view size = arguments.at(place, "size");
      shape = sizes_of(size == "None" ? "" : size, value_at);
      if (!low || !high) {
        return false;
      }
      call.low = *low;
      call.high = *high;
      break;
    }
  }
  constexpr std::int64_t most = 1 << 22;
  if (!shape || shape->size() > 8 || (drawer.kind == Kind::integers && !(call.high > call.low))) {
    return false;
  }
  std::int64_t count = 1;
  for (const std::int64_t size : *shape) {
    count = count > most ? count : count * size;
  }
  call.shape = *shape;
  return count <= most;
}

}  // namespace

bool Imports::add(std::string_view statement) {
  const bool from = statement.starts_with("from ");
  const std::size_t import = from ? statement.find(" import ") : statement.starts_with("import ") ? 0 : npos;
  if (import == npos) {
    return false;
  }
  const std::string library(from ? text::trimmed(statement.substr(5, import - 5)) : "");
  for (const std::string_view one : split_outside(statement.substr(import + (from ? 8 : 7)), ',')) {
    const std::size_t as = one.find(" as ");
    const std::string_view path = text::trimmed(one.substr(0, as));
    const std::string_view name = as == npos ? path : text::trimmed(one.substr(as + 4));
    if (name.find('.') == npos) {
      names_[std::string(name)] = library + (from ? "." : "") + std::string(path);
    }
  }
  return true;
}

std::string Imports::full(std::string_view path) const {
  const std::size_t end = std::min(path.find('.'), path.size());
  const auto found = names_.find(path.substr(0, end));
  return (found == names_.end() ? std::string(path.substr(0, end)) : found->second) + std::string(path.substr(end));
}

std::string one_spaced(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((c != ' ' && c != '\t') || (!result.empty() && result.back() != ' ')) {
      result += c == '\t' ? ' ' : c;
    }
  }
  return result;
}

std::optional<DrawCall> drawing_call(std::string_view path, std::string_view inside, const Imports& imports,
                                     std::span<const std::string> generators, const ValueOf& value_at) {
  const std::string full = imports.full(path);
  const Arguments arguments = arguments_of(inside);
  constexpr std::size_t longest = 100;
  DrawCall call{.call = one_spaced(path) + "(" + one_spaced(inside.substr(0, longest)) + ")"};
  const bool seeds_torch = full == "torch.manual_seed" || full == "torch.random.manual_seed";
  if (seeds_torch || full == "numpy.random.seed") {
    const auto seed = whole_in(value_at(arguments.at(0, "seed")));
    call.kind = seed ? Kind::seed : Kind::unread;
    call.generator = seeds_torch ? "torch" : "numpy";
    call.seed = seed.value_or(0);
    call.call = std::string(path) + "(" + std::to_string(call.seed) + ")";
    return call;
  }
  const auto read = [&](const Drawer& drawer, std::string_view generator) {
    call.generator = generator;
    const bool is_torch = generator == "torch";
    const bool is_other = is_torch ? inside.find("float64") != npos || inside.find("torch.double") != npos
                                   : inside.find("float32") != npos || inside.find("endpoint") != npos;
    call.kind = !is_other && read_arguments(drawer, arguments, value_at, call) ? drawer.kind : Kind::unread;
    return call;
  };
  const auto torch = std::ranges::find(torch_drawers, full, &Drawer::path);
  if (torch != torch_drawers.end()) {
    return arguments.value_of("generator").empty() ? std::optional(read(*torch, "torch")) : std::nullopt;
  }
  const std::size_t dot = full.rfind('.');
  const std::string before = dot == std::string::npos ? "" : full.substr(0, dot);
  const bool is_numpy = before == "numpy.random";
  const bool is_library = before == "torch" || before == "numpy";  // whose other functions do not draw
  if (is_numpy || (!before.empty() && !is_library &&
                   std::ranges::find(generators, path.substr(0, path.rfind('.'))) != generators.end())) {
    const std::string_view name = last_name(full);
    if (is_among(name, "Generator RandomState default_rng get_state set_state")) {
      return std::nullopt;
    }
    const auto numpy = std::ranges::find(numpy_drawers, name, &Drawer::path);
    const std::string generator = is_numpy ? "numpy" : std::string(path.substr(0, path.rfind('.')));
    return read(numpy == numpy_drawers.end() ? Drawer{"", Kind::unread, Says::nothing} : *numpy, generator);
  }
  return fills(full) ? std::optional(read({"", Kind::unread, Says::nothing}, "torch")) : std::nullopt;
}

}  // namespace attn::verify
