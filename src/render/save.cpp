#include "render/save.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include <nlohmann/json.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xnpy.hpp>

namespace attn::render {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_error(const fs::path& path, const std::error_code& code) {
  throw SaveError("--save cannot write '" + path.string() + "' (" + code.message() +
                  "); accepted is a folder that can be made or written; try --save /tmp/steps");
}

std::string npy_bytes(const Tensor& tensor) {
  const auto contents = tensor.array().contents();
  return std::visit(
      [](const auto& values) {
        const std::vector<std::size_t> shape(values.shape().begin(), values.shape().end());
        return xt::dump_npy(xt::adapt(values.data(), values.size(), xt::no_ownership(), shape));
      },
      *contents);
}

}  // namespace

Saving::Saving(const fs::path& folder, std::span<const Step> steps, nlohmann::ordered_json about) {
  try {
    make_folder(folder);
    about["steps"] = nlohmann::ordered_json::array();
    for (const Step& step : steps) {
      if (step.kind != Step::Kind::tensor) {
        continue;
      }
      const fs::path file = fs::path(step.section) / (step.name + ".npy");
      make_folder((folder / file).parent_path());
      write(folder / file, npy_bytes(*step.tensor));
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
    write(folder / "manifest.json", about.dump(2) + "\n");
  } catch (...) {
    discard();
    throw;
  }
}

Saving::~Saving() { discard(); }

void Saving::discard() {
  std::error_code ignored;
  for (const auto& [written, place] : files_) {
    fs::remove(written, ignored);
  }
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
    fs::remove(*folder, ignored);
  }
}

void Saving::publish() {
  for (const auto& [written, place] : files_) {
    std::error_code error;
    fs::rename(written, place, error);
    if (error) {
      throw_error(place, error);
    }
  }
  files_.clear();
  folders_.clear();
}

void Saving::make_folder(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) {
    return;
  }
  make_folder(path.parent_path());
  if (fs::is_directory(path, error)) {
    return;  // "new/" and "new/.." are there once "new" is
  }
  if (!fs::create_directory(path, error)) {
    throw_error(path, error ? error : std::make_error_code(std::errc::not_a_directory));
  }
  folders_.push_back(path);
}

void Saving::write(const fs::path& file, std::string_view bytes) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    throw_error(file, std::make_error_code(std::errc::is_a_directory));
  }
  const fs::path written = file.string() + "." + std::to_string(getpid());
  errno = 0;
  std::ofstream out(written, std::ios::binary);
  if (out) {
    files_.emplace_back(written, file);
  }
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    throw_error(file, std::error_code(errno == 0 ? EIO : errno, std::generic_category()));
  }
}

}  // namespace attn::render
