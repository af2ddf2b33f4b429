// Arguments and what they are turned into. tests/cases/ has what is refused, and the words for it.

#include "cli/options.hpp"

#include "cli/option.hpp"
#include "tensor/operations.hpp"
#include "unit.hpp"

namespace {

using namespace attn;
using cli::UsageError;
using Words = std::vector<std::string>;

cli::Options parse(const std::vector<const char*>& arguments) {
  std::vector<const char*> argv = {"attn-walkthrough"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return cli::parse(static_cast<int>(argv.size()), argv.data());
}

cli::Options parse_causal(const Words& arguments) {
  std::vector<const char*> line = {"causal"};
  std::ranges::transform(arguments, std::back_inserter(line), [](const std::string& word) { return word.c_str(); });
  return parse(line);
}

}  // namespace

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

TEST_CASE("arguments are options with values, and files") {
  for (const Words& arguments :
       {Words{"--output", "x"}, Words{"--output=x"}, Words{"-o", "x"}, Words{"-ox"}, Words{"-o=x"}}) {
    CAPTURE(arguments[0]);
    const cli::Options options = parse_causal(arguments);
    REQUIRE(options.given.size() == 1);
    CHECK(options.given[0].option->name == "--output");
    CHECK(options.output == "x");
  }
  const cli::Options several = parse({"causal", "-o", "a=b", "--seed", "5", "--output==b", "--explain"});
  CHECK(several.output == "=b");
  Words names;
  for (const cli::GivenOption& one : several.given) {
    names.push_back(std::string(one.option->name) + " " + one.value);
  }
  CHECK(names == Words{"--output a=b", "--seed 5", "--output =b", "--explain "});
  for (const char* argument : {"-output", "-output=x", "--nonsense", "--nonsense=x", "-x", "-1", "---x", "--=5"}) {
    CAPTURE(argument);
    CHECK_THROWS_AS(parse({"causal", argument}), UsageError);
    CHECK_THROWS_AS(parse({argument, "causal"}), UsageError);
  }
  for (const Words& arguments :
       {Words{"--output="}, Words{"-o"}, Words{"-o", "--explain"}, Words{"-o", "--explain=x"}, Words{"-o", "-o"},
        Words{"-o", "--"}, Words{"--explain=x"}, Words{"--", "--explain"}, Words{"word"}}) {
    CAPTURE(arguments[0]);
    CHECK_THROWS_AS(parse_causal(arguments), UsageError);
  }
  CHECK(parse({"verify", "a", "", "-", "[b]", "all", "--", "-b", "--explain", "--"}).words ==
        Words{"a", "", "-", "[b]", "all", "-b", "--explain", "--"});
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
      CHECK((option->value.kind == cli::ValueKind::choice) == (option->value.choices != nullptr));
      CHECK((option->value.kind == cli::ValueKind::choice ||
             (option->value.kind == cli::ValueKind::flag) == option->value.placeholder.empty()));
    }
  }
  CHECK(taken.size() == cli::all_options().size());
}
