// UTF-8, columns, lines, numbers and styled text.

#include "text/lines.hpp"

#include "text/numbers.hpp"
#include "text/styled.hpp"
#include "text/utf8.hpp"
#include "unit.hpp"

namespace {

using namespace attn;

using Strings = std::vector<std::string>;

std::string escaped_lines(const std::vector<text::StyledLine>& lines) {
  std::string all;
  for (const text::StyledLine& line : lines) {
    all += text::with_escapes(line) + "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("characters are decoded, and invalid bytes one by one") {
  for (const char32_t code : {U'a', U'\u00e9', U'\u20ac', U'\ufffd', U'\uffff', U'\U0001f642', U'\U0010ffff'}) {
    std::string utf8;
    text::append_utf8(utf8, code);
    const text::Character character = text::first_character(utf8 + "x");
    CHECK(character.valid);
    CHECK(character.code == code);
    CHECK(character.size == utf8.size());
  }
  CHECK(text::first_character(std::string_view("\0", 1)).valid);
  for (const std::string_view broken :
       {"\x80", "\xff", "\xc3", "\xc3x", "\xc0\xaf", "\xe0\x80\x80", "\xe2\x82", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"}) {
    const text::Character character = text::first_character(broken);
    CHECK_FALSE(character.valid);
    CHECK(character.size == 1);
    CHECK(character.code == static_cast<unsigned char>(broken[0]));
  }
  std::string nothing;
  text::append_utf8(nothing, 0xd800);
  text::append_utf8(nothing, 0x110000);
  CHECK(nothing.empty());
}

TEST_CASE("the last character is removed as a whole") {
  std::string typed = "aé注";
  for (const char* left : {"aé", "a", "", ""}) {
    text::drop_last_character(typed);
    CHECK(typed == left);
  }
}

TEST_CASE("columns are counted as a terminal shows them") {
  CHECK(text::display_columns("") == 0);
  CHECK(text::display_columns("step") == 4);
  CHECK(text::display_columns("naïve") == 5);
  CHECK(text::display_columns("nai\u0308ve") == 5);
  CHECK(text::display_columns("注意") == 4);
  CHECK(text::display_columns("ﾊﾝｶｸ") == 4);
  CHECK(text::display_columns("한국어") == 6);
  CHECK(text::display_columns("🙂") == 2);
  CHECK(text::display_columns("▁█…") == 3);
  CHECK(text::display_columns("\x1b\x7f\u0085\xff") == 4);
  CHECK(text::cluster_size("i\u0308v") == 3);
  CHECK(text::cluster_size("") == 0);
  CHECK(text::beginning("注意力", 5) == "注意");
  CHECK(text::beginning("i\u0308v", 1) == "i\u0308");
  CHECK(text::right_aligned("注", 4) == "  注");
  CHECK(text::left_aligned("注", 4) == "注  ");
  CHECK(text::left_aligned("step", 2) == "step");
}

TEST_CASE("text is trimmed, split and wrapped") {
  CHECK(text::trimmed(" \ta b\r\n") == "a b");
  CHECK(text::trimmed(" \n") == "");
  CHECK(text::lower("Ab Ä") == "ab Ä");
  CHECK(text::lines_of("a\n\nb\n") == Strings{"a", "", "b"});
  CHECK(text::lines_of("").empty());
  CHECK(text::wrapped("one two three", 7) == Strings{"one two ", "three"});
  CHECK(text::wrapped("abcdef", 4) == Strings{"abcd", "ef"});
  CHECK(text::wrapped("私は学生", 5) == Strings{"私は", "学生"});
  CHECK(text::wrapped("one two three ", 9, "- ", "  ") == Strings{"- one two", "  three"});
  CHECK(text::joined(Strings{"a", "b"}, "\n") == "a\nb");
  CHECK(text::split("a,,b") == Strings{"a", "", "b"});
}

TEST_CASE("nearest finds a candidate that contains the word, or a similar one") {
  const std::vector<std::string> steps = {"dropout_attn_weights", "attn_weights", "context_vecs"};
  CHECK(text::nearest("weights", steps) == "attn_weights");
  CHECK(text::nearest("Context", steps) == "context_vecs");
  CHECK(text::nearest("xt", steps).empty());
  CHECK(text::nearest("--heads", std::vector<std::string>{"--seed-it", "--num-heads"}) == "--num-heads");
  const Strings names = {"simplified", "trainable", "causal", "dropout"};
  CHECK(text::nearest("causal", names) == "causal");
  CHECK(text::nearest("casual", names) == "causal");
  CHECK(text::nearest("causa", names) == "causal");
  CHECK(text::nearest("dropouts", names) == "dropout");
  CHECK(text::nearest("trianable", names) == "trainable");
  CHECK(text::nearest("quantisation", names) == "");
  CHECK(text::nearest("--completion", Strings{"--precision", "--depth"}) == "");
  CHECK(text::nearest("--precison", Strings{"--precision", "--depth"}) == "--precision");
  CHECK(text::nearest("x", Strings{"on", "y"}) == "");
  CHECK(text::nearest("", names) == "");
  CHECK(text::nearest("causal", {}) == "");
  CHECK(text::nearest(std::string(100'000, 'x'), names) == "");
  const Strings twins = {"ab", "ac"};
  CHECK(text::nearest("ad", twins) == "ab");
}

TEST_CASE("one_line has no control characters and only UTF-8") {
  CHECK(text::one_line("plain text") == "plain text");
  CHECK(text::one_line("") == "");
  CHECK(text::one_line("a\nb\r\tc") == "a\\x0ab\\x0d\\x09c");
  CHECK(text::one_line("\x1b[31m\x7f") == "\\x1b[31m\\x7f");
  CHECK(text::one_line(std::string_view("\0", 1)) == "\\x00");
  CHECK(text::one_line("Z\xc3\xbcrich") == "Z\xc3\xbcrich");
  CHECK(text::one_line("a\xff") == "a\\xff");
  CHECK(text::one_line("\x9b"
                       "31m") == "\\x9b31m");
  CHECK(text::one_line("\xc3") == "\\xc3");
  CHECK(text::one_line("\xc2\x9b"
                       "31m") == "\\xc2\\x9b31m");
}

TEST_CASE("numbers are written and read independently of the locale") {
  CHECK(text::number_text(0.23789) == "0.2379");
  CHECK(text::number_text(1.2e-7) == "1.2000e-07");
  CHECK(text::factor_text(1.25) == "1.25");
  CHECK(text::shortest_text(0.1F) == "0.1");
  CHECK(text::shortest_text(std::int64_t{-7}) == "-7");
  CHECK(text::float_text(-std::numeric_limits<float>::infinity()) == "-inf");
  CHECK(text::number_of<double>("1.5e1") == 15);
  CHECK_FALSE(text::number_of<double>("1.5 ").has_value());
  CHECK_FALSE(text::number_of<std::int64_t>("").has_value());
}

TEST_CASE("styled lines are cut by columns and keep their styles") {
  const text::Style loud = {.foreground = 200, .bold = true};
  const text::StyledLine line = {{"a"}, {"bc", loud}, {"d"}};
  CHECK(text::display_columns(line) == 4);
  CHECK(text::plain_text(line) == "abcd");
  const text::StyledLine cut = text::sliced(line, 1, 2);
  CHECK(text::plain_text(cut) == "bc");
  CHECK(text::with_escapes(cut) == "\x1b[1;38;5;200mbc\x1b[0m");
  CHECK(text::plain_text(text::sliced({{"日本"}}, 1, 2)) == "  ");
}

TEST_CASE("escape codes begin each styled run, and no style remains active") {
  const text::Style cell = {.foreground = 16, .background = text::Rgb{1, 2, 3}};
  CHECK(text::with_escapes({{"a"}, {"b"}}) == "ab");
  CHECK(text::with_escapes({{"a", cell}, {"b", cell}, {"c"}}) ==
        "\x1b[48;2;1;2;3;38;5;16ma\x1b[48;2;1;2;3;38;5;16mb\x1b[0mc");
  CHECK(text::with_escapes({{"a", {.reverse = true}}, {"b", {.bold = true}}}) == "\x1b[7ma\x1b[0m\x1b[1mb\x1b[0m");
  text::StyledLine line;
  text::append(line, "a", cell);
  text::append(line, "b", cell);
  text::append(line, "  ");
  CHECK(line.size() == 2);
  CHECK(text::without_blank_end(line).size() == 1);
  CHECK(text::plain_text(text::without_blank_end({{"  ", cell}, {" "}})) == "  ");
}

TEST_CASE("the middle of a wide text is left out") {
  CHECK(text::shortened("0123456789", 10) == "0123456789");
  CHECK(text::shortened("0123456789", 8) == "012...89");
  CHECK(text::shortened("日本語日本語", 8) == "日...語");
}

TEST_CASE("the lines of a text are in one style") {
  const text::Style reverse = {.reverse = true};
  CHECK(escaped_lines(text::styled_lines("a\nb", reverse)) == "\x1b[7ma\x1b[0m\n\x1b[7mb\x1b[0m\n");
  CHECK(text::styled_lines("").empty());
}
