// --save: all or nothing, whatever happens while the files are put in their places.

#include "render/save.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "torch/torch.hpp"

namespace {

using namespace attn;
namespace fs = std::filesystem;

/// A folder that is gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "attn-save-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

  /// Every file, with what is in it.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> result;
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) {
        std::ifstream file(entry.path(), std::ios::binary);
        result[entry.path().lexically_relative(path_).string()] = {std::istreambuf_iterator<char>(file), {}};
      }
    }
    return result;
  }

 private:
  fs::path path_;
};

/// Of steps "section/name".
render::ShownChapter chapter(const std::vector<std::string>& names, float value) {
  render::ShownChapter result;
  result.name = "lesson";
  result.about = std::make_shared<const nlohmann::ordered_json>(
      nlohmann::ordered_json{{"tool", "attn-walkthrough"}, {"chapter", "lesson"}});
  for (const std::string& name : names) {
    const fs::path path(name);
    const Tensor tensor = torch::tensor(std::vector<std::vector<float>>{{value, -value}});
    tensor.set_name(path.filename().string());
    result.all_steps.push_back(
        {Step::Kind::tensor, path.parent_path().string(), path.filename().string(), "", true, tensor, "", "\n"});
  }
  return result;
}

void save(const fs::path& folder, const std::vector<render::ShownChapter>& chapters) {
  render::Saving saving(folder, chapters);
  saving.publish();
}

}  // namespace

TEST_CASE("what was saved before is replaced as a whole") {
  const TemporaryFolder folder;
  save(folder.path(), {chapter({"one/keys", "one/old", "values"}, 1)});
  save(folder.path(), {chapter({"two/keys", "values"}, 2)});
  const auto contents = folder.contents();
  CHECK(contents.size() == 3);
  CHECK(contents.contains("manifest.json"));
  CHECK(contents.contains("two/keys.npy"));
  CHECK(contents.contains("values.npy"));
  CHECK_FALSE(fs::exists(folder.path() / "one"));
}

TEST_CASE("without publish() nothing has happened") {
  const TemporaryFolder folder;
  save(folder.path(), {chapter({"one/keys"}, 1)});
  const auto before = folder.contents();
  {
    const std::vector<render::ShownChapter> chapters = {chapter({"two/keys", "values"}, 2)};
    const render::Saving saving(folder.path(), chapters);
    CHECK(folder.contents().size() > before.size());
  }
  CHECK(folder.contents() == before);
  CHECK_FALSE(fs::exists(folder.path() / "two"));
}

TEST_CASE("where a file cannot be put in its place, all is put back") {
  const TemporaryFolder folder;
  save(folder.path(), {chapter({"one/keys", "queries"}, 1)});
  const auto before = folder.contents();
  const std::vector<render::ShownChapter> chapters = {chapter({"one/keys", "queries", "values"}, 2)};
  {
    render::Saving saving(folder.path(), chapters);
    fs::create_directory(folder.path() / "values.npy");  // somebody is quicker
    CHECK_THROWS_AS(saving.publish(), render::SaveError);
  }
  CHECK(folder.contents() == before);
  fs::remove(folder.path() / "values.npy");
  save(folder.path(), chapters);
  CHECK(folder.contents().size() == 4);
}
