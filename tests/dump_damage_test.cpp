// Files of tensors that are cut short, changed, or lie.

#include "files/read.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <minizip/zip.h>

#include "dump_files.hpp"

namespace {

using namespace dump_files;

constexpr bool has_sanitizer = ATTN_SANITIZERS;

/// An .npy file of version 1.0 with that header, and so many zeros.
std::string npy(const std::string& literal, std::size_t data) {
  const std::string header = literal + "\n";
  return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size() & 0xffU) + static_cast<char>(header.size() >> 8U) +
         header + std::string(data, '\0');
}

std::string npy_of(const std::string& shape, std::size_t data, const std::string& descr = "<f4") {
  return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data);
}

/// A zip archive's bytes.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& files) {
  const DumpFolder folder;
  const std::string path = (folder / "made.zip").string();
  const zipFile archive = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  REQUIRE(archive != nullptr);
  for (const auto& [name, bytes] : files) {
    const zip_fileinfo info{};
    REQUIRE(zipOpenNewFileInZip64(archive, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, 6, 0) ==
            ZIP_OK);
    REQUIRE(zipWriteInFileInZip(archive, bytes.data(), static_cast<unsigned>(bytes.size())) == ZIP_OK);
    REQUIRE(zipCloseFileInZip(archive) == ZIP_OK);
  }
  REQUIRE(zipClose(archive, nullptr) == ZIP_OK);
  return bytes_of(path);
}

/// The most memory that this process had at any time, in KiB.
long most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

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
void for_each_change(const std::string& name, std::size_t size, bool as_all,
                     const std::function<void(const std::string&)>& read) {
  std::string bytes = fixture(name);
  REQUIRE(size <= bytes.size());
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

TEST_CASE("dumps: an .npy header with a wrong size allocates no memory") {
  const long before = most_memory();
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
  CHECK(has(complaint("a.npy", npy_of("(" + axes + ")", 4)), "it declares 65 axes"));
  CHECK((has_sanitizer || most_memory() - before < 8 * 1024));
}

TEST_CASE("dumps: the dict of an .npy header is read strictly, in any order") {
  const std::string rest = "'fortran_order': False, 'shape': (2,)";
  CHECK(complaint("a.npy", npy("{'shape': (2,), \"descr\": 'f4', 'fortran_order': True}", 8)).empty());
  for (const std::string& literal :
       {"{'descr': '<f4', " + rest + "} x", "{'descr': '<f4', " + rest,
        "{'descr': '<f4', 'descr': '<f4', " + rest + "}", "{'descr': '<f4', " + rest + ", 'more': 1}", "{" + rest + "}",
        "{'descr': '<f4' " + rest + "}"s, "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"s,
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}"s,
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}"s,
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}"s,
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}"s,
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}"s,
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}"s, ""s}) {
    CAPTURE(literal);
    CHECK(has(complaint("a.npy", npy(literal, 8)), "cannot parse its header"));
  }
  CHECK(has(complaint("a.npy", npy_of("(1,)", 16, "<f16")), "numbers of another kind (dtype '<f16')"));
  CHECK(has(complaint("a.npy", "\x93NUMPY\x04\x00"s + std::string(100, ' ')), "its version is 4.0"));
  CHECK(has(complaint("a.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff{"s), "its header has 4294967307 bytes"));
}

TEST_CASE("dumps: names in archives do not escape, and are distinguished") {
  const std::string good = npy_of("(2,)", 8);
  for (const std::string name :
       {"../keys.npy", "//keys.npy", "a/../keys.npy", "..\\keys.npy", "a//keys.npy", "./keys.npy"}) {
    CAPTURE(name);
    CHECK(has(complaint("a.npz", archive_of({{"mask.npy", good}, {name, good}})), "' in it is not a path"));
    const std::string key = name == "..\\keys.npy" ? "..\\\\keys.npy" : name;
    CHECK(
        has(complaint("a.safetensors",
                      safetensors_of("{\"" + key + R"(": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})", 1)),
            "' in it is not a path"));
  }
  CHECK(has(complaint("a.npz", archive_of({{"a\x1b[31m.npy", good}})), "control characters"));
  CHECK(has(complaint("a.npz", archive_of({{"a\xff.npy", good}})), "is not UTF-8"));
  CHECK(has(complaint("a.npz", archive_of({{".npy", good}})), "is not a path below the folder"));
  CHECK(has(complaint("a.npz", archive_of({{"keys.npy", good}, {"keys.npy", good}})),
            "two tensors in it have the name 'keys.npy'"));
  CHECK(has(complaint("a.npz", archive_of({{"a/", ""}, {"notes.txt", "x"}})), "there is no .npy file in it"));
  CHECK(has(complaint("a.npz", archive_of({{"model/data.pkl", "x"}})), "it was written by torch.save"));
  CHECK(has(complaint("a.npz", archive_of({{"keys.npy", "no tensor"}})),
            "'keys.npy': it does not begin like an .npy file"));
  CHECK(files::parse("a.npz", archive_of({{"a/", ""}, {"notes.txt", "x"}, {"keys.npy", good}})).size() == 1);
}

TEST_CASE("dumps: archives that unpack to more than their size or the memory are refused") {
  const long before = most_memory();
  CHECK(has(complaint("a.npz", archive_of({{"keys.npy", npy_of("(1000000000,)", 20)}})),
            "'keys.npy': its shape [1000000000] needs 4000000000 bytes, but it has 20"));
  std::string bomb = archive_of({{"keys.npy", npy_of("(4000,)", 16000)}});
  const auto declare = [&](std::uint32_t size) {  // in the directory, which is what counts
    const std::size_t directory = bomb.find("PK\x01\x02");
    REQUIRE(directory != std::string::npos);
    for (std::size_t i = 0; i < 4; ++i) {
      bomb[directory + 24 + i] = static_cast<char>(size >> 8U * i);
    }
  };
  REQUIRE(complaint("a.npz", bomb).empty());
  declare(0xfffffff0);
  CHECK(has(complaint("a.npz", bomb), "its 4294967280 bytes are declared to be compressed into"));
  declare(1000);
  CHECK(has(complaint("a.npz", bomb), "damaged"));
  CHECK((has_sanitizer || most_memory() - before < 8 * 1024));
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
  const std::string one = of("U8", "[4]", "[0, 4]");
  CHECK(said("{\"a\": " + one + "}", 4).empty());
  CHECK(said("{\"a\": " + one + "}   ", 4).empty());
  CHECK(has(said("{\"a\": " + one + "}", 3), "cut short: 4 bytes of numbers are declared, but it has 3"));
  CHECK(has(said("{\"a\": " + one + "}", 5), "bytes after its last tensor"));
  CHECK(has(said("{\"a\": " + one + ", \"b\": " + of("U8", "[2]", "[2, 4]") + "}", 4),
            "'b' begins at byte 2, where another tensor is"));
  CHECK(has(said("{\"a\": " + one + ", \"b\": " + of("U8", "[2]", "[6, 8]") + "}", 8),
            "'b' begins at byte 6, where the one before ends at 4"));
  CHECK(has(said("{\"a\": " + of("U8", "[4]", "[1, 5]") + "}", 5), "'a' begins at byte 1"));
  CHECK(has(said("{\"a\": " + of("F32", "[4]", "[0, 4]") + "}", 4),
            "'a': its data_offsets [0, 4] do not span the 16 bytes of its shape [4]"));
  CHECK(has(said("{\"a\": " + of("U8", "[4]", "[4, 0]") + "}", 4), "its data_offsets [4, 0]"));
  CHECK(has(said("{\"a\": " + of("F32", "[1000000000]", "[0, 4000000000]") + "}", 4), "cut short: 4000000000 bytes"));
  CHECK(has(said("{\"a\": " + of("F32", "[18446744073709551615, 2]", "[0, 4]") + "}", 4), "which no file can hold"));
  CHECK(has(said("{\"a\": " + of("F32", "[18446744073709551616]", "[0, 4]") + "}", 4),
            "a number that is not an integer"));
  CHECK(has(said("{\"a\": " + of("F8_E4M3", "[4]", "[0, 4]") + "}", 4), "dtype 'F8_E4M3'; "));
  CHECK(has(said("{\"a\": " + one + ", \"a\": " + one + "}", 4), "two entries named 'a'"));
  CHECK(has(said(R"({"a": {"dtype": "U8", "data_offsets": [0, 1]}})", 1),
            "does not say dtype, shape and data_offsets of 'a'"));
  CHECK(has(said("{\"a\": " + of("U8", "[4]", "[0, 4, 4]") + "}", 4), "does not say"));
  CHECK(has(said("{\"a\": " + of("U8", "[-4]", "[0, 4]") + "}", 4), "has a negative number at 'shape'"));
  CHECK(has(said("{\"a\": " + of("U8", "[[4]]", "[0, 4]") + "}", 4), "has a list at 'shape'"));
  CHECK(has(said("{\"a\": 4}", 4), "has a number at 'a'"));
  CHECK(has(said("{\"a\": {\"dtype\": \"U8\", \"more\": 1}}", 4), "says 'more' of 'a'"));
  CHECK(has(said("{\"a\": {\"dtype\": {\"a\": 1}}}", 4), "has an object at 'dtype'"));
  CHECK(has(said("{\"__metadata__\": {\"a\": 1}}", 0), "has a number at 'a'"));
  CHECK(has(said("{\"__metadata__\": {\"a\": \"1\", \"a\": \"2\"}}", 0), "it has no tensor"));
  CHECK(has(said("{\"a\": " + one + "} x", 4), "is not JSON from byte"));
  CHECK(has(said("{\"a\": " + one, 4), "is not JSON from byte"));
  CHECK(has(said("{\"a\": {\"shape\": " + std::string(1'000'000, '['), 4), "has a list at 'shape'"));
  CHECK(has(said("{\"a\": " + std::string(1'000'000, '{'), 4), "is not JSON"));
  CHECK(has(complaint("a.safetensors", std::string(8, '\xff') + "{}"),
            "would have 18446744073709551615 bytes, and 2 are there"));
  CHECK(has(complaint("a.safetensors", "1234"), "cut short: it has 4 bytes"));
}

TEST_CASE("dumps: truncated files are refused") {
  const long before = most_memory();
  for (const std::string name :
       {"little_f4.npy", "big_f2.npy", "fortran.npy", "version_2.npy", "version_3.npy", "bool.npy", "scalar.npy",
        "none.npy", "refused_records.npy", "stored.npz", "deflated.npz", "all.safetensors"}) {
    const std::string whole = fixture(name);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      if (is_read(name, whole.substr(0, size))) {
        FAIL(name << " cut to " << size << " bytes was read");
      }
    }
  }
  for (const std::string name : {"savetxt.csv", "commas.csv", "semicolons.csv", "tabs.csv", "special.csv"}) {
    const std::string whole = fixture(name);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      is_read(name, whole.substr(0, size));
    }
  }
  CHECK((has_sanitizer || most_memory() - before < 8 * 1024));
}

TEST_CASE("dumps: files with one changed header byte are read or refused") {
  const long before = most_memory();
  struct Header {
    std::string file;
    std::size_t size;
    bool as_all;
  };
  const std::vector<Header> headers = {{"little_f4.npy", 128, true},
                                       {"version_2.npy", 128, true},
                                       {"fortran.npy", 128, false},
                                       {"none.npy", 128, false},
                                       {"i8.npy", 128, false},
                                       {"bool.npy", 128, false},
                                       {"refused_records.npy", 128, false},
                                       {"all.safetensors", 688, false},
                                       {"special.csv", 39, true},
                                       {"commas.csv", 72, true}};
  for (const Header& header : headers) {
    const std::string& file = header.file;
    std::size_t refused = 0;
    for_each_change(file, header.size, header.as_all,
                    [&](const std::string& bytes) { refused += is_read(file, bytes) ? 0U : 1U; });
    CAPTURE(file);
    CHECK(refused > 0);
  }
  CHECK((has_sanitizer || most_memory() - before < 8 * 1024));
}

TEST_CASE("dumps: an archive with one changed byte never gives other numbers") {
  const long before = most_memory();
  const std::vector<std::vector<double>> known = {ramp(6), {1, 0, 1, 1}};
  const auto check = [&](const Dumped& tensor) {
    if (std::find(known.begin(), known.end(), tensor.values) == known.end()) {
      FAIL("'" << tensor.name << "' has other numbers");
    }
  };
  for (const std::string name : {"stored.npz", "deflated.npz"}) {
    std::size_t refused = 0;
    for_each_change(name, fixture(name).size(), false,
                    [&](const std::string& bytes) { refused += is_read(name, bytes, check) ? 0U : 1U; });
    CHECK(refused > 0);
  }
  CHECK((has_sanitizer || most_memory() - before < 8 * 1024));
}

TEST_CASE("a large file that becomes shorter while it is read is an error") {
  const DumpFolder folder;
  const fs::path path = folder / "shorter.safetensors";
  constexpr std::size_t numbers = 20U << 20U;
  const std::string header = R"({"keys": {"dtype": "U8", "shape": [)" + std::to_string(numbers) +
                             R"(], "data_offsets": [0, )" + std::to_string(numbers) + "]}}";
  {
    std::ofstream file(path, std::ios::binary);
    const std::uint64_t size = header.size();
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file << header << std::string(numbers, '\1');
  }
  CHECK(files::read(path).at(0).values == std::vector<double>(numbers, 1));
  const auto cut = [&](const files::Heading&) {
    fs::resize_file(path, numbers / 2);
    return true;
  };
  CHECK_THROWS_WITH_AS(files::read(path, cut), doctest::Contains("it became shorter while it was read; "), DumpError);
}
