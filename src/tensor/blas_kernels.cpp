#include "tensor/blas_kernels.hpp"

#include <strings.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/processor.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

extern "C" {
char* openblas_get_corename(void);
int openblas_get_num_procs(void);
void openblas_set_num_threads(int);
void gotoblas_dynamic_init(void);
void gotoblas_dynamic_quit(void);
void* blas_memory_alloc(int);
void blas_memory_free(void*);
}

namespace attn {
namespace {

// ---- What the processor can run -----------------------------------------------------------------

#if defined(__x86_64__)
/// Returns true for instructions of AMD's that later processors lack: a bit of CPUID function 0x80000001.
bool has_amd(unsigned register_of, unsigned bit) {
  std::array<unsigned, 4> registers{};
  return __get_cpuid(0x80000001U, &registers[0], &registers[1], &registers[2], &registers[3]) != 0 &&
         ((registers[register_of] >> bit) & 1U) != 0;
}
#else
bool has_amd(unsigned, unsigned) { return false; }
#endif

bool has_fma4() { return has_avx() && has_amd(2, 16); }
bool has_3dnow() { return has_amd(3, 31); }
bool always() { return true; }

/// A kernel set that --blas names.
struct Family {
  Blas blas;
  const char* core;
  bool (*runs)();
};

/// Newest instructions first.
constexpr std::array families = {
    Family{Blas::skylakex, "SkylakeX", has_avx512},
    Family{Blas::haswell, "Haswell", has_avx2},
    Family{Blas::sandybridge, "Sandybridge", has_avx},
    Family{Blas::prescott, "Prescott", always},
};

/// Other values of OPENBLAS_CORETYPE that not every processor can run. OpenBLAS obeys them without a check.
struct Core {
  const char* name;
  bool (*runs)();
};
constexpr std::array cores = {
    Core{"SapphireRapids", has_avx512}, Core{"Cooperlake", has_avx512}, Core{"Zen", has_avx2},
    Core{"Bulldozer", has_fma4},        Core{"Piledriver", has_fma4},   Core{"Steamroller", has_fma4},
    Core{"Excavator", has_fma4},        Core{"Opteron", has_3dnow},     Core{"Opteron_SSE3", has_3dnow},
};

const Family& family_of(Blas blas) {
  return *std::find_if(families.begin(), families.end(), [blas](const Family& family) { return family.blas == blas; });
}

bool same_core(const std::string& a, const char* b) { return strcasecmp(a.c_str(), b) == 0; }

// ---- What the environment says, and what OpenBLAS is told ----------------------------------------

/// The environment before this program changed it.
struct Environment {
  std::string core;       ///< OPENBLAS_CORETYPE; empty if unset
  int threads = 0;        ///< 0 if unset
  bool prepared = false;  ///< OpenBLAS chose as told; false if it is a shared library, which initialises earlier
};

Environment& environment() {
  static Environment result;
  return result;
}

bool core_runs(const std::string& name) {
  for (const Family& family : families) {
    if (same_core(name, family.core)) {
      return family.runs();
    }
  }
  const auto* core = std::find_if(cores.begin(), cores.end(), [&](const Core& c) { return same_core(name, c.name); });
  return core == cores.end() || core->runs();
}

/// The value of OPENBLAS_CORETYPE that makes OpenBLAS choose this set; empty: it detects the processor.
std::string core_wanted(Blas blas) {
  if (blas == Blas::portable) {
    return "";
  }
  if (blas == Blas::native || blas == Blas::environment) {
    return core_runs(environment().core) ? environment().core : "";
  }
  return family_of(blas).core;
}

void write_core(const std::string& name) {
  if (name.empty()) {
    unsetenv("OPENBLAS_CORETYPE");
  } else {
    setenv("OPENBLAS_CORETYPE", name.c_str(), 1);
  }
}

/// Statically linked OpenBLAS chooses its kernels and starts its threads before main. This constructor runs earlier and
/// tells it to use the default set, so that it need not choose twice, and no threads, which small products do not need.
[[gnu::constructor(101)]] void prepare() {
  if (const char* core = std::getenv("OPENBLAS_CORETYPE")) {
    environment().core = core;
  }
  for (const char* variable : {"OMP_NUM_THREADS", "GOTO_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    const char* text = std::getenv(variable);
    const int number = text == nullptr ? 0 : std::atoi(text);
    environment().threads = number > 0 ? number : environment().threads;
  }
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  write_core(core_wanted(runnable(default_blas())));
  environment().prepared = std::string(openblas_get_corename()) == "Unknown";  // it has not chosen yet
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

/// Throws std::runtime_error if there is not enough memory.
void require_buffers(int threads) {
  if (!have_buffers(threads)) {
    throw std::runtime_error("OpenBLAS cannot allocate its buffers of " + std::to_string(room_of(threads) >> 20U) +
                             " MiB; the memory limit (ulimit -v) must leave "
                             "as much beside the tensors; raise it, or choose smaller --tokens, --d-in or --batch");
  }
}

/// The number of threads that share a large product with Blas::native.
int threads_of_native() {
  const int threads = environment().threads;
  return threads > 0 ? threads : openblas_get_num_procs();
}

}  // namespace

bool has_openblas() { return true; }

Blas runnable(Blas wanted) {
  if (wanted == Blas::native || wanted == Blas::portable) {
    return wanted;
  }
  if (wanted == Blas::environment) {
    return core_runs(environment().core) ? wanted : runnable(Blas::haswell);
  }
  const auto* first = &family_of(wanted);
  const auto* found = std::find_if(first, families.end(), [](const Family& family) { return family.runs(); });
  const bool was_fused = wanted == Blas::skylakex || wanted == Blas::haswell;
  return was_fused && !has_avx2() ? Blas::portable : found->blas;
}

bool gives_bits_of(Blas wanted) { return bits_of(runnable(wanted)) == bits_of(wanted); }

Blas default_blas() {
  const std::string& core = environment().core;
  if (core.empty()) {
    return Blas::haswell;
  }
  const auto* named = std::find_if(families.begin(), families.end(),
                                   [&](const Family& family) { return same_core(core, family.core); });
  return named == families.end() ? Blas::environment : named->blas;
}

void use_blas(Blas wanted, double work) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  static std::optional<Blas> chosen = environment().prepared ? std::optional(runnable(default_blas())) : std::nullopt;
  static std::optional<Blas> current;
  const Blas blas = runnable(wanted);
  if (blas == Blas::portable) {
    return;
  }
  require_buffers(1);
  if (current != blas) {
    if (chosen != blas) {
      write_core(core_wanted(blas));
      gotoblas_dynamic_quit();
      gotoblas_dynamic_init();
      chosen = blas;
    }
    openblas_set_num_threads(1);
    current = blas;
  }
  constexpr double small = 4'000;  // OpenBLAS's own limit for a single thread is higher
  if (blas == Blas::native && work > small) {
    const int threads = threads_of_native();
    require_buffers(threads);
    openblas_set_num_threads(threads);
  }
}

std::int64_t room_for_products(Blas blas, int threads) {
  return static_cast<std::int64_t>(room_of(std::max(threads, blas == Blas::native ? threads_of_native() : 1)));
}

int threads_with_room(int wanted) {
  while (wanted > 1 && !have_buffers(wanted)) {
    --wanted;
  }
  return wanted;
}

std::string core_name(Blas blas) {
  if (runnable(blas) == Blas::portable) {
    return "portable";
  }
  use_blas(blas, 0);
  return openblas_get_corename();
}

}  // namespace attn
