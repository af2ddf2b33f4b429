// Files of tensors that other programs wrote: those of numpy and of the safetensors format in dumps/, and folders.

#include "files/read.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "dump_files.hpp"
#include "files/save.hpp"
#include "torch/torch.hpp"

namespace {

using namespace dump_files;

constexpr double inf = std::numeric_limits<double>::infinity();

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string complaint(const fs::path& path) {
  try {
    files::read(path);
    return "";
  } catch (const DumpError& error) {
    return error.what();
  }
}

void check_tensor(const Dumped& tensor, const std::string& name, const Shape& shape, const std::string& dtype,
                  const std::vector<double>& values) {
  CHECK(tensor.name == name);
  CHECK(tensor.shape == shape);
  CHECK(tensor.dtype == dtype);
  CHECK(tensor.values == values);
}

void check_file(const std::string& file, const Shape& shape, const std::string& dtype,
                const std::vector<double>& values) {
  CAPTURE(file);
  const std::vector<Dumped> tensors = files::read(fs::path(ATTN_DUMPS_DIR) / file);
  REQUIRE(tensors.size() == 1);
  check_tensor(tensors[0], fs::path(file).stem().string(), shape, dtype, values);
}

}  // namespace

TEST_CASE("dumps: every dtype of an .npy file in both byte orders") {
  for (const std::string order : {"little", "big"}) {
    check_file(order + "_f2.npy", {2, 3, 4}, "float16", ramp(24));
    check_file(order + "_f4.npy", {2, 3, 4}, "float32", ramp(24));
    check_file(order + "_f8.npy", {2, 3, 4}, "float64", ramp(24));
  }
  const std::vector<std::pair<std::string, std::string>> sizes = {{"1", "8"}, {"2", "16"}, {"4", "32"}, {"8", "64"}};
  for (const auto& [bytes, bits] : sizes) {
    check_file("i" + bytes + ".npy", {6}, "int" + bits, {-3, -2, -1, 0, 1, 2});
    check_file("u" + bytes + ".npy", {6}, "uint" + bits, {250, 251, 252, 253, 254, 255});
  }
  check_file("bool.npy", {3, 3}, "bool", {1, 0, 0, 1, 1, 0, 1, 1, 1});
}

TEST_CASE("dumps: .npy files of each version, Fortran order, no axis and no element") {
  check_file("fortran.npy", {2, 3, 4}, "float32", ramp(24));
  check_file("version_2.npy", {2, 3}, "float32", ramp(6));
  check_file("version_3.npy", {2, 3}, "float32", ramp(6));
  check_file("scalar.npy", {}, "float32", {0.25});
  check_file("none.npy", {0, 3}, "float32", {});
}

TEST_CASE("dumps: the extremes of float16, NaN and the infinities") {
  const std::vector<Dumped> read = files::read(fs::path(ATTN_DUMPS_DIR) / "special.npy");
  const std::vector<double>& values = read.at(0).values;
  const std::vector<double> expected = {-65504, 65504, std::ldexp(1, -24), std::ldexp(1, -14), inf, -inf};
  REQUIRE(values.size() == 8);
  CHECK(std::equal(expected.begin(), expected.end(), values.begin()));
  CHECK(std::isnan(values[6]));
  CHECK(values[7] == 0);
  CHECK(std::signbit(values[7]));
}

TEST_CASE("dumps: dtypes that are not real numbers are refused by name") {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"objects", "Python objects (dtype '|O')"},   {"records", "records with fields"},
      {"complex", "complex numbers (dtype '<c8')"}, {"strings", "strings (dtype '<U4')"},
      {"bytes", "strings (dtype '|S4')"},           {"bfloat16", "perhaps bfloat16 (dtype '|V2')"},
      {"dates", "dates (dtype '<M8[s]')"},
  };
  for (const auto& [file, what] : refused) {
    const std::string said = complaint(fs::path(ATTN_DUMPS_DIR) / ("refused_" + file + ".npy"));
    CAPTURE(said);
    CHECK(has(said, what));
    CHECK(has(said, "numbers may be bool, integers"));
  }
}

TEST_CASE("dumps: .npz files, stored and deflated") {
  for (const std::string file : {"stored.npz", "deflated.npz"}) {
    CAPTURE(file);
    const std::vector<Dumped> tensors = files::read(fs::path(ATTN_DUMPS_DIR) / file);
    REQUIRE(tensors.size() == 3);
    check_tensor(tensors[0], "attn_scores", {2, 3}, "float32", ramp(6));
    check_tensor(tensors[1], "head_1/keys", {3, 2}, "float64", ramp(6));
    check_tensor(tensors[2], "mask", {2, 2}, "bool", {1, 0, 1, 1});
  }
}

TEST_CASE("dumps: a .safetensors file, in the order of its header") {
  const std::vector<Dumped> tensors = files::read(fs::path(ATTN_DUMPS_DIR) / "all.safetensors");
  REQUIRE(tensors.size() == 9);
  check_tensor(tensors[0], "attn_scores", {2, 3}, "float32", ramp(6));
  check_tensor(tensors[1], "head_1.keys", {2, 3}, "bfloat16", ramp(6));
  check_tensor(tensors[2], "values", {2, 3}, "float16", ramp(6));
  check_tensor(tensors[3], "queries", {2, 3}, "float64", ramp(6));
  check_tensor(tensors[4], "tokens", {3}, "int64", {-1, 0, 1});
  check_tensor(tensors[5], "pairs", {2}, "uint16", {1, 65535});
  check_tensor(tensors[6], "mask", {2, 2}, "bool", {1, 0, 1, 1});
  check_tensor(tensors[7], "none", {0, 3}, "float32", {});
  check_tensor(tensors[8], "scale", {}, "float32", {0.25});
  const std::vector<Dumped> swapped =
      files::parse("a.safetensors", safetensors_of(R"({"b": {"dtype": "U8", "shape": [2], "data_offsets": [3, 5]},)"
                                                   R"( "a": {"dtype": "U8", "shape": [3], "data_offsets": [0, 3]}})",
                                                   5));
  REQUIRE(swapped.size() == 2);
  CHECK(swapped[0].name == "b");
}

TEST_CASE("dumps: .csv files as numpy.savetxt writes them") {
  for (const std::string file : {"savetxt.csv", "commas.csv", "semicolons.csv", "tabs.csv"}) {
    check_file(file, {3, 4}, "float64", ramp(12));
  }
  const std::vector<double> values = files::read(fs::path(ATTN_DUMPS_DIR) / "special.csv").at(0).values;
  REQUIRE(values.size() == 4);
  CHECK(std::isnan(values[0]));
  CHECK(values[1] == inf);
  CHECK(values[2] == -inf);
  CHECK(std::signbit(values[3]));
  CHECK(files::parse("a.csv",
                     "\xef\xbb\xbf"
                     "1;2\n")
            .at(0)
            .shape == Shape{1, 2});
  CHECK(files::parse("a.csv", "  1   2  \n\n 3 4").at(0).values == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("dumps: the error for a .csv file that is not a matrix gives the place") {
  CHECK(has(complaint("a.csv", "1,2\n3\n"), "'a.csv': line 2: 1 numbers, but 2 in the first row; every row must"));
  CHECK(has(complaint("a.csv", "x,y\n1,z\n"), "line 2: 'z' is not a number"));
  CHECK(has(complaint("a.csv", "1,,2\n"), "line 1: a cell is empty"));
  CHECK(has(complaint("a.csv", "1,2,\n"), "line 1: a cell is empty"));
  CHECK(has(complaint("a.csv", "1,5;2,5\n"), "line 1: '1,5' is not a number"));
  CHECK(has(complaint("a.csv", "1e999\n"), "'1e999' is not a number"));
  CHECK(has(complaint("a.csv", "+-1\n"), "'+-1' is not a number"));
  CHECK(has(complaint("a.csv", "1 2\0\n"s), "line 1: '2\\x00' is not a number"));
  CHECK(has(complaint("a.csv", "# nothing\n\n"), "no rows of numbers"));
}

TEST_CASE("dumps: .csv files may name their columns and rows, as R's and pandas' tables do") {
  for (const char* table : {"x,y\n1,2\n3,4\n", ",0,1\n0,1,2\n1,3,4\n", "\"\",\"V1\",\"V2\"\n\"1\",1,2\n\"2\",3,4\n",
                            "V1 V2\n\"1\" 1 2\n\"2\" 3 4\n", "a,1,2\nb,3,4\n"}) {
    CAPTURE(table);
    check_tensor(files::parse("q.csv", table).at(0), "q", {2, 2}, "float64", {1, 2, 3, 4});
  }
}

TEST_CASE("dumps: .json files may be objects of nested lists") {
  const auto tensors =
      files::parse("port.json", R"({"q": [[1, 2], [3, NaN]], "layer": {"k": [-Infinity, null, "Infinity"]}, "x": 1})");
  REQUIRE(tensors.size() == 2);
  const double infinity = std::numeric_limits<double>::infinity();
  check_tensor(tensors.at(0), "layer/k", {3}, "float64", {-infinity, -infinity, infinity});
  CHECK(tensors.at(1).name == "q");
  CHECK(tensors.at(1).shape == Shape{2, 2});
  CHECK(std::isnan(tensors.at(1).values[3]));
  CHECK(files::parse("keys.json", "[[1], [2]]", [](const files::Heading&) { return false; }).empty());
  check_tensor(files::parse("keys.json", "[[1], [2]]").at(0), "keys", {2, 1}, "float64", {1, 2});
  CHECK(has(complaint("a.json", R"({"q": [[1, 2], [3]]})"), "the values of 'q' do not have its shape"));
  CHECK(has(complaint("a.json", R"({"q": "NaN \" NaN", "layers": 3})"), "it has no tensor"));
}

TEST_CASE("dumps: .csv files of attn-walkthrough contain name, dtype and shape") {
  check_tensor(files::parse("a.csv", "# head_1/keys: float32 [2, 1, 2]\n0.1,2\n\n3,inf\n").at(0), "head_1/keys",
               {2, 1, 2}, "float32", {static_cast<double>(0.1F), 2, 3, inf});
  check_tensor(files::parse("a.csv", "# mask: bool [3]\n1,0,1\n").at(0), "mask", {3}, "bool", {1, 0, 1});
  check_tensor(files::parse("a.csv", "# sum: int64 []\n7\n").at(0), "sum", {}, "int64", {7});
  for (const std::string line : {"# keys", "# keys: float32", "# keys: float16 [2]", "# keys: float32 [2, x]",
                                 "# keys: float32 [0]", "#keys: float32 [2]", "# : float32 [2]", "# keys: [2]"}) {
    CAPTURE(line);
    check_tensor(files::parse("a.csv", line + "\n1,2\n").at(0), "a", {1, 2}, "float64", {1, 2});
  }
  check_tensor(files::parse("a.csv", "1,2\n# keys: float32 [2]\n").at(0), "a", {1, 2}, "float64", {1, 2});
  CHECK(has(complaint("a.csv", "# keys: float32 [2, 2]\n1,2\n"),
            "its first line says [2, 2], and it has 1 rows of 2; a shape needs as many numbers as it says"));
  CHECK(has(complaint("a.csv", "# keys: float32 [4]\n1,2\n3,4\n"), "its first line says [4]"));
  CHECK(has(complaint("a.csv", "# k: float32 [4611686018427387904, 4, 2]\n1,2\n"), "its first line says"));
  CHECK(has(complaint("a.csv", "# ../keys: float32 [2]\n1,2\n"), "is not a path below the folder"));
}

TEST_CASE("dumps: JSON of attn-walkthrough contains every tensor by name") {
  const auto step = [](const std::string& name, const std::string& dtype, const std::string& shape,
                       const std::string& values) {
    return R"({"kind": "tensor", "section": "head_1", "name": ")" + name + R"(", "dtype": ")" + dtype +
           R"(", "shape": )" + shape + R"(, "values": )" + values + "}";
  };
  const auto chapter = [](const std::string& steps) {
    return R"({"tool": "attn-walkthrough", "chapter": "causal", "steps": [)" + steps + "]}";
  };
  const std::string size = R"({"kind": "size", "section": "", "name": "keys", "shape": [2], "dtype": "float32"})";
  const std::string keys = step("keys", "float32", "[2, 2]", R"([[0.1, -0.0], ["inf", "-inf"]])");
  const std::string mask = step("mask", "bool", "[2]", "[true, false]");
  const std::vector<Dumped> tensors = files::parse("x", chapter(keys + "," + size + "," + mask + "," + keys));
  REQUIRE(tensors.size() == 2);
  check_tensor(tensors[0], "head_1/keys", {2, 2}, "float32", {static_cast<double>(0.1F), -0.0, inf, -inf});
  CHECK(std::signbit(tensors[0].values[1]));
  check_tensor(tensors[1], "head_1/mask", {2}, "bool", {1, 0});
  const std::string scalar = step("sum", "int64", "[]", "9007199254740992");
  check_tensor(files::parse("x", "[\n" + chapter(scalar) + "]").at(0), "causal/head_1/sum", {}, "int64",
               {9007199254740992.0});
  CHECK(std::isnan(files::parse("x", chapter(step("k", "float32", "[1]", R"(["nan"])"))).at(0).values[0]));
  CHECK(files::parse("x", chapter(keys + "," + mask), [](const files::Heading& one) {
          return one.shape == Shape{2};
        }).size() == 1);

  CHECK(has(complaint("a.json", chapter(keys).substr(0, chapter(keys).size() - 1)),
            "'a.json': it is not whole JSON; it must be JSON of tensors' names and nested lists, or what "
            "attn-walkthrough wrote; write it again"));
  CHECK(has(complaint("a.json", chapter(size)), "it has no tensor"));
  CHECK(has(complaint("a.json", chapter("3, null, [1]")), "it has no tensor"));
  struct Misshapen {
    std::string shape;
    std::string values;
  };
  for (const Misshapen& one : std::vector<Misshapen>{{"[2]", "[1]"},
                                                     {"[2]", "[1, 2, 3]"},
                                                     {"[2]", "[1, [2]]"},
                                                     {"[1]", "1"},
                                                     {"[]", "[1]"},
                                                     {"[1]", R"(["big"])"},
                                                     {"[-1]", "[]"},
                                                     {"[1.5]", "[1]"},
                                                     {"3", "[1]"},
                                                     {"[9223372036854775808]", "[1]"}}) {
    CAPTURE(one.shape);
    CAPTURE(one.values);
    CHECK(has(complaint("a.json", chapter(step("k", "float32", one.shape, one.values))),
              "the values of 'head_1/k' do not have its shape"));
  }
  CHECK(has(complaint("a.json", chapter(R"({"name": "k", "shape": [], "values": 1})")), "a step has no section"));
  CHECK(
      has(complaint("a.json", R"({"tool": "attn-walkthrough", "steps": )" + std::string(100'000, '[')), "whole JSON"));
  CHECK(has(complaint("a.json", R"({"tool": "something else"})"), "it has no tensor"));
}

TEST_CASE("dumps: a folder gives all .npy files below it, by name") {
  const DumpFolder folder;
  write(folder / "head_2/keys.npy", fixture("little_f4.npy"));
  write(folder / "head_10/keys.npy", fixture("fortran.npy"));
  write(folder / "attn_scores.npy", fixture("scalar.npy"));
  write(folder / "notes.txt", "no tensor");
  write(folder / "manifest.json", std::string(1000, '['));
  fs::create_directory_symlink(folder.path(), folder / "again");
  const std::vector<Dumped> tensors = files::read(folder.path());
  REQUIRE(tensors.size() == 3);
  check_tensor(tensors[0], "attn_scores", {}, "float32", {0.25});
  check_tensor(tensors[1], "head_10/keys", {2, 3, 4}, "float32", ramp(24));
  check_tensor(tensors[2], "head_2/keys", {2, 3, 4}, "float32", ramp(24));
}

TEST_CASE("dumps: a folder of --save is read in the order of its manifest") {
  const DumpFolder folder;
  render::ShownChapter chapter;
  chapter.name = "lesson";
  chapter.about = [] {
    return nlohmann::ordered_json{{"tool", "attn-walkthrough"}, {"version", "1"}, {"chapter", "lesson"}};
  };
  for (const auto& [section, name] : {std::pair("", "queries"), {"head_1", "keys"}, {"", "attn_scores"}}) {
    const Tensor tensor = torch::tensor(std::vector<std::vector<float>>{{1, 2}});
    tensor.set_name(name);
    chapter.all_steps.push_back({Step::Kind::tensor, section, name, "", true, tensor, "", "\n"});
  }
  const std::vector<render::ShownChapter> chapters = {chapter};
  render::Saving saving(folder / "saved", chapters, false);
  saving.publish();
  write(folder / "saved/added.npy", fixture("scalar.npy"));
  std::vector<std::string> names;
  for (const Dumped& tensor : files::read(folder / "saved")) {
    names.push_back(tensor.name);
  }
  CHECK(names == std::vector<std::string>{"queries", "head_1/keys", "attn_scores", "added"});
}

TEST_CASE("dumps: dumps are distinguished from pages by content") {
  const DumpFolder folder;
  write(folder / "a", fixture("scalar.npy"));
  write(folder / "b", fixture("deflated.npz"));
  write(folder / "c", fixture("all.safetensors"));
  write(folder / "d.csv", "1\n");
  write(folder / "e.npz", "");
  for (const std::string name : {"a", "b", "c", "d.csv", "e.npz", ""}) {
    CAPTURE(name);
    CHECK(files::is_dump(folder / name));
  }
  write(folder / "page.txt", "tensor([1., 2.])\n");
  write(folder / "book.ipynb", "{\"cells\": []}");
  write(folder / "empty", "");
  REQUIRE(mkfifo((folder / "pipe.npy").c_str(), 0600) == 0);
  for (const std::string name : {"page.txt", "book.ipynb", "empty", "pipe.npy", "nothing.npy"}) {
    CAPTURE(name);
    CHECK_FALSE(files::is_dump(folder / name));
  }
}

TEST_CASE("dumps: a path that is not a readable file is an error, without waiting") {
  const DumpFolder folder;
  const auto said = [&](const std::string& name) { return complaint(folder / name); };
  CHECK(has(said(""),
            "there is no .npy, .csv, .tsv or .bin file in it; give a folder of .npy, .csv, .tsv or .bin files"));
  write(folder / "empty.npy", "");
  CHECK(has(said("empty.npy"), "empty.npy': it is empty; give a"));
  REQUIRE(mkfifo((folder / "pipe.npy").c_str(), 0600) == 0);
  CHECK(has(said("pipe.npy"), "it is not a regular file"));
  CHECK(has(said("nothing.npy"), "it cannot be read (No such file or directory)"));
  fs::create_symlink("loop.npy", folder / "loop.npy");
  CHECK(has(said("loop.npy"), "it cannot be read (Too many levels of symbolic links)"));
  write(folder / "page.txt", "tensor([1., 2.])\n");
  CHECK(has(said("page.txt"), "it is not a tensor file that can be read; give a"));
  CHECK(has(complaint("/dev/zero"), "it is not a regular file"));
  for (const std::string name : {"pipe.npy", "loop.npy", "empty.npy"}) {
    fs::create_directories(folder / "inside");
    fs::rename(folder / name, folder / "inside/one.npy");
    CAPTURE(name);
    CHECK(has(said("inside"), "inside/one.npy': it "));
    fs::remove_all(folder / "inside");
  }
  write(folder / "strange/a\nb.npy", fixture("scalar.npy"));
  CHECK(has(said("strange"), "control characters"));
}
