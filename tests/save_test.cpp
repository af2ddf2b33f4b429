// --save: a folder as a whole or nothing, whatever happens while it is put in its place.

#include "files/save.hpp"

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
  result.about = [] {
    return nlohmann::ordered_json{{"tool", "attn-walkthrough"}, {"version", "1"}, {"chapter", "lesson"}};
  };
  for (const std::string& name : names) {
    const fs::path path(name);
    const Tensor tensor = torch::tensor(std::vector<std::vector<float>>{{value, -value}});
    tensor.set_name(path.filename().string());
    result.all_steps.push_back(
        {Step::Kind::tensor, path.parent_path().string(), path.filename().string(), "", true, tensor, "", "\n"});
  }
  return result;
}

void save(const fs::path& folder, const std::vector<render::ShownChapter>& chapters, bool may_replace) {
  render::Saving saving(folder, chapters, may_replace);
  saving.publish();
}

}  // namespace

TEST_CASE("an earlier folder is replaced as a whole if allowed") {
  const TemporaryFolder folder;
  const fs::path steps = folder.path() / "steps";
  save(steps, {chapter({"one/keys", "one/old", "values"}, 1)}, false);
  const auto before = folder.contents();
  CHECK_THROWS_AS(save(steps, {chapter({"two/keys"}, 2)}, false), render::SaveError);
  CHECK(folder.contents() == before);
  save(steps, {chapter({"two/keys", "values"}, 2)}, true);
  const auto contents = folder.contents();
  CHECK(contents.size() == 3);
  CHECK(contents.contains("steps/manifest.json"));
  CHECK(contents.contains("steps/two/keys.npy"));
  CHECK(contents.contains("steps/values.npy"));
  CHECK_FALSE(fs::exists(steps / "one"));
}

TEST_CASE("without publish() nothing changes") {
  for (const bool is_new : {false, true}) {
    const TemporaryFolder folder;
    const fs::path steps = folder.path() / "steps";
    if (!is_new) {
      save(steps, {chapter({"one/keys"}, 1)}, false);
    }
    const auto before = folder.contents();
    {
      const std::vector<render::ShownChapter> chapters = {chapter({"two/keys", "values"}, 2)};
      const render::Saving saving(steps, chapters, true);
      CHECK(folder.contents().size() > before.size());
    }
    CHECK(folder.contents() == before);
    CHECK(fs::exists(steps) == !is_new);
  }
}

TEST_CASE("a folder that another writer creates first is kept") {
  for (const bool may_replace : {false, true}) {
    const TemporaryFolder folder;
    const fs::path steps = folder.path() / "new" / "steps";
    {
      const std::vector<render::ShownChapter> chapters = {chapter({"keys"}, 2)};
      render::Saving saving(steps, chapters, may_replace);
      fs::create_directory(steps);
      std::ofstream(steps / "manifest.json") << "mine";
      CHECK_THROWS_AS(saving.publish(), render::SaveError);
    }
    CHECK(folder.contents() == std::map<std::string, std::string>{{"new/steps/manifest.json", "mine"}});
  }
}

TEST_CASE("files that others add later are not removed") {
  const TemporaryFolder folder;
  const fs::path steps = folder.path() / "steps";
  {
    const std::vector<render::ShownChapter> chapters = {chapter({"keys"}, 1)};
    render::Saving saving(steps, chapters, false);
    saving.publish();
    save(steps, {chapter({"values"}, 2)}, true);
  }
  CHECK(folder.contents().size() == 2);
  CHECK(fs::exists(steps / "values.npy"));
}
