// Files of tensors that other programs wrote: those of numpy and of the safetensors format by make_dumps.py, and
// folders.

#include "files/read/read.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "unit.hpp"

namespace {

using namespace attn;
using namespace std::string_literals;
using files::Dumped;
using files::DumpError;
using test::has;
namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string fixture(const std::string& name) { return bytes_of(fs::path(ATTN_DUMPS_DIR) / name); }

/// What is said of a file's bytes; "" where they can be read.
std::string complaint(const std::string& name, const std::string& bytes) {
  try {
    files::parse(name, bytes);
    return "";
  } catch (const DumpError& error) {
    return error.what();
  }
}

/// Element i is i / 4 - 1, as in make_dumps.py.
std::vector<double> ramp(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<double>(i) / 4 - 1);
  }
  return values;
}
/// A folder that is gone with it.
struct DumpFolder {
  DumpFolder() {
    std::string name = (fs::temp_directory_path() / "attn-dump-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  DumpFolder(const DumpFolder&) = delete;
  DumpFolder& operator=(const DumpFolder&) = delete;
  ~DumpFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path operator/(const std::string& name) const { return path / name; }

  fs::path path;
};

std::string little_endian(std::size_t number, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(number >> 8U * i);
  }
  return bytes;
}

std::string safetensors_of(const std::string& header, std::size_t data) {
  return little_endian(header.size(), 8) + header + std::string(data, '\0');
}

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

constexpr bool has_sanitizer = ATTN_SANITIZERS;

/// An .npy file of version 1.0 with that header, and so many zeros.
std::string npy(const std::string& literal, std::size_t data) {
  const std::string header = literal + "\n";
  return "\x93NUMPY\x01\x00"s + little_endian(header.size(), 2) + header + std::string(data, '\0');
}

std::string npy_of(const std::string& shape, std::size_t data, const std::string& descr = "<f4") {
  return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data);
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                   bytes.size()) == Z_OK);
  return packed.substr(2, size - 6);  // without zlib's own head and checksum
}

/// A zip archive's bytes.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive;
  std::string directory;
  for (const auto& [name, bytes] : files) {
    const std::string packed = deflated(bytes);
    const std::size_t checksum =
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    const std::string facts = little_endian(20, 4) + little_endian(Z_DEFLATED, 6) + little_endian(checksum, 4) +
                              little_endian(packed.size(), 4) + little_endian(bytes.size(), 4) +
                              little_endian(name.size(), 4);
    directory +=
        "PK\x01\x02" + little_endian(20, 2) + facts + std::string(10, '\0') + little_endian(archive.size(), 4) + name;
    archive += "PK\x03\x04" + facts + name + packed;
  }
  return archive + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(files.size(), 2) +
         little_endian(files.size(), 2) + little_endian(directory.size(), 4) + little_endian(archive.size(), 6);
}

/// Whether what has been done since then took less than 8 MiB more.
class Memory {
 public:
  bool is_small() const { return has_sanitizer || most() - before_ < 8 * 1024; }

 private:
  /// The most that this process had at any time, in KiB.
  static long most() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  }

  long before_ = most();
};

/// Reads it: tensors that are whole, or a DumpError; and whether that is what came.
bool is_read(
    const std::string& name, const std::string& bytes,
    const std::function<void(const Dumped&)>& check = [](const Dumped&) {}) {
  try {
    for (const Dumped& tensor : files::parse(name, bytes)) {
      if (static_cast<std::int64_t>(tensor.values.size()) != element_count(tensor.shape)) {
        FAIL("a tensor that is not whole");
      }
      check(tensor);
    }
    return true;
  } catch (const DumpError& error) {
    const std::string what = error.what();
    if (!what.starts_with("'" + name + "': ") || std::ranges::count(what, ';') < 2 || has(what, "\n")) {
      FAIL(what);
    }
    return false;
  }
}

/// Each of the first bytes in turn with each of its bits turned, and as 0 and 255; or `as_all` other bytes.
void for_each_change(std::string bytes, std::size_t size, bool as_all,
                     const std::function<void(const std::string&)>& read) {
  for (std::size_t at = 0; at < size; ++at) {
    const char old = bytes[at];
    const auto byte = static_cast<unsigned char>(old);
    for (unsigned change = 1; change < 256; ++change) {
      const unsigned now = byte ^ change;
      if (as_all || std::has_single_bit(change) || now == 0 || now == 255) {
        bytes[at] = static_cast<char>(now);
        read(bytes);
      }
    }
    bytes[at] = old;
  }
}

}  // namespace

TEST_CASE("dumps: .npy files of every dtype, version and layout") {
  check_file("little_f2.npy", {2, 3, 4}, "float16", ramp(24));
  check_file("little_f4.npy", {2, 3, 4}, "float32", ramp(24));
  check_file("little_f8.npy", {2, 3, 4}, "float64", ramp(24));
  for (const int bytes : {1, 2, 4, 8}) {
    const std::string bits = std::to_string(8 * bytes);
    check_file("i" + std::to_string(bytes) + ".npy", {6}, "int" + bits, {-3, -2, -1, 0, 1, 2});
    check_file("u" + std::to_string(bytes) + ".npy", {6}, "uint" + bits, {250, 251, 252, 253, 254, 255});
  }
  check_file("bool.npy", {3, 3}, "bool", {1, 0, 0, 1, 1, 0, 1, 1, 1});
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
      {"objects", "dtype 'O'"},   {"complex", "dtype 'c8'"},  {"strings", "dtype 'U4'"},     {"bytes", "dtype 'S4'"},
      {"bfloat16", "dtype 'V2'"}, {"dates", "dtype 'M8[s]'"}, {"big_endian", "dtype '>f4'"},
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
  CHECK(files::parse("a.csv", "\xef\xbb\xbf" + "1;2\n"s).at(0).shape == Shape{1, 2});
  CHECK(files::parse("a.csv", "  1   2  \n\n 3 4").at(0).values == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("dumps: the error for a .csv file that is not a matrix gives the place") {
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
  check_tensor(tensors.at(0), "layer/k", {3}, "float64", {-inf, -inf, inf});
  CHECK(tensors.at(1).name == "q");
  CHECK(tensors.at(1).shape == Shape{2, 2});
  CHECK(std::isnan(tensors.at(1).values[3]));
  check_tensor(files::parse("keys.json", "[[1], [2]]").at(0), "keys", {2, 1}, "float64", {1, 2});
  CHECK(has(complaint("a.json", R"({"q": [[1, 2], [3]]})"), "the values of 'q' do not have its shape"));
  CHECK(has(complaint("a.json", R"({"q": "NaN", "layers": 3})"), "it has no tensor"));
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
  CHECK(has(complaint("a.csv", "# k: float32 [4611686018427387904, 4, 2]\n1,2\n"), "which no file can hold"));
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
  const std::vector<Dumped> tensors = files::parse("x.json", chapter(keys + "," + size + "," + mask + "," + keys));
  REQUIRE(tensors.size() == 2);
  check_tensor(tensors[0], "head_1/keys", {2, 2}, "float32", {static_cast<double>(0.1F), -0.0, inf, -inf});
  CHECK(std::signbit(tensors[0].values[1]));
  check_tensor(tensors[1], "head_1/mask", {2}, "bool", {1, 0});
  check_tensor(files::parse("x.json", "[\n" + chapter(step("sum", "int64", "[]", "9007199254740992")) + "]").at(0),
               "causal/head_1/sum", {}, "int64", {9007199254740992.0});
  CHECK(std::isnan(files::parse("x.json", chapter(step("k", "float32", "[1]", R"(["nan"])"))).at(0).values[0]));
  const auto wanted = [](const files::Heading& one) { return one.shape == Shape{2}; };
  CHECK(files::parse("x.json", chapter(keys + "," + mask), wanted).size() == 1);

  CHECK(has(complaint("a.json", chapter(keys).substr(0, chapter(keys).size() - 1)), "it is not whole JSON"));
  CHECK(has(complaint("a.json", chapter("3, null, [1]")), "it has no tensor"));
  for (const std::string values : {"[1, [2]]", "[[1, 2], [3]]", R"([1, "big"])"}) {
    CAPTURE(values);
    CHECK(has(complaint("a.json", chapter(step("k", "float32", "[2]", values))),
              "the values of 'head_1/k' do not have its shape"));
  }
  CHECK(
      has(complaint("a.json", R"({"tool": "attn-walkthrough", "steps": )" + std::string(100'000, '[')), "whole JSON"));
}

TEST_CASE("dumps: a folder gives all .npy files below it, by name") {
  const DumpFolder folder;
  write(folder / "head_2/keys.npy", fixture("little_f4.npy"));
  write(folder / "head_10/keys.npy", fixture("fortran.npy"));
  write(folder / "attn_scores.npy", fixture("scalar.npy"));
  write(folder / "notes.txt", "no tensor");
  write(folder / "manifest.json", std::string(1000, '['));
  fs::create_directory_symlink(folder.path, folder / "again");
  const std::vector<Dumped> tensors = files::read(folder.path);
  REQUIRE(tensors.size() == 3);
  check_tensor(tensors[0], "attn_scores", {}, "float32", {0.25});
  check_tensor(tensors[1], "head_10/keys", {2, 3, 4}, "float32", ramp(24));
  check_tensor(tensors[2], "head_2/keys", {2, 3, 4}, "float32", ramp(24));
}

TEST_CASE("dumps: a folder of --save is read in the order of its manifest") {
  const DumpFolder folder;
  std::string steps;
  for (const std::string name : {"queries", "head_1/keys", "attn_scores", "added"}) {
    write(folder / "saved" / (name + ".npy"), fixture("scalar.npy"));
    steps += name == "added" ? "" : (steps.empty() ? "" : ", ") + (R"({"file": ")" + name + ".npy\"}");
  }
  write(folder / "saved/manifest.json",
        R"({"tool": "attn-walkthrough", "version": "1", "chapter": "lesson", "steps": [)" + steps + "]}");
  write(folder / "saved/added.npy", fixture("scalar.npy"));
  std::vector<std::string> names;
  for (const Dumped& tensor : files::read(folder / "saved")) {
    names.push_back(tensor.name);
  }
  CHECK(names == std::vector<std::string>{"queries", "head_1/keys", "attn_scores", "added"});
}

TEST_CASE("dumps: dumps are distinguished from pages by name") {
  const DumpFolder folder;
  write(folder / "a.npy", fixture("scalar.npy"));
  write(folder / "b.NPZ", fixture("deflated.npz"));
  write(folder / "c.safetensors", fixture("all.safetensors"));
  write(folder / "d.csv", "1\n");
  write(folder / "e.npz", "");
  write(folder / "page.txt", "tensor([1., 2.])\n");
  write(folder / "book.ipynb", "{\"cells\": []}");
  write(folder / "empty", "");
  REQUIRE(mkfifo((folder / "pipe.npy").c_str(), 0600) == 0);
  std::string dumps;
  for (const std::string name : {"a.npy", "b.NPZ", "c.safetensors", "d.csv", "e.npz", "page.txt", "book.ipynb", "empty",
                                 "pipe.npy", "nothing.npy", ""}) {
    dumps += files::is_dump(folder / name) ? name + "," : "";
  }
  CHECK(dumps == "a.npy,b.NPZ,c.safetensors,d.csv,e.npz,,");
}

TEST_CASE("dumps: a path that is not a readable file is an error, without waiting") {
  const DumpFolder folder;
  const auto said = [&](const std::string& name) { return complaint(folder / name); };
  CHECK(has(said(""),
            "there is no .npy, .csv, .tsv or .bin file in it; give a folder of .npy, .csv, .tsv or .bin files"));
  write(folder / "empty.npy", "");
  REQUIRE(mkfifo((folder / "pipe.npy").c_str(), 0600) == 0);
  CHECK(has(said("pipe.npy"), "it is not a regular file"));
  fs::create_symlink("loop.npy", folder / "loop.npy");
  CHECK(has(said("loop.npy"), "it cannot be read (Too many levels of symbolic links)"));
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

// --- Files that are cut short, changed, or lie ---

TEST_CASE("dumps: an .npy header with a wrong size allocates no memory") {
  const Memory memory;
  CHECK(has(complaint("a.npy", npy_of("(1000000000,)", 20)), "cut short: 4000000"));
  CHECK(has(complaint("a.npy", npy_of("(3000000000, 3000000000)", 20)),
            "[3000000000, 3000000000], which no file can hold"));
  CHECK(has(complaint("a.npy", npy_of("(0, 3000000000, 3000000000)", 0)), "which no file can hold"));
  CHECK(has(complaint("a.npy", npy_of("(5,)", 24)), "it has 4 bytes more than the 20 of its shape [5]"));
  CHECK(has(complaint("a.npy", npy_of("(" + std::string(130, '1') + ",)", 4)), "cannot parse its header"));
  std::string axes;
  for (int axis = 0; axis < 65; ++axis) {
    axes += "1, ";
  }
  CHECK(has(complaint("a.npy", npy_of("(" + axes + ")", 4)), "which no file can hold"));
  CHECK(memory.is_small());
}

TEST_CASE("dumps: the dict of an .npy header is read as numpy writes it") {
  const std::string rest = "'fortran_order': False, 'shape': (2,)";
  CHECK(complaint("a.npy", npy("{'descr':'f4','fortran_order': True , 'shape': (2,)}", 8)).empty());
  for (const std::string& literal :
       {"{'descr': '<f4', " + rest + "} x", "{'descr': '<f4', " + rest,
        "{'descr': '<f4', 'descr': '<f4', " + rest + "}", "{'descr': '<f4', " + rest + ", 'more': 1}", "{" + rest + "}",
        "{'descr': '<f4' " + rest + "}"s, "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"s,
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}"s,
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}"s,
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}"s, ""s}) {
    CAPTURE(literal);
    CHECK(has(complaint("a.npy", npy(literal, 8)), "cannot parse its header"));
  }
  CHECK(has(complaint("a.npy", npy_of("(1,)", 16, "<f16")), "it holds numbers of dtype 'f16'"));
  CHECK(has(complaint("a.npy", "\x93NUMPY\x04\x00"s + std::string(100, ' ')), "begin like an .npy file"));
  CHECK(has(complaint("a.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff{"s), "cut short: 4294967307 bytes are declared"));
}

TEST_CASE("dumps: names in archives can be shown, and are distinguished") {
  const std::string good = npy_of("(2,)", 8);
  CHECK(has(complaint("a.npz", archive_of({{"a\x1b[31m.npy", good}})), "control characters"));
  CHECK(has(complaint("a.npz", archive_of({{"a\xff.npy", good}})), "or is not UTF-8"));
  CHECK(has(complaint("a.npz", archive_of({{".npy", good}})), "a name in it is empty"));
  CHECK(has(complaint("a.npz", archive_of({{"keys.npy", good}, {"keys.npy", good}})),
            "two tensors in it have the name 'keys'"));
  CHECK(has(complaint("a.npz", archive_of({{"a/", ""}, {"notes.txt", "x"}})), "there is no .npy file in it"));
  CHECK(has(complaint("a.npz", archive_of({{"model/data.pkl", "x"}})), "it was written by torch.save"));
  CHECK(has(complaint("a.npz", archive_of({{"keys.npy", "no tensor"}})),
            "'keys.npy': it does not begin like an .npy file"));
  CHECK(files::parse("a.npz", archive_of({{"a/", ""}, {"notes.txt", "x"}, {"keys.npy", good}})).size() == 1);
}

TEST_CASE("dumps: archives that unpack to more than their size or the memory are refused") {
  const Memory memory;
  CHECK(has(complaint("a.npz", archive_of({{"keys.npy", npy_of("(1000000000,)", 20)}})),
            "'keys.npy': cut short: 4000000"));
  std::string bomb = archive_of({{"keys.npy", npy_of("(4000,)", 16000)}});
  for (const auto& [size, part] :
       {std::pair(0xfffffff0U, "its 4294967280 bytes are declared to be compressed into"), {1000U, "damaged"}}) {
    const std::size_t directory = bomb.find("PK\x01\x02");  // where what is declared counts
    REQUIRE(directory != std::string::npos);
    bomb.replace(directory + 24, 4, little_endian(size, 4));
    CHECK(has(complaint("a.npz", bomb), part));
  }
  CHECK(memory.is_small());
}

TEST_CASE("dumps: an archive that does not fit into memory is refused before unpacking" *
          doctest::skip(has_sanitizer || ATTN_EMULATED)) {
  const std::string bytes = archive_of({{"keys.npy", npy_of("(8388608,)", 8388608 * 4)}});
  CHECK(bytes.size() < 100'000);
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit old{};
  REQUIRE(getrlimit(RLIMIT_AS, &old) == 0);
  const rlimit narrow{static_cast<rlim_t>(pages * 4096 + (16 << 20)), old.rlim_max};
  REQUIRE(setrlimit(RLIMIT_AS, &narrow) == 0);
  const std::string said = complaint("a.npz", bytes);
  REQUIRE(setrlimit(RLIMIT_AS, &old) == 0);
  CAPTURE(said);
  CHECK(has(said, "'a.npz': it needs 64.0 MiB of memory, but only "));
}

TEST_CASE("dumps: a .safetensors header must follow the format") {
  const auto said = [](const std::string& header, std::size_t data) {
    return complaint("a.safetensors", safetensors_of(header, data));
  };
  const auto of = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}";
  };
  const auto a_of = [&](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return "{\"a\": " + of(dtype, shape, offsets) + "}";
  };
  const std::string one = of("U8", "[4]", "[0, 4]");
  CHECK(said("{\"a\": " + one + "}   ", 4).empty());
  CHECK(has(said("{\"a\": " + one + "}", 3), "cut short: 4 bytes of numbers are declared, but it has 3"));
  CHECK(has(said(a_of("F32", "[4]", "[0, 4]"), 4),
            "'a': its data_offsets [0, 4] do not span the 16 bytes of its shape [4]"));
  CHECK(has(said(a_of("U8", "[4]", "[4, 0]"), 4), "its data_offsets [4, 0]"));
  CHECK(has(said(a_of("F32", "[1000000000]", "[0, 4000000000]"), 4), "cut short: 4000000000 bytes"));
  CHECK(has(said(a_of("F32", "[9223372036854775807, 2]", "[0, 4]"), 4), "which no file can hold"));
  CHECK(has(said(a_of("F32", "[18446744073709551616]", "[0, 4]"), 4),
            "does not say dtype, shape and data_offsets of 'a'"));
  CHECK(has(said(a_of("F8_E4M3", "[4]", "[0, 4]"), 4), "dtype 'F8_E4M3'; "));
  CHECK(has(said(R"({"a": {"dtype": "U8", "data_offsets": [0, 1]}})", 1),
            "does not say dtype, shape and data_offsets of 'a'"));
  CHECK(has(said(a_of("U8", "[4]", "[0, 4, 4]"), 4), "does not say"));
  CHECK(has(said(a_of("U8", "[-4]", "[0, 4]"), 4), "does not say"));
  CHECK(has(said(a_of("U8", "[[4]]", "[0, 4]"), 4), "does not say"));
  CHECK(has(said("{\"a\": 4}", 4), "does not say"));
  CHECK(has(said("{\"a\": {\"dtype\": \"U8\", \"more\": 1}}", 4), "does not say"));
  CHECK(has(said("{\"a\": {\"dtype\": {\"a\": 1}}}", 4), "does not say"));
  CHECK(has(said("{\"__metadata__\": {\"a\": 1}}", 0), "it has no tensor"));
  CHECK(has(said("{\"__metadata__\": {\"a\": \"1\", \"a\": \"2\"}}", 0), "it has no tensor"));
  CHECK(has(said("{\"a\": " + one + "} x", 4), "is not JSON"));
  CHECK(has(said("{\"a\": " + one, 4), "is not JSON"));
  CHECK(has(said("{\"a\": {\"shape\": " + std::string(1'000'000, '['), 4), "is not JSON"));
  CHECK(has(said("{\"a\": " + std::string(1'000'000, '{'), 4), "is not JSON"));
  CHECK(has(complaint("a.safetensors", "1234"), "cut short: it has 4 bytes"));
}

TEST_CASE("dumps: files that are cut short or have one changed byte are read whole or refused") {
  struct Damaged {
    std::string file;
    std::size_t changed;  ///< of so many first bytes one is changed
    bool as_all = false;  ///< to each other byte
  };
  const std::vector<Damaged> files = {{"little_f4.npy", 128, true},
                                      {"version_2.npy", 128, true},
                                      {"fortran.npy", 128},
                                      {"none.npy", 128},
                                      {"i8.npy", 128},
                                      {"bool.npy", 128},
                                      {"refused_records.npy", 128},
                                      {"all.safetensors", 688},
                                      {"special.csv", 39, true},
                                      {"commas.csv", 72, true},
                                      {"stored.npz", 100'000},
                                      {"deflated.npz", 100'000}};
  const std::vector<std::vector<double>> known = {ramp(6), {1, 0, 1, 1}};
  const Memory memory;
  for (const Damaged& one : files) {
    const std::string& file = one.file;
    CAPTURE(file);
    const std::string whole = fixture(file);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      if (is_read(file, whole.substr(0, size)) && !file.ends_with(".csv")) {
        FAIL("cut to " << size << " bytes it was read");
      }
    }
    const auto check = [&](const Dumped& tensor) {  // an archive has checksums
      if (file.ends_with(".npz") && std::find(known.begin(), known.end(), tensor.values) == known.end()) {
        FAIL("'" << tensor.name << "' has other numbers");
      }
    };
    std::size_t refused = 0;
    for_each_change(whole, std::min(one.changed, whole.size()), one.as_all,
                    [&](const std::string& bytes) { refused += is_read(file, bytes, check) ? 0U : 1U; });
    CHECK(refused > 0);
  }
  CHECK(memory.is_small());
}

TEST_CASE("a large file that becomes shorter while it is read is an error") {
  const DumpFolder folder;
  const fs::path path = folder / "shorter.safetensors";
  constexpr std::size_t numbers = 20U << 20U;
  const std::string header = R"({"keys": {"dtype": "U8", "shape": [)" + std::to_string(numbers) +
                             R"(], "data_offsets": [0, )" + std::to_string(numbers) + "]}}";
  write(path, little_endian(header.size(), 8) + header + std::string(numbers, '\1'));
  CHECK(files::read(path).at(0).values == std::vector<double>(numbers, 1));
  const auto cut = [&](const files::Heading&) {
    fs::resize_file(path, numbers / 2);
    return true;
  };
  CHECK_THROWS_WITH_AS(files::read(path, cut), doctest::Contains("it became shorter while it was read; "), DumpError);
}
