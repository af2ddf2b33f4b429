#include "verify/read/zones.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "text/lines.hpp"
#include "verify/read/code_zones.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/prompt.hpp"

namespace attn::verify {
namespace {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == npos; }

bool is_indented(std::string_view line) { return line.starts_with("    ") || line.starts_with('\t'); }

/// The opening or closing fence on a line.
struct Fence {
  char mark = '`';
  std::size_t size = 0;
  std::string_view info;  ///< the language
};

std::optional<Fence> find_fence(std::string_view line) {
  const std::string_view text = without_leading(line, " \t>|");
  if (!text.starts_with("```") && !text.starts_with("~~~")) {
    return std::nullopt;
  }
  Fence fence{text.front(), std::min(text.find_first_not_of(text.front()), text.size()), {}};
  const std::string_view after = without_leading(text.substr(fence.size), " \t{.");
  fence.info = after.substr(0, after.find_first_of(" \t\r}=,"));
  return after.find('`') == npos ? std::optional(fence) : std::nullopt;
}

enum class Language { data, output, code };

Language language_of(std::string_view info) {
  const std::string name = text::lower(info);
  if (is_among(name, "css csv diff dot html json latex math mermaid svg toml xml yaml yml")) {
    return Language::data;
  }
  const bool is_output = name.empty() || is_among(name,
                                                  "bash console log none out output plain plaintext sh shell stdout"
                                                  " terminal text txt");
  return is_output ? Language::output : Language::code;
}

class ZoneFinder {
 public:
  explicit ZoneFinder(std::string_view text) : text_(text) {}

  Zones find(const std::vector<Part>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t end = i + 1 < parts.size() ? parts[i + 1].begin : text_.size();
      add_part(parts[i].kind, parts[i].begin, end);
    }
    return std::move(zones_);
  }

 private:
  void add_part(Part::Kind kind, std::size_t begin, std::size_t end) {
    switch (kind) {
      case Part::Kind::text: add_text(begin, end); break;
      case Part::Kind::markdown: add_markdown(begin, end); break;
      case Part::Kind::prose: zones_.add(begin, Zone::prose); break;
      case Part::Kind::block: add_block(begin, end, Language::output); break;
      case Part::Kind::script: add_code(begin, end); break;
      case Part::Kind::output: zones_.add(begin, Zone::output); break;
    }
  }

  /// Calls back with each line's offset and text; stops when the callback returns false.
  template <class Use>
  void each_line(std::size_t begin, std::size_t end, Use use) const {
    while (begin < end) {
      const std::size_t line_end = std::min(text_.find('\n', begin), end);
      if (!use(begin, text_.substr(begin, line_end - begin))) {
        return;
      }
      begin = line_end + 1;
    }
  }

  template <class Condition>
  bool any_line(std::size_t begin, std::size_t end, Condition condition) const {
    bool found = false;
    each_line(begin, end, [&](std::size_t, std::string_view line) {
      found = condition(line);
      return !found;
    });
    return found;
  }

  void add_text(std::size_t begin, std::size_t end) {
    if (any_line(begin, end, [](std::string_view line) { return find_fence(line).has_value(); })) {
      add_markdown(begin, end);
    } else {
      add_block(begin, end, Language::output);
    }
  }

  void add_markdown(std::size_t begin, std::size_t end) {
    zones_.add(begin, Zone::prose);
    std::optional<Fence> open;
    std::size_t content = begin;  // content of the open fence or indented block
    bool indented = false;
    bool after_blank = true;
    each_line(begin, end, [&](std::size_t at, std::string_view line) {
      const std::size_t next = std::min(at + line.size() + 1, end);
      const std::optional<Fence> fence = find_fence(line);
      if (open) {
        if (fence && fence->mark == open->mark && fence->size >= open->size && fence->info.empty()) {
          add_block(content, at, language_of(open->info));
          zones_.add(at, Zone::prose);
          open.reset();
        }
        return true;
      }
      const bool ends_indented = indented && !is_blank(line) && !is_indented(line);
      if (ends_indented || (indented && fence)) {
        add_block(content, at, Language::output);
        zones_.add(at, Zone::prose);
        indented = false;
      }
      if (fence) {
        open = fence;
        content = next;
      } else if (!indented && after_blank && !is_blank(line) && is_indented(line)) {
        indented = true;
        content = at;
      }
      after_blank = is_blank(line);
      return true;
    });
    if (open || indented) {
      add_block(content, end, open ? language_of(open->info) : Language::output);
    }
  }

  /// Adds a listing, an output or a session at a prompt.
  void add_block(std::size_t begin, std::size_t end, Language language) {
    if (language == Language::data) {
      zones_.add(begin, Zone::prose);
    } else if (any_line(begin, end, [](std::string_view line) { return prompt_length(line) > 0; })) {
      add_session(begin, end);
    } else if (language == Language::code || any_line(begin, end, is_code_line)) {
      add_code(begin, end);
    } else {
      zones_.add(begin, Zone::output);
    }
  }

  void add_code(std::size_t begin, std::size_t end) {
    CodeZones code(zones_);
    each_line(begin, end, [&](std::size_t at, std::string_view line) {
      code.add_line(at, line);
      return true;
    });
  }

  void add_session(std::size_t begin, std::size_t end) {
    CodeZones code(zones_);
    bool statement = false;
    each_line(begin, end, [&](std::size_t at, std::string_view line) {
      std::size_t prompt = prompt_length(line);
      if (prompt == 0 && statement) {
        prompt = continuation_length(line);
        statement = prompt > 0 || code.in_statement();
      } else {
        statement = prompt > 0;
      }
      if (statement) {
        code.add_line(at + std::min(prompt, line.size()), line.substr(std::min(prompt, line.size())));
      } else {
        zones_.add(at, Zone::output);
      }
      return true;
    });
  }

  std::string_view text_;
  Zones zones_;
};

}  // namespace

void Zones::add(std::size_t begin, Zone zone) {
  if (!begins_.empty() && begins_.back() >= begin) {
    begins_.pop_back();
    zones_.pop_back();
  }
  if (zones_.empty() || zones_.back() != zone) {
    begins_.push_back(static_cast<std::uint32_t>(begin));
    zones_.push_back(zone);
  }
}

Zone Zones::at(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(begins_, offset);
  return after == begins_.begin() ? Zone::prose : zones_[static_cast<std::size_t>(after - begins_.begin()) - 1];
}

bool Zones::have(Zone zone) const { return std::ranges::find(zones_, zone) != zones_.end(); }

Zones find_zones(const Page& page) { return ZoneFinder(page.text()).find(page.parts()); }

}  // namespace attn::verify
