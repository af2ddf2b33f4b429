#include "tensor/blas_kernels.hpp"

#include <strings.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "tensor/processor.hpp"

extern "C" {
char* openblas_get_corename(void);
void openblas_set_num_threads(int);
void gotoblas_dynamic_init(void);
void gotoblas_dynamic_quit(void);
void* blas_memory_alloc(int);
void blas_memory_free(void*);
}

namespace attn {
namespace {

// ---- What OpenBLAS is told -----------------------------------------------------------------------

/// OpenBLAS's name of a set.
const char* core_of(Blas blas) { return blas == Blas::skylakex ? "SkylakeX" : "Haswell"; }

Blas wanted_by_default = Blas::haswell;
Blas chosen = Blas::portable;  ///< the set that OpenBLAS has; portable: not known

void write_core(Blas blas) {
  if (blas == Blas::portable) {
    unsetenv("OPENBLAS_CORETYPE");  // it detects the processor
  } else {
    setenv("OPENBLAS_CORETYPE", core_of(blas), 1);
  }
}

/// Statically linked OpenBLAS chooses its kernels and starts its threads before main. This constructor runs earlier and
/// tells it to use the default set, so that it need not choose twice, and no threads, which small products do not need.
[[gnu::constructor(101)]] void prepare() {
  const char* const core = std::getenv("OPENBLAS_CORETYPE");
  const bool is_skylakex = core != nullptr && strcasecmp(core, core_of(Blas::skylakex)) == 0;
  wanted_by_default = is_skylakex ? Blas::skylakex : Blas::haswell;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  write_core(runnable(wanted_by_default));
  const bool has_chosen = std::string(openblas_get_corename()) != "Unknown";  // a shared library initialises earlier
  chosen = has_chosen ? Blas::portable : runnable(wanted_by_default);
}

// ---- The memory that OpenBLAS works in -----------------------------------------------------------

constexpr std::size_t room_of_thread = (std::size_t{128} << 20U) + (std::size_t{1} << 16U) +  // OpenBLAS's BUFFER_SIZE
                                       (std::size_t{8} << 20U);                               // its stack

/// The number of threads that have buffers.
int with_room = 0;

std::size_t room_of(int threads) { return room_of_thread * static_cast<std::size_t>(std::max(0, threads - with_room)); }

/// Allocates OpenBLAS's buffers for this many threads; OpenBLAS keeps them. Returns false if there is too little
/// memory, where OpenBLAS would retry forever. The check requests memory as OpenBLAS does, so the system counts it
/// alike.
bool have_buffers(int threads) {
  if (threads <= with_room) {
    return true;
  }
  const std::size_t size = room_of(threads);
  void* const room = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    return false;
  }
  munmap(room, size);
  std::vector<void*> buffers(static_cast<std::size_t>(threads));
  std::ranges::generate(buffers, [] { return blas_memory_alloc(0); });
  std::ranges::for_each(buffers, blas_memory_free);
  with_room = threads;
  return true;
}

}  // namespace

bool has_openblas() { return true; }

Blas runnable(Blas wanted) {
  const bool lacks_avx512 = wanted == Blas::skylakex && !has_avx512();
  return !has_avx2() ? Blas::portable : lacks_avx512 ? Blas::haswell : wanted;
}

bool gives_bits_of(Blas wanted) { return bits_of(runnable(wanted)) == bits_of(wanted); }

Blas default_blas() { return wanted_by_default; }

void use_blas(Blas wanted) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const Blas blas = runnable(wanted);
  if (blas == Blas::portable) {
    return;
  }
  if (!have_buffers(1)) {
    throw std::runtime_error("OpenBLAS cannot allocate its buffers of " + std::to_string(room_of(1) >> 20U) +
                             " MiB; the memory limit (ulimit -v) must leave "
                             "as much beside the tensors; raise it, or choose smaller --tokens, --d-in or --batch");
  }
  if (chosen != blas) {
    write_core(blas);
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    openblas_set_num_threads(1);
    chosen = blas;
  }
}

std::int64_t room_for_products(int threads) { return static_cast<std::int64_t>(room_of(threads)); }

int threads_with_room(int wanted) {
  while (wanted > 1 && !have_buffers(wanted)) {
    --wanted;
  }
  return wanted;
}

std::string core_name(Blas blas) {
  const Blas runs = runnable(blas);
  return runs == Blas::portable ? "portable" : core_of(runs);
}

}  // namespace attn
