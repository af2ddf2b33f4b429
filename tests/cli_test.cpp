// Arguments: what they are turned into, what is refused, and the words for it.

#include "cli/options.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.hpp"
#include "cli/compute.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"

namespace {

using namespace attn;
using cli::UsageError;
using Words = std::vector<std::string>;

cli::Options parse(const std::vector<const char*>& arguments) {
  std::vector<const char*> argv = {"attn-walkthrough"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return cli::parse(static_cast<int>(argv.size()), argv.data());
}

std::string error_of(const std::vector<const char*>& arguments) {
  try {
    parse(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What is wrong with a text as a value of this kind.
std::string wrong(cli::ValueKind kind, const std::string& text, std::int64_t least = 0, std::int64_t most = 0) {
  return cli::what_is_wrong({.kind = kind, .least = least, .most = most, .example = 6}, text, {});
}

Walkthrough walk_of_five() {
  Walkthrough walk;
  const auto x = [] { return leaf({2}, DType::float32, "x", {}); };
  walk.section("one");
  walk.let("inputs", x());
  walk.show("keys", "", x());
  walk.section("two");
  walk.show("inputs", "", x());
  walk.size("keys", "", x());
  walk.let("values", x());
  return walk;
}

/// The selected steps as "section/name".
Words selection(const cli::Options& options) {
  Words names;
  for (const Step& step : cli::selected(walk_of_five().steps(), *options.chapters.at(0), options)) {
    names.push_back(step.section + "/" + step.name);
  }
  return names;
}

}  // namespace

TEST_CASE("whole numbers consist of digits and have a range") {
  const auto check = [](const char* text) { return wrong(cli::ValueKind::number, text, 1, 2147483647); };
  for (const char* text : {"1", "6", "2147483647", "007"}) {
    CAPTURE(text);
    CHECK(check(text) == "");
  }
  for (const char* text : {"0", "-1", "2147483648", "99999999999999999999", "", " 6", "6 ", "+6", "1.5", "1e3", "0x10",
                           "six", "6a", "-", "--6", "6\n", "1_000", "1,000"}) {
    CAPTURE(text);
    const std::string error = check(text);
    CHECK(contains(error, text::quoted(text)));
    CHECK(contains(error, "from 1 to 2147483647"));
    CHECK(contains(error, "try 6"));
  }
  CHECK(wrong(cli::ValueKind::number, "0", 0, 2147483647) == "");
  CHECK(wrong(cli::ValueKind::number, "2147483647", 0, 2147483647) == "");
  CHECK(wrong(cli::ValueKind::number, "2147483648", 0, 2147483647) != "");
  CHECK(wrong(cli::ValueKind::number, "-5", -5, 5) == "");
}

TEST_CASE("probabilities are numbers from 0 to 1") {
  const auto check = [](const char* text) { return wrong(cli::ValueKind::probability, text); };
  for (const char* text : {"0", "1", "0.5", "1.0", ".5", "5e-1", "1e-9", "0.30000000000000004"}) {
    CAPTURE(text);
    CHECK(check(text) == "");
  }
  for (const char* text : {"-0.1", "1.1", "1.0000000000000003", "nan", "-nan", "inf", "-inf", "", " 0.5", "0.5 ", "0,5",
                           "half", "50%", "0x1p-1", "+0.5"}) {
    CAPTURE(text);
    const std::string error = check(text);
    CHECK(contains(error, "'" + std::string(text) + "'"));
    CHECK(contains(error, "from 0 to 1"));
  }
}

TEST_CASE("seeds are 64-bit integers of either kind") {
  const auto check = [](const char* text) { return wrong(cli::ValueKind::seed, text); };
  for (const char* text : {"0", "123", "-1", "-9223372036854775808", "9223372036854775807", "9223372036854775808",
                           "18446744073709551615"}) {
    CAPTURE(text);
    CHECK(check(text) == "");
  }
  for (const char* text : {"18446744073709551616", "-9223372036854775809", "", "x", "1.0", " 1", "1 ", "0x10", "1e3"}) {
    CAPTURE(text);
    const std::string error = check(text);
    CHECK(contains(error, "'" + std::string(text) + "'"));
    CHECK(contains(error, "-9223372036854775808 to 18446744073709551615"));
  }
}

TEST_CASE("a seed keeps the generator's number and the user's text") {
  const auto bits = [](const char* text) { return std::uint64_t{torch::parsed_seed(text).value()}; };
  CHECK(bits("0") == 0);
  CHECK(bits("-1") == std::numeric_limits<std::uint64_t>::max());
  CHECK(bits("-9223372036854775808") == std::uint64_t{1} << 63);
  CHECK(bits("9223372036854775808") == std::uint64_t{1} << 63);
  CHECK(bits("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  for (const char* text : {"0", "123", "-1", "-9223372036854775808", "9223372036854775808", "18446744073709551615"}) {
    CHECK(torch::parsed_seed(text).value().text() == text);
  }
  CHECK(torch::Seed(-5).text() == "-5");
  CHECK(torch::Seed(std::numeric_limits<std::uint64_t>::max()).text() == "18446744073709551615");
}

TEST_CASE("without options, a lesson has the article's values") {
  const cli::Options options = parse({"causal"});
  REQUIRE(options.command == cli::Command::walk);
  REQUIRE(options.chapters.size() == 1);
  CHECK(options.chapters[0]->name == "causal");
  CHECK(options.message == "");
  CHECK_FALSE(options.lesson.seed);
  CHECK(options.chapters[0]->article->name == "blog");
  CHECK(options.lesson.kernels.cpu == Cpu::avx2);
  CHECK(options.lesson.dropout_kernel == DropoutKernel::standard);
  CHECK_FALSE(options.lesson.tokens.has_value());
  CHECK_FALSE(options.lesson.dropout.has_value());
  CHECK_FALSE(options.lesson.init.has_value());
  CHECK_FALSE(options.all_steps);
  CHECK(options.only.empty());
  CHECK_FALSE(options.save.has_value());
  CHECK(options.text.show_grad);
  CHECK(parse({"cross"}).chapters.at(0)->article->name == "ahead-of-ai");
  CHECK(parse({"cross"}).lesson.kernels.cpu == Cpu::standard);
}

TEST_CASE("a chapter uses its article's kernels") {
  const cli::Options options = parse({"causal", "--article", "ahead-of-ai"});
  CHECK(options.chapters.at(0)->article->name == "ahead-of-ai");
  CHECK(options.lesson.kernels.cpu == Cpu::standard);
  CHECK(parse({"causal", "--article", "ahead-of-ai", "--cpu", "avx2"}).lesson.kernels.cpu == Cpu::avx2);
  CHECK(contains(error_of({"causal", "--article", "primer"}), "blog, livebook, ahead-of-ai, book"));
  CHECK(contains(error_of({"causal", "--article", "paper"}), "not a valid value"));
  CHECK(contains(error_of({"causal", "--article", "livebook", "--batch", "2"}), "--article blog"));
  CHECK(contains(error_of({"dropout", "--article", "livebook", "--batch", "2"}), "--article blog"));
}

TEST_CASE("all runs an article's chapters in order") {
  std::vector<std::string> names;
  for (const chapters::Chapter* chapter : parse({"all", "--article", "livebook"}).chapters) {
    CHECK(chapter->article->name == "livebook");
    names.emplace_back(chapter->name);
  }
  CHECK(names == Words{"simplified", "trainable", "causal", "dropout", "multihead"});
}

TEST_CASE("list has a row for each chapter of each article") {
  const auto table = nlohmann::json::parse(cli::list({}, true));
  CHECK(table["chapters"].size() == chapters::all_chapters().size());
  CHECK(table["articles"].size() == 6);
  for (const auto& row : table["chapters"]) {
    CHECK(contains(cli::list({}, false), row["chapter"].get<std::string>()));
  }
}

TEST_CASE("every option reaches the lesson") {
  const cli::Options options = parse(
      {"multihead", "--seed",      "-5",     "--tokens",         "7",      "--d-in",      "8",       "--batch",
       "9",         "--d-out-kq",  "10",     "--d-out-v",        "12",     "--init",      "randn",   "--num-heads",
       "2",         "--dropout",   "0.25",   "--dropout-kernel", "mkl",    "--cpu",       "default", "--precision",
       "6",         "--threshold", "11",     "--edgeitems",      "2",      "--linewidth", "100",     "--sci-mode",
       "off",       "--no-grad",   "--only", "keys,values",      "--save", "steps"});
  CHECK(options.lesson.seed == static_cast<std::uint64_t>(-5));
  CHECK(options.lesson.tokens == 7);
  CHECK(options.lesson.d_in == 8);
  CHECK(options.lesson.batch == 9);
  CHECK(options.lesson.d_out_kq == 10);
  CHECK(options.lesson.d_out_v == 12);
  CHECK(options.lesson.init == Init::randn);
  CHECK(options.lesson.num_heads == 2);
  CHECK(options.lesson.dropout == 0.25);
  CHECK(options.lesson.dropout_kernel == DropoutKernel::mkl);
  CHECK(options.lesson.kernels.cpu == Cpu::standard);
  CHECK(options.text.print.precision == 6);
  CHECK(options.text.print.threshold == 11);
  CHECK(options.text.print.edgeitems == 2);
  CHECK(options.text.print.linewidth == 100);
  CHECK(options.text.print.sci_mode == torch::SciMode::off);
  CHECK_FALSE(options.text.show_grad);
  CHECK(options.only == Words{"keys", "values"});
  CHECK(options.save == "steps");
  CHECK(parse({"causal", "--steps", "all"}).all_steps);
  CHECK(parse({"causal", "--qkv-bias"}).lesson.qkv_bias);
  CHECK(parse({"simplified", "--query", "starts"}).lesson.query == "starts");
}

TEST_CASE("--d-out applies to all projections without a size of their own") {
  const Lesson both = parse({"causal", "--d-out", "4"}).lesson;
  CHECK(both.d_out_kq == 4);
  CHECK(both.d_out_v == 4);
  const Lesson one = parse({"causal", "--d-out-kq", "5", "--d-out", "4"}).lesson;
  CHECK(one.d_out_kq == 5);
  CHECK(one.d_out_v == 4);
}

TEST_CASE("values may follow an equals sign, and the last of several counts") {
  CHECK(parse({"causal", "--seed=5"}).lesson.seed == 5);
  CHECK(parse({"causal", "--seed=-5"}).lesson.seed == static_cast<std::uint64_t>(-5));
  CHECK(parse({"causal", "--seed", "5", "--seed", "7"}).lesson.seed == 7);
  CHECK(parse({"causal", "--init", "rand", "--init=linear"}).lesson.init == Init::linear);
}

TEST_CASE("arguments are options with values, and files") {
  const auto read = [](const Words& arguments) { return cli::read_line(arguments); };
  for (const Words& arguments :
       {Words{"--output", "x"}, Words{"--output=x"}, Words{"-o", "x"}, Words{"-ox"}, Words{"-o=x"}}) {
    CAPTURE(arguments[0]);
    Words line = {"causal"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    CHECK(read(line).given == cli::Given{{"--output", {"x"}}});
    CHECK(read(line).words.empty());
  }
  const auto outputs = [&read](const Words& arguments) { return read(arguments).given.at("--output"); };
  CHECK(outputs({"causal", "--output", ""}) == Words{""});
  CHECK(outputs({"causal", "--output", "-"}) == Words{"-"});
  CHECK(outputs({"causal", "--output", "-x"}) == Words{"-x"});
  CHECK(outputs({"causal", "--output", "a=b", "--output=a=b", "-o=a=b", "--output==b"}) ==
        Words{"a=b", "a=b", "a=b", "=b"});
  CHECK(read({"causal", "--explain", "word", "-o", "x"}).words == Words{"word"});
  for (const char* argument : {"-output", "-output=x", "--nonsense", "--nonsense=x", "-x", "-1", "---x", "--=5"}) {
    CHECK(read({"causal", argument}).unknown == Words{argument});
    CHECK(read({"verify", argument}).unknown == Words{argument});
    CHECK(read({argument, "causal"}).early_unknown == Words{argument});
  }
  CHECK(read({"causal", "--explain", "--", "--explain"}).words == Words{"--explain"});
  CHECK(read({"causal", "--explain", "--", "--explain"}).is_after_dashes);
  for (const Words& arguments :
       {Words{"--output="}, Words{"--output=", "x"}, Words{"-o="}, Words{"-o"}, Words{"-o", "--explain"},
        Words{"-o", "--explain=x"}, Words{"-o", "-o"}, Words{"-o", "--"}, Words{"--explain=true"}, Words{"--explain="},
        Words{"--explain=1"}}) {
    CAPTURE(arguments[0]);
    Words line = {"causal"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    CHECK_THROWS_AS(read(line), UsageError);
  }
  CHECK(read({"verify", "a", "", "-", "[b]", "++", "all", "--", "-b", "--explain", "--"}).words ==
        Words{"a", "", "-", "[b]", "++", "all", "-b", "--explain", "--"});
}

TEST_CASE("each option of a command is listed once, with its text") {
  std::vector<cli::Subcommand> all = cli::subcommands();
  all.push_back(cli::program());
  std::set<const cli::Option*> taken;
  for (const cli::Subcommand& command : all) {
    std::set<std::string_view> names;
    for (const cli::Option* option : cli::options_of(command)) {
      CAPTURE(option->name);
      taken.insert(option);
      CHECK(names.insert(option->name).second);
      CHECK(cli::find_option(command, option->name) == option);
      CHECK_FALSE(option->doc.empty());
      CHECK(
          (option->read != nullptr || option->name == "-h" || option->name == "--help" || option->name == "--version"));
      CHECK((option->value.kind == cli::ValueKind::choice) == (option->value.choices != nullptr));
      CHECK((option->value.kind == cli::ValueKind::choice ||
             (option->value.kind == cli::ValueKind::flag) == option->value.placeholder.empty()));
    }
  }
  CHECK(taken.size() == cli::all_options().size());
}

TEST_CASE("verify refuses options that the named chapter does not take") {
  for (const cli::Option& option : cli::all_options()) {
    if (option.taken == nullptr || (option.takers & cli::by_verify) == 0) {
      continue;
    }
    for (const cli::Subcommand& command : cli::subcommands()) {
      if (command.entries.empty()) {
        continue;
      }
      CAPTURE(option.name);
      CAPTURE(command.name);
      const std::string name(option.name);
      const std::string value = option.value.kind == cli::ValueKind::choice ? option.value.choices({}).front() : "1";
      std::vector<const char*> arguments = {"verify", "page", "--chapter", command.name.c_str(), name.c_str()};
      if (option.value.kind != cli::ValueKind::flag) {
        arguments.push_back(value.c_str());
      }
      CHECK(contains(error_of(arguments), name + " does not apply to " + command.name +
                                              "; it applies with --chapter ") == !cli::takes(command, option));
    }
  }
  CHECK(contains(error_of({"verify", "page", "--article", "primer", "--num-heads", "2"}), "does not apply to primer"));
  CHECK_THROWS_AS(parse({"verify", "page", "--chapter", "simplified", "--query", "nonsense"}), LessonError);
  CHECK(parse({"verify", "page", "--chapter", "simplified", "--query", "journey"}).verify.lesson.query == "journey");
}

TEST_CASE("help and version are messages") {
  CHECK(parse({}).command == cli::Command::message);
  CHECK(contains(parse({}).message, "Usage"));
  CHECK(parse({"--help"}).message == parse({}).message);
  CHECK(contains(parse({"causal", "--help"}).message, "--dropout"));
  CHECK_FALSE(contains(parse({"simplified", "--help"}).message, "--dropout"));
  CHECK(parse({"--version"}).message.starts_with("attn-walkthrough "));
}

TEST_CASE("an error names the refused value and the accepted ones") {
  CHECK(contains(error_of({"casual"}), "causal"));
  CHECK(contains(error_of({"--seed", "5"}), "chapter"));
  CHECK(contains(error_of({"--seed", "5", "causal"}), "; type attn-walkthrough causal --seed 5"));
  CHECK(contains(error_of({"--", "causal"}), "; leave -- out: type attn-walkthrough causal"));
  CHECK(contains(error_of({"--sentence", "it's all", "all", "--", "causal"}), "--sentence"));
  CHECK(contains(error_of({"causal", "--sead", "5"}), "--seed"));
  CHECK(contains(error_of({"causal", "--num-heads", "3"}), "multihead"));
  CHECK(contains(error_of({"causal", "--seed"}), "--seed"));
  CHECK(contains(error_of({"causal", "left"}), "left"));
  CHECK(contains(error_of({"causal", "--init", "zero"}), "linear, rand, randn"));
  CHECK(contains(error_of({"causal", "--qkv-bias", "--init", "rand"}), "--init linear"));
  CHECK(contains(error_of({"cross", "--qkv-bias"}), "--init linear"));
  CHECK(error_of({"cross", "--qkv-bias", "--init", "linear"}) == "");
  CHECK(error_of({"trainable", "--qkv-bias"}) == "");
}

TEST_CASE("every value that a validator accepts can be read") {
  CHECK(error_of({"causal", "--dropout", "1e-320"}) == "");
  CHECK(parse({"causal", "--dropout", "5e-324"}).lesson.dropout == 5e-324);
}

TEST_CASE("every output format supports each option, or refuses it with a reason") {
  const std::vector<std::vector<const char*>> wishes = {{"simplified"},
                                                        {"simplified", "--explain"},
                                                        {"simplified", "--heatmap"},
                                                        {"simplified", "--cell", "attn_scores[1,2]"},
                                                        {"simplified", "--precision", "6"},
                                                        {"all", "--article", "primer"}};
  std::set<std::string> names;
  int refused = 0;
  for (const render::Writer& writer : render::writers()) {
    const std::string name(writer.name);
    CHECK(names.insert(name).second);
    CHECK_FALSE(writer.what.empty());
    for (std::vector<const char*> arguments : wishes) {
      arguments.insert(arguments.end(), {"--format", name.c_str()});
      if (writer.shows_one_tensor && arguments[0] == std::string("simplified")) {
        arguments.insert(arguments.end(), {"--only", "attn_weights"});
      }
      CAPTURE(arguments);
      const std::string error = error_of(arguments);
      if (!error.empty()) {
        CHECK(contains(error, " cannot be combined with "));
        CHECK(contains(error, "--format " + name));
        ++refused;
        continue;
      }
      const cli::Options options = parse(arguments);
      CHECK(options.format == &writer);
      std::vector<render::ShownChapter> chapters;
      for (const chapters::Chapter* chapter : options.chapters) {
        chapters.push_back(cli::shown(*chapter, cli::computed(*chapter, options.lesson, options), options));
      }
      std::ostringstream out;
      writer.write(out, cli::document(std::move(chapters), options));
      CHECK(out.str().ends_with('\n'));
    }
  }
  CHECK(refused == 9);
  CHECK(&render::default_writer() == parse({"causal"}).format);
}

TEST_CASE("selected steps stay in order") {
  cli::Options options = parse({"causal"});
  CHECK(selection(options) == Words{"one/keys", "two/inputs", "two/keys"});
  options.all_steps = true;
  CHECK(selection(options) == Words{"one/inputs", "one/keys", "two/inputs", "two/keys", "two/values"});
  options.only = {"values", "inputs"};
  CHECK(selection(options) == Words{"one/inputs", "two/inputs", "two/values"});
  options.all_steps = false;
  CHECK(selection(options) == Words{"one/inputs", "two/inputs", "two/values"});
  options.only = {"keys"};
  CHECK(selection(options) == Words{"one/keys", "two/keys"});
}

TEST_CASE("steps that a chapter does not have are refused") {
  cli::Options options = parse({"causal"});
  options.only = {"keys", "valuse"};
  std::string message;
  try {
    selection(options);
  } catch (const UsageError& error) {
    message = error.what();
  }
  CHECK(contains(message, "'valuse'"));
  CHECK(contains(message, "inputs, keys, values"));
  CHECK(contains(message, "--only values"));
}
