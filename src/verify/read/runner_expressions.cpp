#include <algorithm>
#include <utility>

#include "verify/read/listing.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/runner.hpp"
#include "verify/read/statements.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t deepest = 16;  ///< calls within calls

}  // namespace

// ---- Expressions

std::string Runner::scan(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = std::min(text.find(c, at + 1), text.size() - 1) + 1;
      made += text.substr(at, end - at);
      at = end;
    } else if (c == '[' || c == '(') {
      const std::size_t close = closing_bracket(text, at);
      const auto items = close == npos ? std::nullopt : comprehension(text.substr(at + 1, close - at - 1));
      made += items ? *items : std::string(1, c);
      at = items ? close + 1 : at + 1;
    } else if (!is_name_part(c) && c != '.') {
      made += c;
      ++at;
    } else {
      const std::string_view path = leading_path(text.substr(at));
      at += path.size();
      const std::size_t close = at < text.size() && text[at] == '(' ? closing_bracket(text, at) : npos;
      const auto called = close == npos ? std::nullopt : call(path, text.substr(at + 1, close - at - 1), "");
      made += called ? *called : full_name(path);
      at = called ? close + 1 : at;
    }
  }
  return made;
}

std::optional<std::string> Runner::comprehension(std::string_view inside) {
  const std::size_t loop = find_outside(inside, " for ");
  const std::size_t in = loop == npos ? npos : find_outside(inside.substr(loop), " in ");
  if (in == npos) {
    return std::nullopt;
  }
  const auto items = items_of(inside.substr(loop + in + 4));
  if (!items) {
    may_draw(inside) ? add_unread() : void();
    return "our_unknown";
  }
  std::string made = "[";
  for (const std::string& item : *items) {
    take_item(inside.substr(loop + 5, in - 5), item);
    const std::string value = scan(inside.substr(0, loop));
    made += (made.size() > 1 ? ", " : "") + (objects_.contains(value) ? value : trace_.item(value));
  }
  return made + "]";
}

std::optional<std::string> Runner::call(std::string_view path, std::string_view inside, std::string_view target) {
  if (trace_.last(full_name(path)).ends_with("nn.Dropout(0)")) {  // which drops nothing
    return "(" + scan(inside) + ")";
  }
  if (const auto drawn = drawing_call(path, inside, imports_, generators_, variables_)) {
    if (drawn->kind == DrawCall::Kind::seed && std::ranges::find(generators_, drawn->generator) == generators_.end()) {
      generators_.push_back(drawn->generator);
    }
    if (calls_.size() == most_draws) {
      return "";
    }
    calls_.push_back(*drawn);
    return "our_draw_" + std::to_string(calls_.size() - 1);
  }
  if (depth_ == deepest) {
    return std::nullopt;
  }
  if (path.ends_with("nn.Dropout") && variables_.number(inside) == 0.0) {
    return std::string(path) + "(0)";
  }
  if (path == "nn.ModuleList" || path == "torch.nn.ModuleList") {
    return scan(inside);
  }
  if (functions_.is_class(path)) {
    const std::string object = target.empty() ? trace_.new_name("object") : std::string(target);
    objects_[object] = path;
    const Function* constructor = functions_.find(std::string(path) + ".__init__");
    if (constructor != nullptr) {
      run_function(Function(*constructor), scan(inside), object);
    }
    return object;
  }
  const auto [object, method] = method_of(path);
  if (method == "append" && trace_.last(object).starts_with('[')) {
    const std::string before(without_trailing(trace_.last(object), "]"));
    const std::string item = trace_.item(scan(inside));
    trace_.assign(object, before + (before == "[" ? "" : ", ") + item + "]");
    return "";
  }
  const Function* function =
      functions_.find(object.empty() ? std::string(path) : objects_.find(object)->second + "." + method);
  return function != nullptr ? std::optional(run_function(Function(*function), scan(inside), object)) : std::nullopt;
}

std::pair<std::string, std::string> Runner::method_of(std::string_view path) const {
  const std::string full = full_name(path);
  const std::size_t dot = full.rfind('.');
  for (const auto& [name, method] : {std::pair(full, std::string("forward")),
                                     std::pair(full.substr(0, dot), dot == npos ? "" : full.substr(dot + 1))}) {
    const std::string_view other = trace_.last(name);
    const auto object = objects_.contains(name) ? name : std::string(other);
    if (objects_.contains(object) && functions_.find(objects_.find(object)->second + "." + method) != nullptr) {
      return {object, method};
    }
  }
  const bool is_list = dot != npos && full.substr(dot + 1) == "append" && !full.substr(0, dot).empty();
  return is_list && trace_.last(full.substr(0, dot)).starts_with('[')
             ? std::pair(full.substr(0, dot), std::string("append"))
             : std::pair<std::string, std::string>();
}

std::string Runner::full_name(std::string_view target) const {
  return target.starts_with("self.") && !self_.empty() ? self_ + std::string(target.substr(4)) : std::string(target);
}

std::string Runner::run_function(const Function& function, const std::string& arguments, const std::string& object) {
  const std::vector<std::pair<std::string, std::string>> values = function.given(arguments);
  std::vector<std::pair<std::optional<double>, std::optional<Shape>>> known;
  for (const auto& [name, value] : values) {
    known.emplace_back(variables_.number(value), variables_.shape(value));
  }
  ++depth_;
  variables_.enter();
  const std::size_t scope = trace_.enter();
  for (std::size_t k = function.is_method ? 1 : 0; k < values.size(); ++k) {
    const auto& [name, value] = values[k];
    variables_.forget(name);
    if (known[k].first) {
      variables_.set_number(name, *known[k].first);
    } else if (known[k].second) {
      variables_.set_shape(name, *known[k].second);
    }
    trace_.assign(name, value, scope);
  }
  const std::string before = std::exchange(self_, function.is_method ? object : "");
  const std::string outer = std::exchange(returned_, trace_.new_name("result"));
  const bool was_doubtful = std::exchange(is_return_doubtful_, false);
  const std::size_t level = std::exchange(level_, 1);
  if (function.expression.empty()) {
    run(function.begin, function.end);
  } else {
    trace_.assign(returned_, scan(function.expression));
  }
  is_return_doubtful_ ? trace_.forget(returned_) : void();
  level_ = level;
  is_returned_ = false;
  is_return_doubtful_ = was_doubtful;
  self_ = before;
  trace_.leave(scope);
  variables_.leave();
  --depth_;
  return std::exchange(returned_, outer);
}

}  // namespace attn::verify
