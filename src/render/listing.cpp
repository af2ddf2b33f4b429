#include <ostream>

#include "lesson/frame.hpp"
#include "lesson/printed.hpp"
#include "picture/heatmap.hpp"
#include "render/writers.hpp"

namespace attn::render {
namespace {

/// Writes the article's label, the tensor as coloured cells, and its explanation.
void write_step_heatmap(std::ostream& out, const Step& step, const ShownChapter& chapter, const Document& document) {
  const std::string title = step.label.empty() ? step.name : step.label;
  out << title << (title.ends_with('\n') ? "" : "\n");
  write_heatmap(out, {*step.tensor, chapter.tokens, document.text.print, document.terminal});
  if (document.explain) {
    write_explanation(out, explain(step, chapter.why, chapter.tokens), document.text.print.linewidth);
  }
  out << '\n';
}

void write_remarks(std::ostream& out, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    out << (line.empty() ? "#" : "# ") << line << '\n';
  }
}

void write_steps(std::ostream& out, std::span<const Step> steps, const ShownChapter& chapter,
                 const Document& document) {
  if (document.explain) {
    write_explained_text(out, steps, chapter.why, chapter.tokens, document.text);
  } else {
    write_text(out, steps, document.text);
  }
}

/// Writes tensors as heat maps and the steps between them as text.
void write_heatmaps(std::ostream& out, const ShownChapter& chapter, const Document& document) {
  const std::span<const Step> steps = chapter.steps;
  std::size_t first = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == Step::Kind::tensor) {
      write_steps(out, steps.subspan(first, i - first), chapter, document);
      write_step_heatmap(out, steps[i], chapter, document);
      first = i + 1;
    }
  }
  write_steps(out, steps.subspan(first), chapter, document);
}

/// Writes the steps and, if they are explained, the chapter's frame.
void write_chapter(std::ostream& out, const ShownChapter& chapter, const Document& document) {
  constexpr std::int64_t mark = 2;  // "# "
  const std::int64_t width = document.text.print.linewidth - mark;
  std::optional<Frame> frame;
  if (document.explain && chapter.framing) {
    frame = frame_of(chapter.framing(chapter.all_steps), chapter.all_steps, chapter.tokens);
    write_remarks(out, opening_lines(*frame, width));
  }
  if (document.heatmap) {
    write_heatmaps(out, chapter, document);
  } else {
    write_steps(out, chapter.steps, chapter, document);
  }
  if (frame) {
    write_remarks(out, ending_lines(*frame, width));
  }
}

}  // namespace

void write_listing(std::ostream& out, const Document& document) {
  for (const ShownChapter& chapter : document.chapters) {
    if (document.chapters.size() > 1) {
      out << "# " << chapter.name << '\n';
    }
    if (document.cell) {
      out << derivation_text(chapter.all_steps, *document.cell, document.depth, chapter.tokens, document.text.print);
    } else if (const ShownWhatIf* const what_if = asked_what_if(chapter)) {
      write_compared(out, chapter.steps, what_if->steps, what_if->did, document.text);
    } else {
      write_chapter(out, chapter, document);
    }
  }
}

}  // namespace attn::render
