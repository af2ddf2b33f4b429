#include "verify/program/ran.hpp"

#include <array>
#include <iterator>

#include "text/lines.hpp"
#include "text/utf8.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t deepest_tree = 300;
constexpr std::size_t deepest_brackets = 60;
constexpr std::size_t deepest_block = 40;

struct Token {
  enum class Kind { name, number, string, sign, end };
  Kind kind = Kind::end;
  std::string_view text = {};  ///< as it is written
};

bool is_in(std::string_view signs, char c) { return signs.find(c) != npos; }
bool is_word(char c) { return is_name_part(c) || (static_cast<unsigned char>(c) & 0x80U) != 0; }

/// How a bracket changes the depth.
int deeper_by(char c) { return is_in("([{", c) ? 1 : is_in(")]}", c) ? -1 : 0; }

/// A string's quotes: """ or '.
std::string_view quotes_at(std::string_view text, std::size_t at) {
  return text.substr(at, text.substr(at, 3) == std::string(3, text[at]) ? 3 : 1);
}

std::size_t string_end(std::string_view text, std::size_t quote) {
  const std::string_view closing = quotes_at(text, quote);
  for (std::size_t end = quote + closing.size(); end < text.size(); end += text[end] == '\\' ? 2U : 1U) {
    if (text.substr(end, closing.size()) == closing) {
      return end + closing.size();
    }
  }
  throw Stopped{};
}

/// The end of a word or a number.
std::size_t word_end(std::string_view text, bool is_number) {
  const bool has_exponent = is_number && !text.starts_with("0x");
  std::size_t end = 0;
  while (end < text.size() && (is_word(text[end]) || (is_number && text[end] == '.') ||
                               (has_exponent && is_in("+-", text[end]) && is_in("eE", text[end - 1])))) {
    ++end;
  }
  return end;
}

/// The token that the text begins with.
Token token_of(std::string_view text) {
  constexpr std::string_view signs =
      "... **= //= <<= >>= ** // == != <= >= -> := += -= *= /= @= %= |= &= ^= << >> "
      "[ ] { } ( ) . , : ; + - * / @ % = < > ~ & | ^";
  const std::size_t quote = text.find_first_not_of("rRbBfFuU");
  if (quote <= 2 && is_in("\"'", text[quote])) {
    return {Token::Kind::string, text.substr(0, string_end(text, quote))};
  }
  const bool is_number = text::is_digit(text[0]) || (text[0] == '.' && text.size() > 1 && text::is_digit(text[1]));
  if (is_number || is_word(text[0])) {
    return {is_number ? Token::Kind::number : Token::Kind::name, text.substr(0, word_end(text, is_number))};
  }
  for (const std::size_t size : {3U, 2U, 1U}) {
    if (is_among(text.substr(0, size), signs) && !is_in(text.substr(0, size), ' ')) {
      return {Token::Kind::sign, text.substr(0, size)};
    }
  }
  throw Stopped{};
}

/// The tokens of one logical line, and two that end it.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  while (!(text = without_leading(text, " \t\n\r")).empty()) {
    tokens.push_back(token_of(text));
    text.remove_prefix(tokens.back().text.size());
  }
  tokens.resize(tokens.size() + 2);
  return tokens;
}

std::string unescaped(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool may_be = text[i] == '\\' && i + 1 < text.size();
    const std::size_t escape = may_be ? std::string_view("nt\\'\"\n").find(text[i + 1]) : npos;
    made += escape == npos ? text.substr(i, 1) : std::string_view("\n\t\\'\"").substr(escape, 1);
    i += escape == npos ? 0U : 1U;
  }
  return made;
}

/// A logical line: without its comment, with the lines that its brackets, strings and backslashes go on in.
struct CodeLine {
  Place place = {};
  std::size_t indent = 0;
  std::string text = {};
  bool is_shown = false;  ///< the page shows what its statement gives
};

/// Joins lines of code.
class CodeLines {
 public:
  std::vector<CodeLine> lines = {};

  /// Adds a line; where it begins a statement, none before it goes on.
  void add(const Place& place, std::string_view text, bool begins) {
    begins = begins || lines.empty() || (quote_.empty() && depth_ <= 0 && !has_backslash_);
    const std::string_view rest = begins || quote_.empty() ? without_indent(text) : text;
    if (begins) {
      lines.push_back({place, text.size() - rest.size()});
      depth_ = 0;
      quote_.clear();
    }
    std::string& own = lines.back().text;
    const bool is_tight = own.empty() || is_in("([{\n", own.back()) || (!rest.empty() && is_in(")]}", rest[0]));
    own += !quote_.empty() ? "\n" : is_tight ? "" : " ";
    own += rest.substr(0, read(rest));
    own.resize(quote_.empty() ? own.find_last_not_of(" \t\r") + 1 : own.size());
  }

  bool is_in_string() const { return !quote_.empty(); }
  void end_string() { quote_.clear(); }

 private:
  /// Reads a line, and returns where its code ends.
  std::size_t read(std::string_view line) {
    has_backslash_ = false;
    for (std::size_t at = 0; at < line.size();) {
      const std::string_view rest = line.substr(at);
      if (!quote_.empty()) {
        const bool ends = rest.starts_with(quote_);
        at += ends ? quote_.size() : rest[0] == '\\' ? 2U : 1U;
        has_backslash_ = at > line.size();
        quote_ = ends ? "" : quote_;
        continue;
      }
      has_backslash_ = rest[0] == '\\' && rest.find_first_not_of(" \t\r", 1) == npos;
      if (rest[0] == '#' || has_backslash_) {
        return at;
      }
      depth_ += deeper_by(rest[0]);
      quote_ = is_in("\"'", rest[0]) ? quotes_at(rest, 0) : "";
      at += std::max<std::size_t>(quote_.size(), 1);
    }
    quote_ = quote_.size() == 1 && !has_backslash_ ? "" : quote_;
    return line.size();
  }

  int depth_ = 0;               ///< of open brackets
  std::string quote_ = {};      ///< of an open string: its end marker
  bool has_backslash_ = false;  ///< at the end of the last line
};

/// Reads expressions from left to right, by precedence.
class Parser {
 public:
  Parser(std::string_view line, std::deque<std::string>& lines) : lines_(&lines), tokens_(tokens_of(line)) {}

  bool is(std::string_view text) const { return here().text == text; }
  bool take(std::string_view text) { return is(text) && (++at_, true); }
  /// One of those words, if it comes next; else empty.
  std::string taken(std::string_view words) {
    return std::string(is_among(here().text, words) ? tokens_[at_++].text : "");
  }
  bool at_end() const { return here().kind == Token::Kind::end; }
  void expect(std::string_view text) { take(text) ? void() : throw Stopped{}; }
  std::string word() { return here().kind == Token::Kind::name ? std::string(tokens_[at_++].text) : throw Stopped{}; }
  std::size_t at() const { return at_; }
  /// The text from a token up to the one before the next.
  std::string_view words_from(std::size_t first) const {
    const std::string_view begin = tokens_[first].text;
    const std::string_view end = at_ == first ? begin.substr(0, 0) : tokens_[at_ - 1].text;
    return {begin.data(), static_cast<std::size_t>(end.data() + end.size() - begin.data())};
  }

  /// "torch.nn.Linear", as the library's own program defines it.
  std::string path() {
    std::string made = word();
    while (take(".")) {
      made += "." + word();
    }
    return made;
  }

  /// "a, b": a tuple; "a": itself. A loop's targets are no comparisons, so that their "in" ends them.
  Expr listed(bool are_targets = false) {
    const std::size_t first = at_;
    std::vector<Expr> parts;
    bool has_comma = false;
    do {
      if (at_end() || is_among(here().text, "= : in ;")) {
        break;
      }
      parts.push_back(are_targets ? binary(comparisons + 1) : starred());
      has_comma = is(",");
    } while (take(","));
    are_targets ? expect("in") : void();
    return parts.size() == 1 && !has_comma ? std::move(parts[0]) : made(first, Expr::Kind::tuple, "", std::move(parts));
  }

  Expr expression() {
    const Level level(nested_, deepest_brackets);
    const std::size_t first = at_;
    if (take("lambda")) {
      std::vector<Expr> parameters = items(":");
      std::vector<Stmt> body(1, {.word = "return", .exprs = list(expression())});
      return made(first, Expr::Kind::lambda, "", std::move(parameters), std::move(body));
    }
    Expr value = binary();
    if (take(":=")) {
      return made(first, Expr::Kind::walrus, "", list(std::move(value), expression()));
    }
    if (take("if")) {
      std::vector<Expr> parts = list(std::move(value), binary());
      expect("else");
      parts.push_back(expression());
      value = made(first, Expr::Kind::conditional, "", std::move(parts));
    }
    return value;
  }

  /// What stands before the closing sign: arguments, a function's parameters, items of a list, entries.
  std::vector<Expr> items(std::string_view closing, bool are_parameters = false) {
    std::vector<Expr> all;
    while (!take(closing)) {
      const std::size_t first = at_;
      Expr one = is_among(closing, "] }") ? slice() : argument(are_parameters);
      const bool may_loop = one.kind != Expr::Kind::star && (closing == "}" || one.kind != Expr::Kind::slice);
      all.push_back(is("for") && may_loop ? comprehension(first, std::move(one)) : std::move(one));
      take(",") || is(closing) ? void() : throw Stopped{};
    }
    return all;
  }

 private:
  static constexpr std::size_t comparisons = 3;
  static constexpr std::size_t signs = 10;

  const Token& here() const { return tokens_[at_]; }

  template <typename... Parts>
  static std::vector<Expr> list(Parts&&... parts) {
    std::vector<Expr> all;
    (all.push_back(std::forward<Parts>(parts)), ...);
    return all;
  }

  /// An expression that began at the token `first`.
  Expr made(std::size_t first, Expr::Kind kind, std::string text, std::vector<Expr> parts,
            std::vector<Stmt> body = {}) const {
    Expr expr{kind, std::move(text), std::move(parts), std::move(body), words_from(first)};
    for (const Expr& part : expr.parts) {
      expr.depth = std::max(expr.depth, part.depth + 1);
    }
    return expr.depth <= deepest_tree ? std::move(expr) : throw Stopped{"too deeply nested"};
  }

  /// How tightly the operator that comes next binds; 0 if there is none.
  std::size_t level() const {
    constexpr auto levels = std::to_array<std::string_view>(
        {"or", "and", "== != <= >= < > in is not", "|", "^", "&", "<< >>", "+ -", "@ // / % *"});
    const auto* const found = std::ranges::find_if(levels, [&](auto own) { return is_among(here().text, own); });
    const bool is_unary = is("not") && tokens_[at_ + 1].text != "in";
    return is_unary || found == levels.end() ? 0 : static_cast<std::size_t>(found - levels.begin()) + 1;
  }

  Expr binary(std::size_t least = 1) {
    const std::size_t first = at_;
    Expr left = unary();
    for (std::size_t own = level(); own >= least; own = level()) {
      std::string sign(tokens_[at_++].text);
      const bool is_not = sign == "not" || (sign == "is" && take("not"));
      sign = sign == "not" ? word() : sign;
      left = made(first, Expr::Kind::binary, std::move(sign), list(std::move(left), binary(own + 1)));
      left = is_not ? made(first, Expr::Kind::unary, "not", list(std::move(left))) : std::move(left);
      own == comparisons&& level() == comparisons ? throw Stopped{} : void();  // a < b < c
    }
    return left;
  }

  Expr unary() {
    const Level level(nested_, deepest_brackets);
    const std::size_t first = at_;
    if (std::string sign = taken("not - + ~"); !sign.empty()) {
      Expr operand = binary(sign == "not" ? comparisons : signs);
      return made(first, Expr::Kind::unary, std::move(sign), list(std::move(operand)));
    }
    Expr base = postfix();
    return take("**") ? made(first, Expr::Kind::binary, "**", list(std::move(base), unary())) : std::move(base);
  }

  Expr postfix() {
    const std::size_t first = at_;
    Expr value = atom();
    for (;;) {
      const std::string sign = taken(". ( [");
      if (sign.empty()) {
        return value;
      }
      std::string name = sign == "." ? word() : "";
      std::vector<Expr> parts = list(std::move(value));
      if (sign != ".") {
        std::ranges::move(items(sign == "(" ? ")" : "]"), std::back_inserter(parts));
        sign == "[" && parts.size() == 1 ? throw Stopped{} : void();
      }
      const auto kind = sign == "." ? Expr::Kind::attribute : sign == "(" ? Expr::Kind::call : Expr::Kind::subscript;
      value = made(first, kind, std::move(name), std::move(parts));
    }
  }

  Expr starred() {
    const std::size_t first = at_;
    std::string stars = taken("** *");
    return stars.empty() ? expression() : made(first, Expr::Kind::star, std::move(stars), list(binary()));
  }

  /// "x", "*x", "x=2"; of parameters "x: int = 2" as well, and a sign that only divides them.
  Expr argument(bool is_parameter) {
    const std::size_t first = at_;
    if (is_parameter && is_among(here().text, "* /") && is_among(tokens_[at_ + 1].text, ", )")) {
      return made(first, Expr::Kind::star, taken("* /"), {});
    }
    Expr one = starred();
    is_parameter&& take(":") ? void(expression()) : void();
    return take("=") ? made(first, Expr::Kind::keyword, one.text, list(expression())) : std::move(one);
  }

  /// "a:b:c", "a", "key: value"
  Expr slice() {
    const std::size_t first = at_;
    const auto bound = [this] { return is_among(here().text, ": ] ,") ? Expr{} : starred(); };
    Expr begin = bound();
    if (!take(":")) {
      return begin;
    }
    std::vector<Expr> parts = list(std::move(begin), bound());
    parts.push_back(take(":") ? bound() : Expr{});
    return made(first, Expr::Kind::slice, "", std::move(parts));
  }

  Expr comprehension(std::size_t first, Expr one) {
    const std::string text = one.kind == Expr::Kind::slice ? ":" : "";
    std::vector<Stmt> body(1, loop(std::move(one)));
    return made(first, Expr::Kind::comprehension, text, {}, std::move(body));
  }

  /// "for x in y if z", around what yields an item.
  Stmt loop(Expr item) {
    const Level level(nested_, deepest_brackets);
    expect("for");
    Expr targets = listed(true);
    Stmt all{.word = "for", .exprs = list(std::move(targets), binary())};
    std::vector<Stmt>* inner = &all.body;
    if (const std::size_t first = at_; take("if")) {
      Expr condition = binary();
      while (take("if")) {
        condition = made(first, Expr::Kind::binary, "and", list(std::move(condition), binary()));
      }
      inner = &inner->emplace_back(Stmt{.word = "if", .exprs = list(std::move(condition))}).body;
    }
    inner->push_back(is("for") ? loop(std::move(item)) : Stmt{.word = "yield", .exprs = list(std::move(item))});
    return all;
  }

  Expr bracketed(Expr::Kind kind, std::string_view closing) {
    const std::size_t first = at_ - 1;
    std::vector<Expr> all = items(closing);
    const bool is_alone = all.size() == 1 && tokens_[at_ - 2].text != ",";
    const bool is_made = is_alone && all[0].kind == Expr::Kind::comprehension;
    const auto is_entry = [](const Expr& one) {
      return one.kind == Expr::Kind::slice || (one.kind == Expr::Kind::comprehension && one.text == ":") ||
             (one.kind == Expr::Kind::star && one.text == "**");
    };
    const bool has_entries = kind == Expr::Kind::set && std::ranges::all_of(all, is_entry);
    has_entries || std::ranges::none_of(all, is_entry) ? void() : throw Stopped{};
    kind = has_entries ? Expr::Kind::dictionary : kind;
    if (is_made) {
      all[0].kind = kind == Expr::Kind::tuple ? Expr::Kind::list : kind;
      return std::move(all[0]);
    }
    return is_alone && kind == Expr::Kind::tuple ? std::move(all[0]) : made(first, kind, "", std::move(all));
  }

  Expr atom() {
    const std::size_t first = at_;
    if (here().kind == Token::Kind::string) {
      return strings();
    }
    const auto [kind, text] = here();
    at_ += at_end() ? 0U : 1U;
    if (kind == Token::Kind::number || kind == Token::Kind::name || text == "...") {
      return !is_among(text, "if else for in import return def class while with try except")
                 ? made(first, kind == Token::Kind::number ? Expr::Kind::number : Expr::Kind::name, std::string(text),
                        {})
                 : throw Stopped{};
    }
    return text == "("   ? bracketed(Expr::Kind::tuple, ")")
           : text == "[" ? bracketed(Expr::Kind::list, "]")
           : text == "{" ? bracketed(Expr::Kind::set, "}")
                         : throw Stopped{};
  }

  /// "a" f"{b}": one string, or the parts of one.
  Expr strings() {
    const std::size_t first = at_;
    std::vector<Expr> parts;
    for (; here().kind == Token::Kind::string; ++at_) {
      std::string_view text = here().text;
      const std::string_view prefix = text.substr(0, text.find_first_of("\"'"));
      const std::size_t quotes = quotes_at(text, prefix.size()).size();
      text = text.substr(prefix.size() + quotes, text.size() - prefix.size() - 2 * quotes);
      prefix.find_first_of("fF") != npos
          ? fields(text, parts)
          : parts.push_back(
                {Expr::Kind::string, prefix.find_first_of("rR") != npos ? std::string(text) : unescaped(text)});
    }
    if (std::ranges::find(parts, Expr::Kind::field, &Expr::kind) != parts.end()) {
      return made(first, Expr::Kind::format, "", std::move(parts));
    }
    std::string text;
    std::ranges::for_each(parts, [&](const Expr& part) { text += part.text; });
    return made(first, Expr::Kind::string, std::move(text), {});
  }

  /// The parts of an f-string.
  void fields(std::string_view text, std::vector<Expr>& parts) {
    while (!text.empty()) {
      const std::size_t brace = std::min(text.find_first_of("{}"), text.size());
      const bool is_double = brace + 1 < text.size() && text[brace + 1] == text[brace];
      const bool is_field = brace < text.size() && text[brace] == '{' && !is_double;
      parts.push_back({Expr::Kind::string, unescaped(text.substr(0, brace + (is_field ? 0 : 1)))});
      text.remove_prefix(std::min(brace + (is_double ? 2 : 1), text.size()));
      is_field ? text.remove_prefix(field(text, parts)) : void();
    }
  }

  /// Reads "x:.2f}", and returns its length.
  std::size_t field(std::string_view text, std::vector<Expr>& parts) {
    const Level level(nested_, deepest_brackets);
    std::size_t end = 0;
    for (int depth = 0; end < text.size() && (depth > 0 || !is_in(":}!", text[end])); ++end) {
      depth += deeper_by(text[end]);
      end += text.substr(end + 1, 2) == "!=" ? 2U : 0U;
    }
    end = std::min(end, text.size());
    Parser own(lines_->emplace_back(text.substr(0, end)), *lines_);
    own.nested_ = nested_;
    const std::size_t close = std::min(text.find('}', end), text.size());
    parts.push_back(made(at_, Expr::Kind::field, std::string(text.substr(end, close - end)), list(own.listed())));
    return std::min(close + 1, text.size());
  }

  std::deque<std::string>* lines_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t nested_ = 0;
};

constexpr std::string_view headers = "def class for while if with try elif else except finally";
constexpr std::string_view commands = "import from return yield pass assert break continue del global nonlocal raise";

/// Statements from logical lines.
class Reader {
 public:
  Reader(const std::vector<CodeLine>& lines, Program& program) : lines_(lines), program_(program) {}

  std::vector<Stmt> block(std::size_t indent) {
    const Level level(nested_, deepest_block);
    std::vector<Stmt> made;
    while (at_ < lines_.size() && lines_[at_].indent >= indent) {
      statement(made);
    }
    return made;
  }

 private:
  void statement(std::vector<Stmt>& made) {
    const CodeLine& line = lines_[at_++];
    const std::string& text = program_.lines.emplace_back(line.text);
    const std::size_t count = made.size();
    try {
      Parser parser(text, program_.lines);
      if (parser.take("@")) {
        decorators_.push_back(parser.expression());
        return;
      }
      Stmt one{.word = parser.taken(headers), .place = line.place};
      one.word.empty() ? simple(parser, line, made) : compound(parser, line, std::move(one), made);
    } catch (const Stopped& stopped) {
      made.resize(std::min(count, made.size()));
      unread(line, text, stopped.reason, made);
    }
    decorators_.clear();
  }

  /// "x = <no Python>": x is no longer known. The block of what is not known is left out.
  void unread(const CodeLine& line, std::string_view text, const std::string& reason, std::vector<Stmt>& made) {
    const std::string_view name = leading_name(text);
    if (!reason.empty()) {
      made.push_back({.word = "unread", .name = reason, .place = line.place, .words = text});
    } else if (!name.empty() && without_indent(text.substr(name.size())).starts_with('=')) {
      made.push_back({.word = "=", .place = line.place, .words = text});
      made.back().exprs = {{Expr::Kind::name, std::string(name)}, {}};
    }
    while (line.text.ends_with(':') && at_ < lines_.size() && lines_[at_].indent > line.indent) {
      ++at_;
    }
  }

  void compound(Parser& parser, const CodeLine& line, Stmt one, std::vector<Stmt>& made) {
    if (is_among(one.word, "def class")) {
      one.name = parser.path();
      one.exprs = parser.take("(") ? parser.items(")", one.word == "def") : std::vector<Expr>{};
      parser.take("->") ? void(parser.expression()) : void();
    } else if (one.word == "for") {
      one.exprs.push_back(parser.listed(true));
      one.exprs.push_back(parser.listed());
    } else if (!parser.is(":")) {
      do {
        one.exprs.push_back(parser.expression());
      } while (!parser.taken("as ,").empty());
    }
    parser.expect(":");
    one.words = parser.words_from(0);
    one.decorators = std::exchange(decorators_, {});
    if (!parser.at_end()) {
      simple(parser, line, one.body);
    } else if (at_ < lines_.size() && lines_[at_].indent > line.indent) {
      one.body = block(lines_[at_].indent);
    } else {
      throw Stopped{"its block is not indented"};
    }
    const bool is_clause = is_among(one.word, "elif else except finally") && !made.empty();
    (is_clause ? made.back().otherwise : made).push_back(std::move(one));
  }

  /// Statements without a block, up to the line's end.
  static void simple(Parser& parser, const CodeLine& line, std::vector<Stmt>& made) {
    do {
      const std::size_t first = parser.at();
      Stmt one{.word = parser.taken(commands), .place = line.place};
      if (is_among(one.word, "import from")) {
        imports(parser, one);
      } else {
        Expr value = parser.listed();
        const bool is_nothing = one.word == "return" && value.words.empty();
        one.exprs.push_back(is_nothing ? Expr{Expr::Kind::name, "None"} : std::move(value));
        one.word.empty() ? assignment(parser, one) : parser.take("from") ? void(parser.expression()) : void();
      }
      one.words = parser.words_from(first);
      made.push_back(std::move(one));
    } while (parser.take(";") && !parser.at_end());
    made.back().is_shown = line.is_shown;
    parser.at_end() ? void() : throw Stopped{};
  }

  /// "a.b as c" after import, and "a import b, c as d" after from.
  static void imports(Parser& parser, Stmt& one) {
    std::string from;
    if (std::exchange(one.word, "import") == "from") {
      while (!parser.taken(". ...").empty()) {
      }
      from = parser.is("import") ? "" : parser.path() + ".";
      parser.expect("import");
    }
    parser.take("(");
    do {
      std::string path = parser.path();
      path = from.empty() && !parser.is("as") ? leading_name(path) : path;
      const std::string name = parser.take("as") ? parser.word() : path;
      one.exprs.push_back({Expr::Kind::keyword, name, {{Expr::Kind::string, from + path}}});
    } while (parser.take(",") && !parser.is(")"));
    parser.take(")");
  }

  /// What follows the first target.
  static void assignment(Parser& parser, Stmt& one) {
    if (parser.take(":")) {  // x: int = 2
      one.word = ":";
      parser.expression();
    }
    while (parser.take("=")) {
      one.word = "=";
      one.exprs.push_back(parser.listed());
    }
    if (one.word.empty() && !(one.word = parser.taken("**= //= <<= >>= += -= *= /= @= %= |= &= ^=")).empty()) {
      one.exprs.push_back(parser.listed());
    }
  }

  const std::vector<CodeLine>& lines_;
  Program& program_;
  std::vector<Expr> decorators_;
  std::size_t at_ = 0;
  std::size_t nested_ = 0;
};

/// Returns true for "Out[3]:" and "[3]:", with which a notebook's page tells that a result follows.
bool announces_result(std::string_view line) {
  const std::string_view text = without_trailing(without_leading(line, " \t"), " \t\r");
  const std::size_t open = text.starts_with("Out") ? 3 : 0;
  const std::string_view number = text.substr(open);
  return number.starts_with('[') && number.ends_with("]:") && number.size() > 3 &&
         number.find_first_not_of("0123456789", 1) == number.size() - 2;
}

/// Returns true for a comment that holds what a program printed: "# tensor([0.1, 0.2])".
bool holds_output(std::string_view line) {
  const std::string_view text = without_leading(line, " \t#");
  constexpr auto starts =
      std::to_array<std::string_view>({"tensor(", "torch.Size", "[", "array(", "(tensor", "Output", ">"});
  return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

/// The lines of code on a page, without prompts.
std::vector<CodeLine> code_lines(const Page& page) {
  const Zones zones = find_zones(page);
  const std::string_view text = page.text();
  CodeLines code;
  std::vector<CodeLine>& lines = code.lines;
  bool is_apart = true;   // something else stands between the last line of code and this one
  bool is_broken = true;  // something other than a comment
  const auto end_shown = [&](bool is_shown) {
    is_apart ? void() : void(lines.back().is_shown = lines.back().is_shown || is_shown);
    is_apart = true;
  };
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::string_view words = without_indent(line);
    const std::size_t prompt = prompt_length(line);
    const std::size_t continued = continuation_length(line);
    const bool is_prompt = prompt > 0 && zones.at(at + prompt) == Zone::code;
    const bool is_continued = !is_prompt && continued > 0 && zones.at(at + continued) == Zone::code;
    const Zone zone = zones.at(at + line.size() - words.size());
    const Place place = page.place(at);
    const bool is_other_cell = !lines.empty() && lines.back().place.cell != place.cell;
    const bool goes_on =
        code.is_in_string() && !is_other_cell && (zones.at(at) == Zone::comment || zones.at(at) == Zone::code);
    is_other_cell && !words.empty() ? end_shown(true) : void();
    if (goes_on || (!words.empty() && (is_prompt || is_continued || zone == Zone::code))) {
      const std::size_t skipped = is_prompt ? prompt : is_continued || goes_on ? continued : 0;
      code.add(place, line.substr(skipped), !goes_on && (is_prompt || is_other_cell || is_broken));
      lines.back().is_shown = !goes_on && (is_prompt || is_continued);
      is_apart = false;
      is_broken = false;
      continue;
    }
    if (!words.empty() && !announces_result(line)) {
      const bool holds = zone == Zone::output || (zone == Zone::comment && place.cell == 0 && holds_output(line));
      words.starts_with("```") || words.starts_with("~~~") ? void() : end_shown(holds);
      is_broken = is_broken || zone != Zone::comment;
    }
    code.end_string();
  }
  end_shown(!lines.empty() && lines.back().place.cell > 0);
  return lines;
}

Program parsed(std::vector<CodeLine> lines) {
  std::erase_if(lines, [](const CodeLine& line) { return line.text.empty(); });
  Program program;
  program.statements = Reader(lines, program).block(0);
  return program;
}

}  // namespace

Program parse(const Page& page) { return parsed(code_lines(page)); }

Program parse(std::string_view text) {
  CodeLines code;
  for (const std::string& line : text::lines_of(text)) {
    code.add({}, line, false);
  }
  return parsed(std::move(code.lines));
}

}  // namespace attn::verify
