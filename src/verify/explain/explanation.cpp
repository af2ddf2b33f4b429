#include "verify/explain/explanation.hpp"

#include <optional>
#include <utility>

namespace attn::verify {

struct LazySteps::State {
  Walk walk;
  Shapes shapes;
  std::optional<std::vector<Step>> steps;
  std::set<Shape> own_shapes;
};

LazySteps::LazySteps(std::vector<Step> steps) : state_(std::make_shared<State>()) {
  for (const Step& step : steps) {
    if (step.tensor) {
      state_->own_shapes.insert(step.tensor->shape());
    }
  }
  state_->steps = std::move(steps);
}

LazySteps::LazySteps(Walk walk, Shapes shapes) : state_(std::make_shared<State>()) {
  state_->walk = std::move(walk);
  state_->shapes = std::move(shapes);
}

const std::vector<Step>& LazySteps::get() const {
  if (!state_->steps) {
    state_->steps = state_->walk();
  }
  return *state_->steps;
}

const std::set<Shape>& LazySteps::shapes() const { return state_->shapes ? state_->shapes() : state_->own_shapes; }

bool is_same_lesson(const Explanation& a, const Explanation& b) {
  return a.article == b.article && a.seed.text() == b.seed.text() && a.settings == b.settings && a.cpu == b.cpu &&
         a.blas == b.blas && a.dropout_kernel == b.dropout_kernel;
}

}  // namespace attn::verify
