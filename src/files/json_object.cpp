#include "files/json_object.hpp"

#include "files/file.hpp"
#include "files/wrong.hpp"

namespace attn::files {

nlohmann::json json_object(const std::filesystem::path& path, const std::set<std::string>& left_out) {
  using nlohmann::json;
  constexpr std::size_t most = std::size_t{1} << 26U;
  const Bytes bytes(path);
  if (bytes.size() > most) {
    throw Wrong("it has more than 64 MiB", "see that it is the right file", "it must be a short JSON file");
  }
  const auto is_kept = [&](int /*depth*/, json::parse_event_t event, const json& value) {
    return event != json::parse_event_t::key || !left_out.contains(value.get_ref<const std::string&>());
  };
  json parsed =
      json::parse(bytes.piece(0, bytes.size()), left_out.empty() ? nullptr : json::parser_callback_t(is_kept), false);
  if (!parsed.is_object()) {
    throw Wrong("it is not a JSON object", "see that it is the model's own file", "it must be JSON");
  }
  return parsed;
}

}  // namespace attn::files
