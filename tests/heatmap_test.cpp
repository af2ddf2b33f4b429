// Colours, terminals, and tensors as heat maps.

#include "picture/heatmap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "picture/marks.hpp"
#include "picture/ramp.hpp"
#include "present/shown_cells.hpp"
#include "sample.hpp"
#include "tensor/operations.hpp"
#include "text/columns.hpp"
#include "text/styled.hpp"
#include "torch/print.hpp"
#include "torch/torch.hpp"

namespace {

using namespace attn;
using namespace attn::render;
using Colour = Terminal::Colour;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
/// In OKLab, where equal distances look equal (B. Ottosson, https://bottosson.github.io/posts/oklab).
struct OkLab {
  double lightness;
  double b;  ///< blue to yellow
};

OkLab to_oklab(Rgb colour) {
  const auto linear = [](std::uint8_t channel) {
    const double value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double red = linear(colour.red);
  const double green = linear(colour.green);
  const double blue = linear(colour.blue);
  const double l = std::cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const double m = std::cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const double s = std::cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

/// One of xterm's 256 colours: of the colour cube (16 to 231) or the greys.
Rgb xterm_colour(int index) {
  if (index >= 232) {
    const auto grey = static_cast<std::uint8_t>(8 + 10 * (index - 232));
    return {grey, grey, grey};
  }
  constexpr std::array<std::uint8_t, 6> levels{0, 95, 135, 175, 215, 255};
  const auto cube = static_cast<std::size_t>(index - 16);
  return {levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6]};
}

const std::vector<std::string> words{"Your", "journey", "starts", "with", "one", "step"};

Terminal terminal_with(std::map<std::string, std::string> variables, bool is_terminal = true, std::int64_t width = 0,
                       Colours colours = Colours::automatic) {
  const auto environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return terminal_from(environment, is_terminal, width, colours);
}

template <class T>
Tensor tensor_of(const Shape& shape, const std::vector<T>& values, DType dtype,
                 const Facts& facts = {.kind = Kind::given}) {
  const auto fill = [=]() -> Contents {
    Block<T> contents(shape);
    std::copy(values.begin(), values.end(), contents.data());
    return contents;
  };
  return leaf(shape, dtype, "x", fill, {}, facts);
}

Tensor floats(const Shape& shape, const std::vector<float>& values, const Facts& facts = {.kind = Kind::given}) {
  return tensor_of(shape, values, DType::float32, facts);
}

/// Of a leaf whose axes count the lesson's tokens, as a causal mask's do.
const Facts by_tokens = {.kind = Kind::given, .is_by_tokens = true};

Tensor random_tensor(const Shape& shape, std::mt19937& generator, float low = -1, float high = 1,
                     const Facts& facts = {.kind = Kind::given}) {
  std::uniform_real_distribution<float> numbers(low, high);
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  std::generate(values.begin(), values.end(), [&] { return numbers(generator); });
  return floats(shape, values, facts);
}

std::string heatmap(const Tensor& tensor, const Terminal& terminal, const std::vector<std::string>& tokens = words,
                    const torch::PrintOptions& print = {}) {
  std::ostringstream out;
  write_heatmap(out, {tensor, tokens, print, terminal});
  const std::string text = out.str();
  return text.substr(0, text.size() - 1);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string without_escapes(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

/// Numbers with a point, infinities and nan, of everything but the legend.
std::vector<std::string> numbers_in(const std::string& text) {
  std::vector<std::string> lines = lines_of(without_escapes(text));
  std::vector<std::string> numbers;
  const std::regex number("-?[0-9]+\\.[0-9]*(e[-+][0-9]+)?|-?inf|nan");
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    for (std::sregex_iterator it(lines[i].begin(), lines[i].end(), number), end; it != end; ++it) {
      numbers.push_back(it->str());
    }
  }
  return numbers;
}

std::vector<std::string> printed_numbers(const Tensor& tensor) {
  const std::string text = torch::format_tensor(*tensor.array().contents(), {}, {});
  return numbers_in(text + "\nlegend");
}

/// What holds for every heat map: lines fit, styles end with their line, and no colour is out of range.
void check_lines(const std::string& text, const Terminal& terminal) {
  const std::string escape = "\x1b[";
  for (const std::string& line : lines_of(text)) {
    CAPTURE(line);
    CHECK(text::display_columns(without_escapes(line)) <= terminal.width);
    const std::size_t last = line.rfind(escape);
    CHECK((last == std::string::npos || line.compare(last, 4, "\x1b[0m") == 0));
    CHECK((terminal.colour != Colour::none || last == std::string::npos));
    CHECK((terminal.unicode || std::all_of(line.begin(), line.end(), [](char c) { return (c & 0x80) == 0; })));
  }
  static const std::regex parameters(";([0-9]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), parameters), end; it != end; ++it) {
    CHECK(std::stoi((*it)[1]) <= 255);
  }
}

const std::vector<Terminal> kinds{
    {Colour::none, 80, false}, {Colour::none, 80, true}, {Colour::ansi256, 80, true}, {Colour::truecolour, 80, true}};

}  // namespace

// ---- Terminals ---------------------------------------------------------------------------------

TEST_CASE("a terminal's colours follow NO_COLOR, COLORTERM and TERM") {
  CHECK(terminal_with({{"TERM", "xterm-256color"}}).colour == Colour::ansi256);
  CHECK(terminal_with({{"TERM", "xterm"}}).colour == Colour::ansi256);
  CHECK(terminal_with({{"TERM", "xterm-direct"}}).colour == Colour::truecolour);
  CHECK(terminal_with({{"TERM", "xterm-direct256"}}).colour == Colour::truecolour);
  CHECK(terminal_with({{"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}}).colour == Colour::truecolour);
  CHECK(terminal_with({{"TERM", "xterm-256color"}, {"COLORTERM", "24bit"}}).colour == Colour::truecolour);
  CHECK(terminal_with({{"TERM", "xterm-256color"}, {"COLORTERM", "yes"}}).colour == Colour::ansi256);
  CHECK(terminal_with({{"TERM", "xterm"}, {"COLORTERM", "24bit"}, {"NO_COLOR", "1"}}).colour == Colour::none);
  CHECK(terminal_with({{"TERM", "xterm"}, {"NO_COLOR", "0"}}).colour == Colour::none);
  CHECK(terminal_with({{"TERM", "xterm"}, {"NO_COLOR", ""}}).colour == Colour::ansi256);
  CHECK(terminal_with({{"TERM", "dumb"}, {"COLORTERM", "truecolor"}}).colour == Colour::none);
  CHECK(terminal_with({{"TERM", "vt100"}}).colour == Colour::none);
  CHECK(terminal_with({}).colour == Colour::none);
  CHECK(terminal_with({{"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}}, false).colour == Colour::none);
}

TEST_CASE("requested colours override NO_COLOR, TERM and a missing terminal") {
  const auto always = [](const std::map<std::string, std::string>& variables, bool is_terminal) {
    return terminal_with(variables, is_terminal, 0, Colours::always).colour;
  };
  CHECK(always({{"TERM", "xterm"}, {"NO_COLOR", "1"}}, true) == Colour::ansi256);
  CHECK(always({{"TERM", "xterm"}, {"COLORTERM", "24bit"}, {"NO_COLOR", "1"}}, false) == Colour::truecolour);
  CHECK(always({{"TERM", "dumb"}}, true) == Colour::ansi256);
  CHECK(always({}, false) == Colour::ansi256);
  CHECK(terminal_with({{"TERM", "xterm"}}, true, 0, Colours::never).colour == Colour::none);
  CHECK(file_terminal(Colours::automatic).colour == Colour::none);
  CHECK(file_terminal(Colours::always).colour != Colour::none);
}

TEST_CASE("a terminal's width is COLUMNS, else the reported width, else 80") {
  CHECK(terminal_with({}).width == 80);
  CHECK(terminal_with({}, true, 132).width == 132);
  CHECK(terminal_with({{"COLUMNS", "60"}}, true, 132).width == 60);
  for (const char* nonsense : {"", "0", "-5", "wide", "60x", "99999999999999999999"}) {
    CHECK(terminal_with({{"COLUMNS", nonsense}}, true, 132).width == 132);
  }
}

TEST_CASE("a terminal shows Unicode if the first set locale variable says UTF-8") {
  CHECK_FALSE(terminal_with({}).unicode);
  CHECK(terminal_with({{"LANG", "en_GB.UTF-8"}}).unicode);
  CHECK(terminal_with({{"LANG", "C.utf8"}}).unicode);
  CHECK_FALSE(terminal_with({{"LC_ALL", "C"}, {"LANG", "en_GB.UTF-8"}}).unicode);
  CHECK(terminal_with({{"LC_ALL", ""}, {"LC_CTYPE", "de_DE.UTF-8"}, {"LANG", "C"}}).unicode);
}

TEST_CASE("text is made printable and cut by columns") {
  const Terminal unicode{Colour::none, 80, true};
  const Terminal ascii{Colour::none, 80, false};
  CHECK(printable("a\x1b[31m\n\xff\xc3", unicode) == "a?[31m???");
  CHECK(printable("naïve", unicode) == "naïve");
  CHECK(printable("naïve", ascii) == "na?ve");
  CHECK(printable("\u202eevil", unicode) == "?evil");
  CHECK(cut_to("journey", 7, unicode) == "journey");
  CHECK(cut_to("journey", 6, unicode) == "journ…");
  CHECK(cut_to("journey", 6, ascii) == "journ~");
  CHECK(cut_to("注意力", 4, unicode) == "注…");
  CHECK(cut_to("journey", 1, unicode) == "…");
  CHECK(cut_to("journey", 0, unicode) == "");
}

// ---- Colours -----------------------------------------------------------------------------------

TEST_CASE("lightness changes evenly along the ramps") {
  constexpr int steps = 32;
  const double first = to_oklab(sequential_colour(0)).lightness;
  const double step = (to_oklab(sequential_colour(1)).lightness - first) / steps;
  CHECK(step * steps > 0.6);
  for (int i = 0; i <= steps; ++i) {
    CHECK(std::abs(to_oklab(sequential_colour(i / 32.0)).lightness - first - i * step) < 0.004);
  }
  const double fall = to_oklab(diverging_colour(0.5)).lightness - to_oklab(diverging_colour(0)).lightness;
  CHECK(fall > 0.4);
  for (int i = 0; i <= steps; ++i) {
    const double expected = to_oklab(diverging_colour(0.5)).lightness - fall * std::abs(i / 16.0 - 1);
    CHECK(std::abs(to_oklab(diverging_colour(i / 32.0)).lightness - expected) < 0.004);
  }
}

TEST_CASE("the diverging ramp goes from blue over white to brown") {
  const Rgb middle = diverging_colour(0.5);
  CHECK(std::max({middle.red, middle.green, middle.blue}) - std::min({middle.red, middle.green, middle.blue}) <= 1);
  CHECK(middle.red > 240);
  CHECK(diverging_colour(0).blue > diverging_colour(0).red + 60);
  CHECK(diverging_colour(1).red > diverging_colour(1).blue + 60);
  CHECK(diverging_colour(-3) == diverging_colour(0));
  CHECK(sequential_colour(7) == sequential_colour(1));
}

TEST_CASE("numbers are readable on every colour") {
  for (int i = 0; i <= 256; ++i) {
    for (const Rgb colour : {sequential_colour(i / 256.0), diverging_colour(i / 256.0)}) {
      CHECK(contrast(colour, text_colour(colour)) >= 4.5);
    }
  }
  for (int i = 0; i <= 16; ++i) {
    for (const Tone& tone : {sequential_tone(i / 16.0), diverging_tone(i / 16.0), grey_tone(i > 8)}) {
      CHECK(contrast(xterm_colour(tone.background), xterm_colour(tone.text)) >= 4.5);
    }
  }
  CHECK(contrast({0, 0, 0}, {255, 255, 255}) == doctest::Approx(21));
}

TEST_CASE("the ramps of 256 colours get lighter with each step, and keep the sign") {
  const auto lightness = [](const Tone& tone) { return to_oklab(xterm_colour(tone.background)).lightness; };
  for (int i = 0; i < 6; ++i) {
    const double rise = lightness(sequential_tone((i + 1) / 6.0)) - lightness(sequential_tone(i / 6.0));
    CHECK(rise > 0.07);
    CHECK(rise < 0.12);
  }
  for (int i = 0; i < 4; ++i) {
    CHECK(lightness(diverging_tone(i / 8.0)) < lightness(diverging_tone((i + 1) / 8.0)));
    CHECK(lightness(diverging_tone(1 - i / 8.0)) < lightness(diverging_tone(1 - (i + 1) / 8.0)));
    CHECK(to_oklab(xterm_colour(diverging_tone(i / 8.0).background)).b < -0.03);
    CHECK(to_oklab(xterm_colour(diverging_tone(1 - i / 8.0).background)).b > 0.03);
  }
}

// ---- Heat maps ---------------------------------------------------------------------------------

TEST_CASE("a small tensor without colours") {
  const Tensor weights = floats({2, 2}, {1, 0, 0.25F, 0.75F}, by_tokens);
  CHECK(heatmap(weights, kinds[1], {"Your", "journey"}) ==
        "            Your  journey\n"
        "Your      1.0000█  0.0000▁\n"
        "journey   0.2500▃  0.7500▇\n"
        "0.0000 ▁▂▃▄▅▆▇█ 1.0000");
  CHECK(heatmap(weights, kinds[0], {}) ==
        "         0        1\n"
        "0   1.0000@  0.0000\n"
        "1   0.2500:  0.7500#\n"
        "0.0000  .:-=+*#%@ 1.0000");
}

TEST_CASE("a small tensor with colours") {
  CHECK(
      heatmap(floats({2}, {0, 1}), kinds[3], {})
          .starts_with(
              "  0   1\n\x1b[48;2;68;1;84;38;2;255;255;255m 0. \x1b[48;2;253;231;37;38;2;0;0;0m 1. \x1b[0m\n0. \x1b["));
  const std::string signs = heatmap(floats({3}, {-1, 0, 0.5F}), kinds[2], {});
  CHECK(without_escapes(signs).starts_with("       0        1        2\n -1.0000   0.0000   0.5000 \n"));
  CHECK(without_escapes(signs).ends_with("-1.0000 " + std::string(32, ' ') + " 0.5000"));
}

TEST_CASE("axes of tokens are labelled with tokens") {
  std::mt19937 generator(1);
  const auto has_named_columns = [](const Tensor& tensor) {
    return lines_of(heatmap(tensor, kinds[1]))[0].find("journey") != std::string::npos;
  };
  const auto has_named_rows = [](const Tensor& tensor) {
    return heatmap(tensor, kinds[1]).find("\njourney ") != std::string::npos;
  };
  const Tensor inputs = random_tensor({6, 3}, generator);
  inputs.set_name("inputs");
  CHECK(has_named_rows(inputs));
  CHECK_FALSE(has_named_columns(inputs));
  for (const Tensor& both : {matmul(inputs, t(inputs)), torch::causal_mask(6)}) {
    CHECK(has_named_rows(both));
    CHECK(has_named_columns(both));
  }
  const Tensor weight = parameter(random_tensor({3, 6}, generator));
  CHECK(has_named_rows(matmul(inputs, weight)));
  CHECK_FALSE(has_named_columns(matmul(inputs, weight)));
  CHECK_FALSE(has_named_columns(weight));
  CHECK_FALSE(has_named_rows(random_tensor({6, 6}, generator)));
}

TEST_CASE("long, wide and hostile names") {
  const std::vector<std::string> names{"a very long name that goes on", "注意力机制注意力机制", "\x1b[2Jx\n"};
  std::mt19937 generator(2);
  const Tensor scores = random_tensor({3, 3}, generator, -1, 1, by_tokens);
  for (Terminal terminal : kinds) {
    for (terminal.width = 20; terminal.width <= 200; terminal.width += 9) {
      const std::string text = heatmap(scores, terminal, names);
      check_lines(text, terminal);
      CHECK(text.find("\x1b[2J") == std::string::npos);
      CHECK(numbers_in(text).size() == 9);
    }
  }
}

TEST_CASE("batches and heads are headings") {
  std::mt19937 generator(3);
  const std::string three = heatmap(random_tensor({2, 6, 3}, generator), kinds[1]);
  CHECK(three.starts_with("[0]\n"));
  CHECK(three.find("\n[1]\n") != std::string::npos);
  const std::string four = heatmap(random_tensor({2, 3, 6, 6}, generator), kinds[1]);
  CHECK(four.starts_with("[0, 0]\n"));
  CHECK(four.find("\n[1, 2]\n") != std::string::npos);
}

TEST_CASE("masked cells and nan are plain") {
  const Tensor scores = floats({2, 2}, {1, -infinity, not_a_number, 2});
  const std::vector<std::string> coloured = lines_of(heatmap(scores, kinds[3], {}));
  CHECK(coloured[1].ends_with("\x1b[0m -inf"));
  CHECK(coloured[2].starts_with("1   nan \x1b["));
  CHECK(lines_of(heatmap(scores, kinds[1], {}))[1] == "0     1.▁  -inf");
  CHECK(heatmap(floats({2}, {-infinity, -infinity}), kinds[3], {}) == "    0     1\n -inf  -inf");
}

TEST_CASE("numbers without a range") {
  const float denormal = std::numeric_limits<float>::denorm_min();
  const float largest = std::numeric_limits<float>::max();
  const std::vector<std::vector<float>> cases{{0, 0, 0},
                                              {-0.0F, 0, -0.0F},
                                              {5, 5, 5},
                                              {-5, -5, -5},
                                              {infinity, -infinity, not_a_number},
                                              {infinity, 1, 2},
                                              {denormal, 0, -denormal},
                                              {denormal, 2 * denormal, 3 * denormal},
                                              {-largest, largest, 0},
                                              {largest, largest / 2, denormal}};
  for (const auto& values : cases) {
    for (const Terminal& terminal : kinds) {
      const Tensor tensor = floats({3}, values);
      const std::string text = heatmap(tensor, terminal);
      check_lines(text, terminal);
      if (std::any_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) {
        CHECK(numbers_in(text) == printed_numbers(tensor));
      }
    }
  }
  CHECK(heatmap(floats({2}, {5, 5}), kinds[1]) == "   0    1\n  5.▅  5.▅\n5. ▅");
}

TEST_CASE("booleans have two tones") {
  const Tensor mask = tensor_of<bool>({2}, {true, false}, DType::boolean);
  CHECK(heatmap(mask, kinds[0]) == "      0       1\n   True#  False.\nFalse . True #");
  CHECK(heatmap(mask, kinds[3]).find("\x1b[48;2;208;208;208;38;2;0;0;0m  True ") != std::string::npos);
  CHECK(heatmap(mask, kinds[3]).find("\x1b[48;2;88;88;88;38;2;255;255;255m False ") != std::string::npos);
}

TEST_CASE("integers") {
  const Tensor ids = tensor_of<std::int64_t>({3}, {-12, 0, 7}, DType::int64);
  CHECK(without_escapes(heatmap(ids, kinds[3])).starts_with("   0    1    2\n -12    0    7 \n-12 "));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  check_lines(heatmap(tensor_of<std::int64_t>({2, 2}, {-most, most, 0, 1}, DType::int64), {Colour::none, 12, true}),
              {Colour::none, 12, true});
}

TEST_CASE("a number alone, a vector and nothing") {
  CHECK(heatmap(floats({}, {0.5F}), kinds[1]) == "  0.5000▅\n0.5000 ▅");
  CHECK(lines_of(heatmap(floats({6}, {1, 2, 3, 4, 5, 6}), kinds[1])).size() == 3);
  CHECK(heatmap(floats({0}, {}), kinds[1]) == "tensor([])");
  CHECK(heatmap(floats({0, 3}, {}), kinds[3]) == "tensor([], size=(0, 3))");
}

TEST_CASE("wide tensors are split into blocks, with each number once in its row") {
  std::mt19937 generator(4);
  const Tensor wide = random_tensor({1, 1000}, generator, 0.1F, 1);
  const std::string text = heatmap(wide, kinds[1]);
  CHECK(text.starts_with("columns 0-7\n"));
  CHECK(text.find("\ncolumns 992-999\n") != std::string::npos);
  CHECK(numbers_in(text) == printed_numbers(wide));
  check_lines(text, kinds[1]);
  CHECK(heatmap(wide, {Colour::none, 14, true}).starts_with("column 0\n"));
}

TEST_CASE("large tensors are summarised as PyTorch does") {
  std::mt19937 generator(5);
  const Tensor large = random_tensor({1000, 1000}, generator);
  for (const Terminal& terminal : kinds) {
    const std::string text = heatmap(large, terminal);
    check_lines(text, terminal);
    CHECK(numbers_in(text) == printed_numbers(large));
    CHECK(text.find("\n...\n") != std::string::npos);
    CHECK(without_escapes(lines_of(text).front()).find(" ...") != std::string::npos);
  }
  const std::string four = heatmap(random_tensor({9, 8, 20, 20}, generator), kinds[1]);
  CHECK(four.find("\n...\n[6, 0]\n") != std::string::npos);
  check_lines(heatmap(large, kinds[2], words, {4, 1000, 0, 80, torch::SciMode::automatic}), kinds[2]);
}

TEST_CASE("numbers too wide for the terminal have fewer decimals") {
  torch::PrintOptions print;
  print.precision = 30;
  const std::string text = heatmap(floats({1, 2}, {1.0F / 3, -2.0F / 3}), {Colour::none, 20, true}, {}, print);
  check_lines(text, {Colour::none, 20, true});
  CHECK(text.find("0.3333333") != std::string::npos);
}

TEST_CASE("lines fit, and the numbers are PyTorch's, for any shape and width") {
  for (std::uint32_t round = 0; round < 400; ++round) {
    if (!test::is_in_sample(round)) {
      continue;
    }
    std::mt19937 generator(round);
    Shape shape(generator() % 5);
    std::generate(shape.begin(), shape.end(), [&] { return static_cast<std::int64_t>(1 + generator() % 12); });
    const float scale = std::pow(10.0F, static_cast<float>(generator() % 12) - 6);
    const float low = generator() % 2 == 0 ? 0 : -scale;
    const Tensor tensor = random_tensor(shape, generator, low, scale, by_tokens);
    Terminal terminal = kinds[generator() % kinds.size()];
    terminal.width = 20 + static_cast<std::int64_t>(generator() % 181);
    CAPTURE(shape_text(shape));
    CAPTURE(terminal.width);
    const std::string text = heatmap(tensor, terminal);
    check_lines(text, terminal);
    if (terminal.width < 28) {
      continue;  // the legend may take two lines
    }
    std::vector<std::string> shown = numbers_in(text);
    std::vector<std::string> printed = printed_numbers(tensor);
    std::sort(shown.begin(), shown.end());  // blocks change the order
    std::sort(printed.begin(), printed.end());
    CHECK(shown == printed);
  }
}

// ---- Cells -------------------------------------------------------------------------------------

namespace {

/// What stands at a place, without the glyph or blank at its end.
std::string text_at(const HeatMap& map, const CellPlace& place) {
  const text::StyledLine line = {{text::plain_text(map.line(place.line))}};
  const std::string cell = text::plain_text(text::sliced(line, place.column, place.width - 1));
  return cell.substr(std::min(cell.find_first_not_of(' '), cell.size()));
}

text::Style style_at(const text::StyledLine& line, std::int64_t column) {
  for (const text::Run& run : text::sliced(line, column, 1)) {
    if (!run.text.empty()) {
      return run.style;
    }
  }
  return {};
}

std::size_t reversed_runs(const HeatMap& map, const GridCell& chosen) {
  std::size_t count = 0;
  for (std::int64_t i = 0; i < map.count(); ++i) {
    count += static_cast<std::size_t>(
        std::ranges::count_if(map.line(i, chosen), [](const text::Run& run) { return run.style.reverse; }));
  }
  return count;
}

}  // namespace

TEST_CASE("each shown cell is at its place, for any shape and width") {
  for (std::uint32_t round = 0; round < 200; ++round) {
    if (!test::is_in_sample(round)) {
      continue;
    }
    std::mt19937 generator(round);
    Shape shape(generator() % 5);
    std::generate(shape.begin(), shape.end(), [&] { return static_cast<std::int64_t>(1 + generator() % 9); });
    const Tensor tensor = random_tensor(shape, generator, -1, 1, by_tokens);
    Terminal terminal = kinds[generator() % kinds.size()];
    terminal.width = 30 + static_cast<std::int64_t>(generator() % 100);
    const torch::PrintOptions print = {.threshold = generator() % 2 == 0 ? 40 : 1000, .edgeitems = 2};
    CAPTURE(shape_text(shape));
    CAPTURE(terminal.width);
    const HeatMap map(tensor, words, print, terminal);
    const present::ShownCells cells(shape, print);
    std::vector<std::string> found;
    for (std::int64_t row = 0; row < cells.rows(); ++row) {
      for (std::int64_t column = 0; column < cells.columns(); ++column) {
        const GridCell cell = {row, column};
        found.push_back(text_at(map, map.place(cell)));
        CHECK(reversed_runs(map, cell) == 1);
        CHECK(style_at(map.line(map.place(cell).line, cell), map.place(cell).column).reverse);
      }
    }
    const std::string printed = torch::format_tensor(*tensor.array().contents(), {}, print);
    CHECK(found == numbers_in(printed + "\nlegend"));
  }
}

TEST_CASE("a difference has colours symmetric around 0, and unchanged cells are plain") {
  const Tensor as_is = floats({2, 3}, {1, 2, -infinity, not_a_number, 5, 6});
  const Tensor changed = floats({2, 3}, {1, 4, -infinity, not_a_number, 5.5F, infinity});
  const HeatMap map(as_is, changed, {}, {}, kinds[2]);
  std::vector<std::string> numbers;
  std::vector<text::Style> styles;
  for (std::int64_t rank = 0; rank < 6; ++rank) {
    const CellPlace place = map.place({rank / 3, rank % 3});
    numbers.push_back(text_at(map, place));
    styles.push_back(style_at(map.line(place.line), place.column + place.width - 2));
  }
  CHECK(numbers == std::vector<std::string>{"0.0000", "2.0000", "0.0000", "0.0000", "0.5000", "inf"});
  for (const std::size_t same : std::vector<std::size_t>{0, 2, 3, 5}) {
    CAPTURE(same);
    CHECK(styles[same].is_plain());
  }
  CHECK(styles[1].background == text::Colour(diverging_tone(1).background));
  CHECK(styles[4].background == text::Colour(diverging_tone(0.5 + 0.5 * 0.25).background));

  const HeatMap lower(changed, as_is, {}, {}, kinds[2]);
  const CellPlace place = lower.place({0, 1});
  CHECK(style_at(lower.line(place.line), place.column + 1).background == text::Colour(diverging_tone(0).background));
  const HeatMap nothing(as_is, as_is, {}, {}, kinds[2]);
  CHECK(numbers_in(text::plain_text(nothing.line(1)) + "\nlegend") == std::vector<std::string>{"0.", "0.", "0."});
}
