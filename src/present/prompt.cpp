#include "present/prompt.hpp"

#include <algorithm>

#include "text/columns.hpp"
#include "text/lines.hpp"
#include "text/styled.hpp"
#include "text/utf8.hpp"

namespace attn::present {
namespace {

using Kind = Key::Kind;

bool is_arrow(Kind kind) { return kind == Kind::up || kind == Kind::down || kind == Kind::left || kind == Kind::right; }

}  // namespace

Prompt::Answer Prompt::ask(const std::string& question, std::string typed, bool takes_arrows) {
  for (;;) {
    draw(question, typed, takes_arrows);
    const Key key = screen_.wait_for_key();
    switch (key.kind) {
      case Kind::enter: return {std::string(text::trimmed(typed))};
      case Kind::closed: closed_ = true; [[fallthrough]];
      case Kind::escape: return {};
      case Kind::resumed:
      case Kind::resize: stage_.refresh(); break;
      case Kind::backspace: text::drop_last_character(typed); break;
      case Kind::character:
        if (typed.size() < 1000) {
          text::append_utf8(typed, key.character);
        }
        break;
      default:
        if (takes_arrows && typed.empty() && (is_arrow(key.kind) || key.kind == Kind::tab)) {
          return {.text = {}, .is_arrow = true};
        }
    }
  }
}

void Prompt::draw(const std::string& question, const std::string& typed, bool takes_arrows) {
  const std::string line = question + typed;
  const std::int64_t columns = text::display_columns(line);
  const std::int64_t cut = std::max<std::int64_t>(columns + 1 - screen_.columns(), 0);
  const std::string also = takes_arrows && typed.empty() ? " or arrows" : "";
  stage_.draw(text::plain_text(text::sliced({{line + also}}, cut, screen_.columns())), columns - cut);
}

}  // namespace attn::present
