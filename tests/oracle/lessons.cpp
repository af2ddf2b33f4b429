// Runs lessons one after the other in one process, for compare.py: starting the program and reading back files takes
// longer than most lessons.
//
// Reads a line of JSON for each lesson, the list of its arguments: ["causal", "--seed", "5"]. Answers with a line of
// JSON, {"text": bytes, "steps": [{"section", "name", "dtype", "shape"}, ...]} or {"error": message}, and then the text
// that the program prints, and the numbers of each step's tensor, row-major. With --emit the text is the program of the
// arguments.

#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "chapters/chapter.hpp"
#include "cli/compute.hpp"
#include "cli/options.hpp"

namespace {

using namespace attn;
using nlohmann::ordered_json;

std::string bytes_of(const Tensor& tensor) {
  return std::visit(
      [](const auto& values) {
        return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(*values.data()));
      },
      *tensor.array().contents());
}

struct Answer {
  std::string text;
  ordered_json steps = ordered_json::array();
  std::string numbers;
};

Answer answer(const cli::Options& options) {
  const chapters::Chapter& chapter = *options.chapters.at(0);
  const Walkthrough as_is = cli::computed(chapter, options.lesson, options);
  const Walkthrough walk = options.what_if != nullptr ? changed(as_is, *options.what_if) : as_is;

  Answer result;
  std::ostringstream text;
  if (options.emit != nullptr) {
    options.emit->write(text, {{cli::emitted(chapter, walk, options)}, options.text.print, options.text.show_grad});
  } else {
    options.format->write(text, cli::document({cli::shown(chapter, walk, options)}, options));
  }
  result.text = text.str();
  for (const Step& step : walk.steps()) {
    if (step.kind == Step::Kind::tensor) {
      result.steps.push_back({{"section", step.section},
                              {"name", step.name},
                              {"dtype", dtype_name(step.tensor->dtype())},
                              {"shape", step.tensor->shape()}});
      result.numbers += bytes_of(*step.tensor);
    }
  }
  return result;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::vector<std::string> arguments = {"attn-walkthrough"};
    const auto given = ordered_json::parse(line).get<std::vector<std::string>>();
    arguments.insert(arguments.end(), given.begin(), given.end());
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    try {
      const cli::Options options = cli::parse(static_cast<int>(argv.size()), argv.data());
      const Answer done = options.command == cli::Command::list
                              ? Answer{cli::list({}, options.json), ordered_json::array(), {}}
                              : answer(options);
      std::cout << ordered_json{{"text", done.text.size()}, {"steps", done.steps}}.dump() << '\n'
                << done.text << done.numbers << std::flush;
    } catch (const std::exception& error) {
      std::cout << ordered_json{{"error", error.what()}}.dump() << std::endl;
    }
  }
}
