#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "files/read.hpp"
#include "require.hpp"
#include "steps.hpp"
#include "targets.hpp"
#include "verify/port/report.hpp"

namespace attn::fuzz {
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
