#include "tensor/tensor.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "tensor/blas.hpp"

namespace attn {
namespace {

thread_local bool is_at_work = false;

/// The queue from which all threads take work.
class Queue {
 public:
  Queue(std::size_t count, const std::function<void(std::size_t)>& work) : count_(count), work_(work) {}

  void run() {
    is_at_work = true;
    try {
      for (std::size_t i = next_++; i < count_; i = next_++) {
        work_(i);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      next_ = count_;
      failure_ = failure_ ? failure_ : std::current_exception();
    }
    is_at_work = false;
  }

  void rethrow() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

Evaluation& evaluation() {
  static Evaluation result;
  return result;
}

std::int64_t bytes_of_threads() {
  constexpr std::int64_t panels = 4;
  return (evaluation().threads - 1) * panels * evaluation().panel * static_cast<std::int64_t>(sizeof(float));
}

void for_each_at_once(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (is_at_work) {
    for (std::size_t i = 0; i < count; ++i) {
      work(i);
    }
    return;
  }
  const int wanted = static_cast<int>(std::min<std::size_t>(count, static_cast<std::size_t>(evaluation().threads)));
  const int threads = threads_with_room(wanted);
  Queue queue(count, work);
  std::vector<std::thread> others;
  try {
    while (static_cast<int>(others.size()) + 1 < threads) {
      others.emplace_back([&queue] { queue.run(); });
    }
  } catch (const std::system_error&) {  // the system grants no more threads; the running ones do the work
  }
  queue.run();
  for (std::thread& other : others) {
    other.join();
  }
  queue.rethrow();
}

}  // namespace attn
