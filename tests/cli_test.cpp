// Arguments: what they are turned into, what is refused, and the words for it.

#include "cli/options.hpp"

#include "cli/option.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"
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

}  // namespace

TEST_CASE("numbers, probabilities and seeds are read strictly and have a range") {
  struct Row {
    cli::ValueKind kind;
    std::int64_t least;
    std::int64_t most;
    const char* range;
    std::vector<const char*> accepted;
    std::vector<const char*> refused;
  };
  const std::vector<Row> rows = {
      {cli::ValueKind::number,
       1,
       2147483647,
       "from 1 to 2147483647; try 6",
       {"1", "6", "2147483647", "007"},
       {"0", "-1", "2147483648", "99999999999999999999", "", " 6", "6 ", "+6", "1.5", "1e3", "0x10", "six", "6a", "-",
        "--6", "6\n", "1_000", "1,000"}},
      {cli::ValueKind::number, -5, 5, "from -5 to 5", {"-5", "0", "5"}, {"-6", "6"}},
      {cli::ValueKind::probability,
       0,
       0,
       "from 0 to 1",
       {"0", "1", "0.5", "1.0", ".5", "5e-1", "1e-9", "0.30000000000000004"},
       {"-0.1", "1.1", "1.0000000000000003", "nan", "-nan", "inf", "-inf", "", " 0.5", "0.5 ", "0,5", "half", "50%",
        "0x1p-1", "+0.5"}},
      {cli::ValueKind::seed,
       0,
       0,
       "-9223372036854775808 to 18446744073709551615",
       {"0", "123", "-1", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "18446744073709551615"},
       {"18446744073709551616", "-9223372036854775809", "", "x", "1.0", " 1", "1 ", "0x10", "1e3"}},
  };
  for (const Row& row : rows) {
    const auto wrong = [&](const char* text) {
      return cli::what_is_wrong({.kind = row.kind, .least = row.least, .most = row.most, .example = 6}, text, {});
    };
    for (const char* text : row.accepted) {
      CHECK(wrong(text).empty());
    }
    for (const char* text : row.refused) {
      const std::string error = wrong(text);
      CAPTURE(error);
      CHECK(error.find(text::quoted(text)) != std::string::npos);
      CHECK(error.find(row.range) != std::string::npos);
    }
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

TEST_CASE("arguments are options with values, and files") {
  for (const Words& arguments :
       {Words{"--output", "x"}, Words{"--output=x"}, Words{"-o", "x"}, Words{"-ox"}, Words{"-o=x"}}) {
    CAPTURE(arguments[0]);
    std::vector<const char*> line = {"causal"};
    for (const std::string& argument : arguments) {
      line.push_back(argument.c_str());
    }
    const cli::Options options = parse(line);
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
    std::vector<const char*> line = {"causal"};
    for (const std::string& argument : arguments) {
      line.push_back(argument.c_str());
    }
    CHECK_THROWS_AS(parse(line), UsageError);
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
