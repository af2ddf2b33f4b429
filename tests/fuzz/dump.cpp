#include <algorithm>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "files/read.hpp"
#include "require.hpp"
#include "steps.hpp"
#include "targets.hpp"
#include "verify/report/dump.hpp"

namespace attn::fuzz {
namespace {

void check(const dump::Dumped& dumped) {
  require(is_utf8(dumped.name) && !dumped.name.empty(), "a tensor's name is UTF-8");
  require(std::ranges::all_of(dumped.shape, [](std::int64_t size) { return size >= 0; }), "an axis has a size");
  require(element_count(dumped.shape) == std::ssize(dumped.values), "a tensor has as many numbers as its shape says");
}

void check_report(const std::vector<dump::Dumped>& dumped) {
  static const std::vector<Step> steps = steps_of("simplified");
  port::Report report = {"dump", "simplified", dumped, {}, {}, {}, tokens()};
  report.judgement = port::judge(report.given, steps, {}, {}, {});
  std::ostringstream text;
  port::write_text(text, report);
  require_clean(text.view(), "a report on a dump");
  std::ostringstream json;
  render::JsonWriter writer(json);
  port::write_json(writer, report);
  require_clean(json.view(), "its JSON");
  require(nlohmann::json::accept(json.view()), "its JSON is JSON");
  std::ostringstream html;
  const std::vector<const port::Report*> reports = {&report};
  port::write_html(html, reports, "1.0");
  require_clean(html.view(), "its page");
}

}  // namespace

void dump(std::string_view bytes) {
  for (const char* name : {"attn_weights.csv", "attn_weights.npy", "dump.npz", "dump.safetensors"}) {
    try {
      const std::vector<dump::Dumped> dumped = dump::parse(name, bytes);
      std::ranges::for_each(dumped, check);
      check_report(dumped);
    } catch (const dump::DumpError& error) {
      require_error_line(error);
    }
  }
}

}  // namespace attn::fuzz
