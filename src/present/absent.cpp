// A build with -DATTN_PRESENTER=OFF has this file in the place of those that draw on a terminal.
#include "present/presenter.hpp"

namespace attn::present {

void require_terminal() {
  throw NoTerminal("--step: this program was built without the presenter; try --format html -o lesson.html");
}

void present(std::span<const Presentation>, render::Colours) { require_terminal(); }

}  // namespace attn::present
