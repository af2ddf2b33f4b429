#include "render/save.hpp"

#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <xtensor/xnpy.hpp>

namespace attn::render {
namespace {

namespace fs = std::filesystem;

/// The files and folders made so far; removes them unless they are kept.
class Made {
 public:
  Made() = default;
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    std::error_code ignored;
    for (auto path = paths_.rbegin(); path != paths_.rend(); ++path) {
      fs::remove(*path, ignored);
    }
  }

  void folder(const fs::path& path) {
    if (fs::is_directory(path)) {
      return;
    }
    if (!path.parent_path().empty()) {
      folder(path.parent_path());
    }
    fs::create_directory(path);
    paths_.push_back(path);
  }
  void file(const fs::path& path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary);
    paths_.push_back(path);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
      throw fs::filesystem_error("cannot write", path, std::make_error_code(std::errc::io_error));
    }
  }
  void keep() { paths_.clear(); }

 private:
  std::vector<fs::path> paths_;
};

std::string npy_bytes(const Tensor& tensor) {
  const auto contents = tensor.array().contents();
  return std::visit([](const auto& values) { return xt::dump_npy(values); }, *contents);
}

}  // namespace

void save(const fs::path& folder, std::span<const Step> steps, nlohmann::ordered_json about) {
  Made made;
  try {
    made.folder(folder);
    about["steps"] = nlohmann::ordered_json::array();
    for (const Step& step : steps) {
      if (step.kind != Step::Kind::tensor) {
        continue;
      }
      const fs::path file = fs::path(step.section) / (step.name + ".npy");
      made.folder((folder / file).parent_path());
      made.file(folder / file, npy_bytes(*step.tensor));
      about["steps"].push_back({
          {"section", step.section},
          {"name", step.name},
          {"label", step.label},
          {"expression", step.tensor->expression()},
          {"inputs", step.tensor->inputs()},
          {"shape", step.tensor->shape()},
          {"dtype", dtype_name(step.tensor->dtype())},
          {"file", file.string()},
      });
    }
    made.file(folder / "manifest.json", about.dump(2) + "\n");
  } catch (const fs::filesystem_error& error) {
    throw SaveError("--save cannot write " + error.path1().string() + " (" + error.code().message() +
                    "); accepted is a folder that can be made or written; try --save /tmp/steps");
  }
  made.keep();
}

}  // namespace attn::render
