#include "verify/report/document.hpp"

#include <ostream>

#include "lesson/derivation.hpp"
#include "text/lines.hpp"

namespace attn::verify {

/// The files of src/verify/report/page, embedded as strings by embed.cmake.
namespace report_page {
extern const std::string_view report_html;
extern const std::string_view report_css;
extern const std::string_view report_js;
}  // namespace report_page

using render::escaped;
using render::verbatim;
using render::write_filled;

namespace {

constexpr std::int64_t most_cells = 1'000;

std::string section_id(std::size_t section) { return "page-" + std::to_string(section + 1); }

void write_verdict(std::ostream& out, const Tint& tint) {
  out << "<span class=\"verdict " << tint.style << "\">";
  write_visible(out, tint.words);
  out << "</span>";
}

void write_items(std::ostream& out, const std::vector<ListItem>& items, std::size_t section) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ListItem& item = items[i];
    out << "<li><a href=\"#" << tensor_id(section, i) << "\">";
    write_visible(out, item.place);
    out << "</a> ";
    write_visible(out, item.words + " ");
    write_verdict(out, item.tint);
    if (!item.details.empty()) {
      out << "<div class=\"detail\">";
      write_visible(out, item.details);
      out << "</div>";
    }
    out << "</li>\n";
  }
}

}  // namespace

std::string Derivations::of(const render::Cell& cell, const std::string& step_words,
                            std::span<const std::string> tokens) {
  if (left_ == 0 || element_count(cell.step->tensor->shape()) > most_cells) {
    return step_words;
  }
  --left_;
  return step_words + '\n' + render::derivation_text(cell, 1, tokens, {});
}

void write_visible(std::ostream& out, std::string_view text) { render::write_escaped(out, text::visible(text)); }

void write_tensor(std::ostream& out, const std::string& id, const Tint& tint, const std::function<void()>& write_text) {
  out << "<span class=\"tensor " << tint.style << "\" id=\"" << id << "\" tabindex=\"0\">";
  write_text();
  out << "</span><span class=\"said\">";
  write_verdict(out, tint);
  out << "</span>";
}

void write_cell(std::ostream& out, CellTint tint, std::string_view words, const std::function<void()>& write_text) {
  out << "<span class=\"cell"
      << (tint == CellTint::wrong   ? " wrong"
          : tint == CellTint::close ? " close"
                                    : "")
      << "\" title=\"";
  write_visible(out, words);
  out << "\">";
  write_text();
  out << "</span>";
}

std::string tensor_id(std::size_t section, std::size_t tensor) {
  return section_id(section) + "-" + std::to_string(tensor + 1);
}

void write_document(std::ostream& out, const std::string& title, std::span<const Tint> key,
                    std::span<const Section> sections, const std::string& version) {
  const render::Cut page = render::cut_out(std::string(report_page::report_html), "page");
  const auto write_key = [&](std::ostream& to) {
    for (const Tint& tint : key) {
      to << "<span class=\"" << tint.style << "\">" << tint.words << "</span> ";
    }
  };
  const auto write_sections = [&](std::ostream& to) {
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const Section& one = sections[i];
      write_filled(to, page.inner,
                   {{"id", verbatim(section_id(i))},
                    {"name", escaped(one.name)},
                    {"summary", escaped(text::visible(one.summary))},
                    {"open", verbatim(one.is_open ? " open" : "")},
                    {"caption", escaped(one.caption)},
                    {"findings", [&](std::ostream& list) { write_items(list, one.findings, i); }},
                    {"text", one.text}});
    }
  };
  write_filled(out, page.rest,
               {{"title", escaped(title)},
                {"version", escaped(version)},
                {"style", verbatim(report_page::report_css)},
                {"script", verbatim(report_page::report_js)},
                {"key", write_key},
                {"page", write_sections}});
}

}  // namespace attn::verify
