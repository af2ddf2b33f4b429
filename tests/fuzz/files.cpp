#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "files/read/read.hpp"
#include "files/write/save.hpp"
#include "targets.hpp"
#include "verify/port/report.hpp"

namespace attn::fuzz {
namespace {

namespace fs = std::filesystem;

/// A folder with a stranger's file, which goes with the process.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("attn-fuzz-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    std::ofstream(path_ / "mine.npy") << "mine";
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

void manifest(std::string_view bytes) {
  static const Folder folder;
  std::ofstream(folder.path() / "manifest.json", std::ios::binary) << bytes;
  try {
    const system::Place place = render::accepted_place(folder.path(), true);
    require(place.kind == system::Place::Kind::folder, "what is replaced is the folder");
    require(bytes.find("mine.npy") != std::string_view::npos || bytes.find('\\') != std::string_view::npos,
            "a file that no manifest lists is a stranger's");
  } catch (const render::SaveError& error) {
    require_error_line(error);
  }
}

namespace {

void check(const files::Dumped& dumped) {
  require(is_utf8(dumped.name) && !dumped.name.empty(), "a tensor's name is UTF-8");
  require(std::ranges::all_of(dumped.shape, [](std::int64_t size) { return size >= 0; }), "an axis has a size");
  require(element_count(dumped.shape) == std::ssize(dumped.values), "a tensor has as many numbers as its shape says");
}

void check_report(std::vector<files::Dumped> dumped) {
  static const std::vector<Step> steps = steps_of("simplified");
  verify::PortReport report = {"dump", "simplified", {}, {}, {}, {}, tokens()};
  for (files::Dumped& one : dumped) {
    report.given.push_back({std::move(one.name), std::move(one.shape), std::move(one.dtype), std::move(one.values)});
  }
  report.judgement = verify::judge(report.given, steps, {}, {}, {});
  std::ostringstream text;
  verify::write_text(text, report);
  require_clean(text.view(), "a report on a dump");
  std::ostringstream json;
  render::JsonWriter writer(json);
  verify::write_json(writer, report);
  require_clean(json.view(), "its JSON");
  require(nlohmann::json::accept(json.view()), "its JSON is JSON");
  std::ostringstream html;
  verify::write_html(html, {&report, 1}, "1.0");
  require_clean(html.view(), "its page");
}

}  // namespace

void dump(std::string_view bytes) {
  for (const char* name : {"attn_weights.csv", "attn_weights.npy", "dump.npz", "dump.safetensors"}) {
    try {
      std::vector<files::Dumped> dumped = files::parse(name, bytes);
      std::ranges::for_each(dumped, check);
      check_report(std::move(dumped));
    } catch (const files::DumpError& error) {
      require_error_line(error);
    }
  }
}

}  // namespace attn::fuzz
