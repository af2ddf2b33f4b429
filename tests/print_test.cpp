#include "torch/print.hpp"

#include "torch/shown.hpp"
#include "unit.hpp"

namespace {

using attn::Contents;
using attn::Shape;
using attn::torch::format_size;
using attn::torch::format_tensor;
using attn::torch::print_tensor;
using attn::torch::PrintedCell;
using attn::torch::PrintedTensor;
using attn::torch::PrintOptions;
using attn::torch::SciMode;
using attn::torch::shown_items;
using nlohmann::json;

json golden() {
  std::ifstream file(ATTN_GOLDEN_DIR "/print.json");
  return json::parse(file);
}

template <class Element>
Element element(const json& value) {
  return value.get<Element>();
}

template <>
float element<float>(const json& value) {
  return std::strtof(value.get_ref<const std::string&>().c_str(), nullptr);
}

/// The case's `values` repeated until the shape is full, then those `elsewhere`.
template <class Element>
attn::Block<Element> elements(const json& test) {
  attn::Block<Element> array(test["shape"].get<attn::Shape>());
  std::vector<Element> values;
  for (const json& value : test["values"]) {
    values.push_back(element<Element>(value));
  }
  for (std::size_t i = 0; i < array.size(); ++i) {
    array.data()[i] = values[i % values.size()];
  }
  const json elsewhere = test.value("elsewhere", json::object());
  for (const auto& [index, value] : elsewhere.items()) {
    array.data()[std::stoull(index)] = element<Element>(value);
  }
  return array;
}

Contents contents(const json& test) {
  const std::string dtype = test["dtype"];
  if (dtype == "bool") {
    return elements<bool>(test);
  }
  if (dtype == "int64") {
    return elements<std::int64_t>(test);
  }
  return elements<float>(test);
}

PrintOptions print_options(const json& test) {
  const json given = test.value("options", json::object());
  PrintOptions options;
  options.precision = given.value("precision", options.precision);
  options.threshold = given.value("threshold", options.threshold);
  options.edgeitems = given.value("edgeitems", options.edgeitems);
  options.linewidth = given.value("linewidth", options.linewidth);
  if (given.contains("sci_mode")) {
    options.sci_mode = given["sci_mode"].get<bool>() ? SciMode::on : SciMode::off;
  }
  return options;
}

}  // namespace

TEST_CASE("format_tensor prints what PyTorch prints") {
  const json data = golden();
  for (const json& test : data["cases"]) {
    const std::string name = test["name"];
    CAPTURE(name);
    const auto suffixes = test.value("suffixes", std::vector<std::string>{});
    CHECK(format_tensor(contents(test), suffixes, print_options(test)) == test["text"].get<std::string>());
  }
}

TEST_CASE("a tensor in pieces is what it is as a whole") {
  attn::Block<float> numbers(Shape{3, 200, 100});
  std::iota(numbers.begin(), numbers.end(), -0.25F);
  const std::vector<std::string> suffixes = {"grad_fn=<SoftmaxBackward0>"};
  for (const std::int64_t linewidth : {80, 1'000'000}) {
    const PrintOptions options = {.threshold = 100'000, .linewidth = linewidth};
    std::size_t pieces = 0;
    std::string text;
    attn::torch::write_tensor(
        [&](std::string_view piece) {
          ++pieces;
          text += piece;
        },
        Contents(numbers), suffixes, options);
    CHECK(text == format_tensor(Contents(numbers), suffixes, options));
    CHECK(pieces > 5);
  }
}

// tests/fuzz/print.cpp looks at each cell's number and position.
TEST_CASE("the cells of a golden text are all but brackets, commas, spaces and dots") {
  const json data = golden();
  for (const json& test : data["cases"]) {
    const std::string name = test["name"];
    CAPTURE(name);
    const PrintOptions options = print_options(test);
    PrintedTensor printed = print_tensor(contents(test), {}, options);
    const bool size_follows = options.edgeitems == 0;
    if (printed.cells.empty() || size_follows) {
      continue;
    }
    for (const PrintedCell& cell : printed.cells) {
      printed.text.replace(cell.offset, cell.size, std::string(cell.size, ' '));
    }
    CHECK(printed.text.find_first_not_of("[], .\n)", std::string("tensor(").size()) == std::string::npos);
  }
}

TEST_CASE("the items at the edges of an axis are shown") {
  const auto axes = shown_items({2, 1000}, {});
  CHECK_FALSE(axes[0].cut);
  CHECK(axes[0].count() == 2);
  CHECK(axes[1].count() == 6);
  CHECK(axes[1].item(2) == 2);
  CHECK(axes[1].item(3) == 997);
  CHECK(axes[1].dots_before(3));
  CHECK_FALSE(axes[1].dots_before(0));
  CHECK_FALSE(shown_items({10, 100}, {})[1].cut);
}

TEST_CASE("format_size prints what PyTorch prints") {
  const json data = golden();
  for (const json& test : data["sizes"]) {
    CHECK(format_size(test["shape"].get<Shape>()) == test["text"].get<std::string>());
  }
}
