#include "present/predict.hpp"

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "require.hpp"
#include "steps.hpp"
#include "targets.hpp"

namespace attn::fuzz {

void predict(std::string_view bytes) {
  static const std::vector<Step> steps = steps_of("causal");
  for (const bool interactive : {false, true}) {
    present::Prediction prediction;
    prediction.cells = 2;
    prediction.tokens = tokens();
    prediction.interactive = interactive;
    std::istringstream in{std::string(bytes)};
    std::ostringstream out;
    try {
      const present::Score score = present::predict(in, out, steps, prediction);
      require(score.asked() <= 2 * steps.size(), "no more is marked than is asked");
      require_clean(out.view(), "questions and answers");
    } catch (const std::runtime_error& error) {
      require_error_line(error);
    }
  }
}

}  // namespace attn::fuzz
