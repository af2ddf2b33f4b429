#include "tensor/blas.hpp"

#include <strings.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

// Must precede xblas.hpp: version 0.21 reads the setting too late and then multiplies with its own loops instead of
// BLAS.
#include <xtensor-blas/xblas_config.hpp>

#include <xtensor-blas/xblas.hpp>

#include "tensor/math.hpp"

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

namespace {

// ---- Products ------------------------------------------------------------------------------------

using BlasInt = int;

Matrix transposed(const Matrix& m) { return {m.data, m.columns, m.rows, m.column_stride, m.row_stride}; }

/// One factor in BLAS's form: column-major with a leading dimension, transposed or not.
struct Factor {
  Factor(const Matrix& m, bool copy_transposed) : data(m.data) {
    if (m.row_stride == 1 && m.column_stride >= std::max<std::int64_t>(1, m.rows)) {
      leading = m.column_stride;
    } else if (m.column_stride == 1 && m.row_stride >= std::max<std::int64_t>(1, m.columns)) {
      transpose = true;
      leading = m.row_stride;
    } else {
      transpose = copy_transposed;
      leading = copy_transposed ? m.columns : m.rows;
      copy.resize(static_cast<std::size_t>(m.rows * m.columns));
      for (std::int64_t i = 0; i < m.rows; ++i) {
        for (std::int64_t j = 0; j < m.columns; ++j) {
          const std::int64_t to = copy_transposed ? i * leading + j : j * leading + i;
          copy[static_cast<std::size_t>(to)] = m.data[i * m.row_stride + j * m.column_stride];
        }
      }
      data = copy.data();
    }
    leading = std::max<std::int64_t>(leading, transpose ? m.columns : m.rows);
  }

  cxxblas::Transpose flag() const { return transpose ? cxxblas::Trans : cxxblas::NoTrans; }

  const float* data;
  bool transpose = false;
  std::int64_t leading = 1;
  std::vector<float> copy;
};

}  // namespace

void gemm(Blas blas, const Matrix& a, const Matrix& b, float beta, float* out) {
  if (runnable(blas) == Blas::portable) {
    return portable::gemm(a, b, beta, out);
  }
  use_blas(blas);
  // In column-major order a row-major result is its own transpose: outᵀ = bᵀ aᵀ. A single column is both.
  const bool swap = b.columns != 1;
  const Matrix first_matrix = swap ? transposed(b) : a;
  const Matrix second_matrix = swap ? transposed(a) : b;
  const Factor first(first_matrix, !swap);
  const Factor second(second_matrix, !swap);
  cxxblas::gemm(cxxblas::ColMajor, first.flag(), second.flag(), static_cast<BlasInt>(first_matrix.rows),
                static_cast<BlasInt>(second_matrix.columns), static_cast<BlasInt>(first_matrix.columns), 1.0F,
                first.data, static_cast<BlasInt>(first.leading), second.data, static_cast<BlasInt>(second.leading),
                beta, out, static_cast<BlasInt>(first_matrix.rows));
}

void gemv(Blas blas, const float* a, std::int64_t rows, std::int64_t columns, const float* x, float* out) {
  if (runnable(blas) == Blas::portable) {
    return portable::gemv(a, rows, columns, x, out);
  }
  use_blas(blas);
  // One column is also column-major, which PyTorch checks first.
  const bool transpose = columns != 1;
  const std::int64_t m = transpose ? columns : rows;
  const std::int64_t n = transpose ? rows : columns;
  cxxblas::gemv(cxxblas::ColMajor, transpose ? cxxblas::Trans : cxxblas::NoTrans, static_cast<BlasInt>(m),
                static_cast<BlasInt>(n), 1.0F, a, static_cast<BlasInt>(m), x, 1, 0.0F, out, 1);
}

float dot_product(Blas blas, const float* a, const float* b, std::int64_t n) {
  if (runnable(blas) == Blas::portable) {
    return portable::dot_product(a, b, n);
  }
  use_blas(blas);
  float result = 0;
  cxxblas::dot(static_cast<BlasInt>(n), a, 1, b, 1, result);
  return result;
}

}  // namespace attn
