// Colours, terminals, and tensors as heat maps.

#include "picture/heatmap.hpp"

#include "picture/painter.hpp"
#include "present/step_lines.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "text/styled.hpp"
#include "torch/print.hpp"
#include "torch/torch.hpp"
#include "unit.hpp"

namespace {

using namespace attn;
using namespace attn::render;
using Colour = Terminal::Colour;

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

Terminal terminal_with(std::map<std::string, std::string> variables, bool is_terminal = true, std::int64_t width = 0) {
  const auto environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  return terminal_from(environment, is_terminal, width, Colours::automatic);
}

/// A leaf; its axes count the lesson's tokens, as a causal mask's do.
Tensor floats(const Shape& shape, const std::vector<float>& values) {
  const auto fill = [=]() -> Contents {
    Block<float> contents(shape);
    std::ranges::copy(values, contents.data());
    return contents;
  };
  return leaf(shape, DType::float32, "x", fill, {}, {.kind = Kind::given, .is_by_tokens = true});
}

Tensor random_tensor(const Shape& shape, std::mt19937& generator, float low = -1, float high = 1) {
  std::uniform_real_distribution<float> numbers(low, high);
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  std::generate(values.begin(), values.end(), [&] { return numbers(generator); });
  return floats(shape, values);
}

std::string heatmap(const Tensor& tensor, const Terminal& terminal, const std::vector<std::string>& tokens = words,
                    const torch::PrintOptions& print = {}) {
  std::ostringstream out;
  write_heatmap(out, {tensor, tokens, print, terminal});
  const std::string text = out.str();
  return text.substr(0, text.size() - 1);
}

std::string without_escapes(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

/// Numbers with a point, infinities and nan, of everything but the legend.
std::vector<std::string> numbers_in(const std::string& text) {
  const std::string plain = without_escapes(text.substr(0, text.rfind('\n')));
  const std::regex number("-?[0-9]+\\.[0-9]*(e[-+][0-9]+)?|-?inf|nan");
  return {std::sregex_token_iterator(plain.begin(), plain.end(), number), {}};
}

/// What holds for every heat map: lines fit, styles end with their line, and no colour is out of range.
void check_lines(const std::string& text, const Terminal& terminal) {
  const std::string escape = "\x1b[";
  for (const std::string& line : text::lines_of(text)) {
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

TEST_CASE("a terminal's colours, width and characters follow the environment") {
  struct Row {
    std::map<std::string, std::string> variables;
    Colour colour;
  };
  const std::vector<Row> rows = {{{{"TERM", "xterm-256color"}}, Colour::ansi256},
                                 {{{"TERM", "xterm"}}, Colour::ansi256},
                                 {{{"TERM", "xterm-direct"}}, Colour::truecolour},
                                 {{{"TERM", "xterm-direct256"}}, Colour::truecolour},
                                 {{{"TERM", "xterm"}, {"COLORTERM", "truecolor"}}, Colour::truecolour},
                                 {{{"TERM", "xterm"}, {"COLORTERM", "24bit"}}, Colour::truecolour},
                                 {{{"TERM", "xterm"}, {"COLORTERM", "yes"}}, Colour::ansi256},
                                 {{{"TERM", "xterm"}, {"COLORTERM", "24bit"}, {"NO_COLOR", "1"}}, Colour::none},
                                 {{{"TERM", "xterm"}, {"NO_COLOR", "0"}}, Colour::none},
                                 {{{"TERM", "xterm"}, {"NO_COLOR", ""}}, Colour::ansi256},
                                 {{{"TERM", "dumb"}, {"COLORTERM", "truecolor"}}, Colour::none},
                                 {{{"TERM", "vt100"}}, Colour::none},
                                 {{}, Colour::none}};
  for (const Row& row : rows) {
    CHECK(terminal_with(row.variables).colour == row.colour);
    CHECK(terminal_with(row.variables, false).colour == Colour::none);
  }
  CHECK(terminal_with({}).width == 80);
  CHECK(terminal_with({}, true, 132).width == 132);
  CHECK(terminal_with({{"COLUMNS", "60"}}, true, 132).width == 60);
  for (const char* nonsense : {"", "0", "-5", "wide", "60x", "99999999999999999999"}) {
    CHECK(terminal_with({{"COLUMNS", nonsense}}, true, 132).width == 132);
  }
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

/// The contrast ratio of WCAG 2.2: (L1 + 0.05) / (L2 + 0.05) of the relative luminances.
double contrast(Rgb one, Rgb other) {
  const auto luminance = [](Rgb colour) {
    const auto linear = [](std::uint8_t channel) {
      const double value = channel / 255.0;
      return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
  };
  const auto [darker, lighter] = std::minmax({luminance(one), luminance(other)});
  return (lighter + 0.05) / (darker + 0.05);
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

TEST_CASE("a small tensor without colours") {
  const Tensor weights = floats({2, 2}, {1, 0, 0.25F, 0.75F});
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

TEST_CASE("long, wide and hostile names") {
  const std::vector<std::string> names{"a very long name that goes on", "注意力机制注意力机制", "\x1b[2Jx\n"};
  std::mt19937 generator(2);
  const Tensor scores = random_tensor({3, 3}, generator);
  for (Terminal terminal : kinds) {
    for (terminal.width = 20; terminal.width <= 200; terminal.width += 9) {
      const std::string text = heatmap(scores, terminal, names);
      check_lines(text, terminal);
      CHECK(text.find("\x1b[2J") == std::string::npos);
      CHECK(numbers_in(text).size() == 9);
    }
  }
}

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

TEST_CASE("lines fit, and each shown cell is at its place as PyTorch prints it, for any shape and width") {
  for (std::uint32_t round = 0; round < 400; ++round) {
    if (!test::is_in_sample(round)) {
      continue;
    }
    std::mt19937 generator(round);
    Shape shape(generator() % 5);
    std::generate(shape.begin(), shape.end(), [&] { return static_cast<std::int64_t>(1 + generator() % 9); });
    const float scale = std::pow(10.0F, static_cast<float>(generator() % 12) - 6);
    const Tensor tensor = random_tensor(shape, generator, generator() % 2 == 0 ? 0 : -scale, scale);
    Terminal terminal = kinds[generator() % kinds.size()];
    terminal.width = 20 + static_cast<std::int64_t>(generator() % 181);
    const torch::PrintOptions print = {.threshold = generator() % 2 == 0 ? 40 : 1000, .edgeitems = 2};
    CAPTURE(shape_text(shape));
    CAPTURE(terminal.width);
    check_lines(heatmap(tensor, terminal, words, print), terminal);
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
