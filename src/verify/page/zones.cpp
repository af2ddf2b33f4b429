#include "verify/page/page.hpp"

#include <optional>

#include "text/lines.hpp"
#include "text/utf8.hpp"

namespace attn::verify {
namespace {

bool is_any_of(char c, std::string_view all) { return all.find(c) != npos; }

/// Returns true for "torch.matmul("; not for torch.Size( and np.float32(, which are printed.
bool has_library_call(std::string_view line) {
  for (std::size_t open = line.find('('); open != npos; open = line.find('(', open + 1)) {
    const std::string_view before = line.substr(0, open);
    const auto is_apart = [](char c) { return !is_name_part(c) && c != '.'; };
    const auto begin = std::find_if(before.rbegin(), before.rend(), is_apart).base() - before.begin();
    const std::string_view path = before.substr(static_cast<std::size_t>(begin));
    const std::string_view library = leading_name(path);
    const std::string_view function = without_leading(path.substr(library.size()), ".");
    if (is_among(library, "torch np numpy jnp jax mx tf nn F") && !function.empty() && function.front() >= 'a' &&
        !is_among(leading_name(function), "float32 float64 int32 int64 return_types")) {
      return true;
    }
  }
  return false;
}

/// Returns true if the line starts with a statement's keyword followed by a name.
bool begins_statement(std::string_view line) {
  const std::string_view word = leading_name(line);
  const std::string_view after = without_indent(line.substr(word.size()));
  const std::string_view name = leading_name(after);
  const std::string_view rest = without_indent(after.substr(name.size()));
  const bool goes_on = rest.empty() || is_any_of(rest.front(), "(=.:;,>{") || is_among(leading_name(rest), "as do");
  return word == "from" ? line.find(" import ") != npos
                        : !name.empty() && goes_on && is_among(word, "import def let fn const function");
}

/// Returns true for "Q = tensor([", as print("Q =", Q) shows it, also in torch.max's pairs: a program writes
/// torch.tensor.
bool begins_printed_result(std::string_view line) {
  const std::string_view after = line.substr(leading_name(line).size());
  return line.starts_with("torch.return_types.") ||
         (after.find('=') < 2 && without_leading(after, " =").starts_with("tensor(["));
}

/// Divides a program into code, comments, and lists between its statements: output that was pasted there or that a text
/// shows below the code.
class CodeZones {
 public:
  explicit CodeZones(Zones& zones) : zones_(zones) {}

  /// Adds the program's next line, without its end, which begins at this offset of the page.
  void add_line(std::size_t begin, std::string_view line) {
    if (closing_.empty()) {
      begin_line(begin, line);
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const std::string_view rest = line.substr(i);
      if (!closing_.empty()) {
        if (rest.starts_with(closing_)) {
          i += std::exchange(closing_, {}).size() - 1;
          zones_.add(begin + i + 1, Zone::code);
        }
      } else if (rest.starts_with(R"(""")") || rest.starts_with("'''")) {
        zones_.add(begin + i, Zone::comment);
        closing_ = rest.substr(0, 3);
        i += closing_.size() - 1;
      } else if ((i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t') && (c == '#' || rest.starts_with("//"))) {
        zones_.add(begin + i, Zone::comment);
        return;
      } else {
        depth_ += is_any_of(c, "([{") ? 1U : 0U;
        depth_ -= is_any_of(c, ")]}") && depth_ > 0 ? 1U : 0U;
      }
    }
  }

  bool in_statement() const { return depth_ > 0 || !closing_.empty(); }

 private:
  void begin_line(std::size_t begin, std::string_view line) {
    if (!line.empty() && (text::is_letter(line.front()) || line.front() == '@')) {
      depth_ = 0;  // recovers from miscounted brackets
    }
    if (depth_ == 0) {
      in_list_ = begins_printed_result(line) || (!goes_on_ && without_indent(line).starts_with('['));
    }
    const std::string_view words = without_trailing(line, " \t\r");
    goes_on_ = words.empty() ? goes_on_ : is_any_of(words.back(), "=\\,(+-*/|&<");
    zones_.add(begin, in_list_ ? Zone::output : Zone::code);
  }

  Zones& zones_;
  std::size_t depth_ = 0;     ///< number of open brackets
  std::string_view closing_;  ///< the end marker of the open string
  bool in_list_ = false;      ///< within a list that is output
  bool goes_on_ = false;      ///< the last line's end does not end a statement
};

/// Returns true if a line can only belong to a program.
bool is_code_line(std::string_view line) {
  line = without_leading(line, "0123456789 \t");  // numbers of a listing's lines
  return begins_statement(line) || line.starts_with("print(") || has_library_call(line);
}

/// The opening or closing fence on a line.
struct Fence {
  std::string_view marks;
  std::string_view info;  ///< the language
};

std::optional<Fence> find_fence(std::string_view line) {
  const std::string_view text = without_leading(line, " \t>|");
  if (!text.starts_with("```") && !text.starts_with("~~~")) {
    return std::nullopt;
  }
  const std::string_view marks = text.substr(0, text.find_first_not_of(text.front()));
  const std::string_view info = without_leading(text.substr(marks.size()), " \t{.");
  const bool is_inline = info.find('`') != npos;
  return is_inline ? std::nullopt : std::optional(Fence{marks, info.substr(0, info.find_first_of(" \t\r}=,"))});
}

/// What a block of that language holds: Zone::prose is data.
Zone zone_of(std::string_view info) {
  const std::string name = text::lower(info);
  return is_among(name, "css csv diff dot html json latex math mermaid svg toml xml yaml yml") ? Zone::prose
         : name.empty() ||
                 is_among(name, "bash console log none out output plain plaintext sh shell stdout terminal text txt")
             ? Zone::output
             : Zone::code;
}

class ZoneFinder {
 public:
  explicit ZoneFinder(std::string_view text) : text_(text) {}

  Zones find(const std::vector<Part>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      add_part(parts[i].kind, parts[i].begin, i + 1 < parts.size() ? parts[i + 1].begin : text_.size());
    }
    return std::move(zones_);
  }

 private:
  void add_part(Part::Kind kind, std::size_t begin, std::size_t end) {
    const auto is_fence = [](std::string_view line) { return find_fence(line).has_value(); };
    if (kind == Part::Kind::markdown || (kind == Part::Kind::text && any_line(begin, end, is_fence))) {
      add_markdown(begin, end);
    } else if (kind == Part::Kind::text || kind == Part::Kind::block) {
      add_block(begin, end, Zone::output);
    } else if (kind == Part::Kind::script) {
      add_program(begin, end, false);
    } else {
      zones_.add(begin, kind == Part::Kind::output ? Zone::output : Zone::prose);
    }
  }

  std::string_view line_at(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, std::min(text_.find('\n', begin), end) - begin);
  }

  template <class Condition>
  bool any_line(std::size_t begin, std::size_t end, Condition condition) const {
    for (std::string_view line; begin < end; begin += line.size() + 1) {
      line = line_at(begin, end);
      if (condition(line)) {
        return true;
      }
    }
    return false;
  }

  void add_markdown(std::size_t begin, std::size_t end) {
    zones_.add(begin, Zone::prose);
    std::optional<Fence> open;  // of the open block; without marks: an indented one
    std::size_t content = begin;
    bool after_blank = true;
    const auto close = [&](std::size_t at) {
      add_block(content, at, zone_of(std::exchange(open, {})->info));
      zones_.add(at, Zone::prose);
    };
    for (std::string_view line; begin < end; begin += line.size() + 1) {
      line = line_at(begin, end);
      const std::optional<Fence> fence = find_fence(line);
      const bool is_blank = without_leading(line, " \t\r").empty();
      const bool is_indented = line.starts_with("    ") || line.starts_with('\t');
      if (open && !open->marks.empty()) {
        fence && fence->marks.starts_with(open->marks) && fence->info.empty() ? close(begin) : void();
        continue;
      }
      if (open && (fence || (!is_blank && !is_indented))) {
        close(begin);
      }
      if (fence || (!open && after_blank && !is_blank && is_indented)) {
        open = fence.value_or(Fence{});
        content = fence ? std::min(begin + line.size() + 1, end) : begin;
      }
      after_blank = is_blank;
    }
    open ? close(end) : void();
  }

  /// Adds a listing, an output or a session at a prompt.
  void add_block(std::size_t begin, std::size_t end, Zone zone) {
    const bool session =
        zone != Zone::prose && any_line(begin, end, [](std::string_view line) { return prompt_length(line) > 0; });
    if (session || zone == Zone::code || (zone == Zone::output && any_line(begin, end, is_code_line))) {
      add_program(begin, end, session);
    } else {
      zones_.add(begin, zone);
    }
  }

  /// Adds a listing; in a session, only lines with a prompt and what continues them are code.
  void add_program(std::size_t begin, std::size_t end, bool session) {
    CodeZones code(zones_);
    bool statement = !session;
    for (std::string_view line; begin < end; begin += line.size() + 1) {
      line = line_at(begin, end);
      std::size_t prompt = session ? prompt_length(line) : 0;
      if (session && prompt == 0 && statement) {
        prompt = continuation_length(line);
        statement = prompt > 0 || code.in_statement();
      } else {
        statement = prompt > 0 || !session;
      }
      statement ? code.add_line(begin + prompt, line.substr(prompt)) : zones_.add(begin, Zone::output);
    }
  }

  std::string_view text_;
  Zones zones_;
};

}  // namespace

void Zones::add(std::size_t begin, Zone zone) {
  if (zones_.empty() || zones_.back().second != zone) {
    zones_.emplace_back(begin, zone);
  }
}

Zone Zones::at(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(zones_, offset, {}, &std::pair<std::size_t, Zone>::first);
  return after == zones_.begin() ? Zone::prose : (after - 1)->second;
}

Zones find_zones(const Page& page) { return ZoneFinder(page.text()).find(page.parts()); }

std::size_t prompt_length(std::string_view line) {
  constexpr std::size_t longest = 16;
  const std::string_view text = without_indent(line);
  const std::string_view near = text.substr(0, longest);
  const std::string_view end = near.starts_with(">>> ") ? ">>> " : "]: ";
  const std::size_t at = near.starts_with(">>> ") || near.starts_with("In [") ? near.find(end) : npos;
  return at == npos ? 0 : line.size() - text.size() + at + end.size();
}

std::size_t continuation_length(std::string_view line) {
  const std::string_view text = without_indent(line);
  const bool python = text == "..." || text.starts_with("... ");
  return python || text.starts_with("...: ") ? line.size() - text.size() + (python ? 3 : 4) : 0;
}

}  // namespace attn::verify
