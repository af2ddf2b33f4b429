#include "arguments.hpp"

#include <string>
#include <vector>

#include "require.hpp"
#include "text/lines.hpp"
#include "walk/lesson.hpp"

namespace attn::fuzz {

std::optional<cli::Options> parsed(std::string_view lines) {
  std::vector<std::string> arguments = text::lines_of(lines);
  arguments.insert(arguments.begin(), "attn-walkthrough");
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  try {
    return cli::parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const cli::UsageError& error) {
    require_error_line(error);
  } catch (const LessonError& error) {
    require_error_line(error);
  }
  return {};
}

}  // namespace attn::fuzz
