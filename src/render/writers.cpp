#include "render/writers.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <variant>

#include "render/json.hpp"
#include "text/numbers.hpp"

namespace attn::render {
namespace {

constexpr unsigned data = can::sentences | can::derivations | can::comparisons | can::several | can::draws;
constexpr unsigned words = data | can::colours | can::questions;
// A page links a step to the steps it depends on, whether or not the article prints them.
constexpr unsigned page = can::sentences | can::colours | can::comparisons | can::slides | can::several;

constexpr std::array table = {
    Writer{{"text", ".txt", words}, "as the article prints it", write_listing, false, false, false},
    Writer{{"markdown", ".md", words}, "a handout", write_markdown, false, false, false},
    Writer{{"json", ".json", data}, "JSON", write_json},
    Writer{{"html", ".html", page}, "a page to project", write_html, true, true},
    Writer{{"svg", ".svg", can::colours | can::draws}, "one tensor for a slide", write_svg},
    Writer{{"csv", ".csv", can::draws}, "one tensor's numbers", write_csv},
};

std::string element_text(float value) { return text::float_text(value); }
std::string element_text(std::int64_t value) { return std::to_string(value); }
std::string element_text(bool value) { return value ? "1" : "0"; }

}  // namespace

std::span<const Writer> writers() { return table; }

const Writer& default_writer() { return table.front(); }

void write_csv_rows(const std::function<void(std::string_view)>& sink, const Step& step) {
  const Tensor& tensor = *step.tensor;
  const Shape& shape = tensor.shape();
  sink("# " + full_name(step) + ": " + dtype_name(tensor.dtype()) + " " + shape_text(shape) + "\n");
  const auto columns = static_cast<std::size_t>(shape.empty() ? 1 : shape.back());
  const std::size_t rows = shape.size() < 2 ? 1 : static_cast<std::size_t>(shape[shape.size() - 2]);
  const auto contents = tensor.array().contents();
  std::visit(
      [&](const auto& values) {
        const auto* const numbers = values.data();
        for (std::size_t at = 0; at < values.size(); at += columns) {
          std::string line = at > 0 && at % (rows * columns) == 0 ? "\n" : "";
          for (std::size_t i = at; i < at + columns; ++i) {
            line += element_text(numbers[i]) + (i + 1 < at + columns ? "," : "\n");
          }
          sink(line);
        }
      },
      *contents);
}

void write_csv(std::ostream& out, const Document& document) {
  const auto& steps = document.chapters.at(0).steps;
  const auto step = std::ranges::find(steps, Step::Kind::tensor, &Step::kind);
  write_csv_rows([&out](std::string_view text) { out << text; }, *step);
}

}  // namespace attn::render
