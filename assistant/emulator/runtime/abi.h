// The contract between translated CUDA programs (and the device headers in ../include) and the emulator core.
//
// Included by the prelude of every translated program and by every runtime source file. Plain declarations only: it knows
// neither CUDA's host API types nor the C++ standard library. Everything here is implemented in runtime/*.cpp.
//
// Added by the core for the host API and headers: emu_yield (for __nanosleep), emu_register_host / emu_unregister_host (for
// cudaHostRegister), emu_allow_dynamic_shared / emu_dynamic_shared_limit (cudaFuncSetAttribute; launches with more than 48 KiB
// are refused without it), emu_reset_device (cudaDeviceReset). The runtime's objects are linked after the program's, so that
// the replay's constructor runs after the program's registrations.
#pragma once
#include <cstddef>
#include <cstdint>

// ---------------------------------------------------------------------------------------------------------------------
// Thread context. One instance per worker thread; the scheduler rewrites it at each switch of the running CUDA thread.
// Device headers read it by inline assembly, so that the sanitizer hooks never see those reads.
struct EmuThreadContext {
  unsigned thread_x, thread_y, thread_z;
  unsigned block_x, block_y, block_z;
  unsigned block_dim_x, block_dim_y, block_dim_z;
  unsigned grid_dim_x, grid_dim_y, grid_dim_z;
  unsigned lane, warp;
};
static constexpr size_t EMU_MAX_DYNAMIC_SHARED_BYTES = 232448;  // sm_90, 227 KiB: CUDA C++ Programming Guide, Table "Technical Specifications"
extern "C" {
extern __thread EmuThreadContext __emu_tc;
extern __thread char __emu_dynamic_shared[EMU_MAX_DYNAMIC_SHARED_BYTES];  // aligned to 1024
}

// ---------------------------------------------------------------------------------------------------------------------
// Launching.
struct EmuDim3 { unsigned x, y, z; };
struct EmuLaunch {
  const void* function;                                  // address of the kernel's host function
  void (*invoke)(const void* function, void** arguments);  // calls it with typed arguments
  void** arguments;                                      // one pointer per parameter
  const size_t* argument_bytes;
  unsigned argument_count;
  EmuDim3 grid, block;
  size_t shared_bytes;
  void* stream;
  bool is_cooperative;
  bool may_sync_grid;                                    // not known to be cooperative, but a grid barrier is let pass
  const char* file;                                      // launch site in the user's source
  int line;
};
// Runs the launch to completion (launches are serialised process-wide). Returns a cudaError_t value, also kept as the last error.
extern "C" int emu_launch(const EmuLaunch* launch);

// A kernel that can be started by name (replay and declared workloads); registered by static constructors that the tool chain
// appends to a translated source for each requested kernel expression.
struct EmuKernel {
  const char* name;                                      // the expression as requested
  const void* function;
  void (*invoke)(const void* function, void** arguments);
  const size_t* argument_bytes;
  unsigned argument_count;
  EmuKernel* next;
};
extern "C" void emu_register_kernel(EmuKernel* kernel);

// A __device__/__constant__/__managed__ variable; registered by a static constructor that the translator appends.
struct EmuSymbol {
  const char* name;                                      // qualified name as in the source
  void* address;
  size_t bytes;
  int space;                                             // 0 device, 1 constant, 2 managed
  const char* element_type;                              // spelled type, array bounds removed
  EmuSymbol* next;
};
extern "C" void emu_register_symbol(EmuSymbol* symbol);

// ---------------------------------------------------------------------------------------------------------------------
// Device memory, for the host API.
enum EmuSpace { EMU_DEVICE = 0, EMU_MANAGED = 1, EMU_PINNED = 2 };
extern "C" {
void* emu_malloc(size_t bytes, int space);               // nullptr: out of (emulated) memory
bool emu_free(void* pointer);                            // false: not the start of a live allocation
bool emu_find_allocation(const void* address, void** start, size_t* bytes, int* space);
size_t emu_memory_total();
size_t emu_memory_used();
int emu_last_error(bool clear);
void emu_set_error(int error);                           // sticky for device faults, as on a GPU
// Called by the host API for every transfer, so that recordings and the uninitialised/unallocated checks see them. 0 = fine, else cudaError_t.
int emu_on_copy(void* destination, const void* source, size_t bytes, int kind /* cudaMemcpyKind */);
int emu_on_memset(void* destination, size_t bytes);
// Before them, once for each call of the program's: a copy or fill of rows has several pieces.
void emu_on_copies(const void* destination, const void* source, size_t count, size_t bytes, const void* stream, bool is_waited_for);
void emu_on_fills(size_t count, size_t bytes, const void* stream, bool is_waited_for);
bool emu_upload_other(void* destination, const void* source, size_t bytes);  // whether other contents than the source's were copied (EMU_UPLOADS)
void emu_on_call(const char* kind, size_t bytes);            // "allocation" or "free": what a program asks for beside work; "enter", "leave"
// What orders work: "record" and "await" of an event in a stream; "wait_device", "wait_stream" and "wait_event" of the host; "open_blocking" and
// "open_free" streams; "graph" in a stream, and "graph_end". `event`: its number, from 1; 0: none.
void emu_on_order(const char* kind, const void* stream, uint64_t event);
void emu_on_synchronize();                               // every host synchronisation point
void emu_register_host(void* pointer, size_t bytes);     // host memory that kernels may use from now on
void emu_unregister_host(void* pointer);
void emu_allow_dynamic_shared(const void* function, size_t bytes);
size_t emu_dynamic_shared_limit(const void* function);   // 48 KiB unless raised
void emu_reset_device();                                 // forgets the last and the sticky error
void emu_note_communication();                           // at start-up: the program's kernels may signal from block to block
// A host API entry that exists but is not implemented: reported once with its name, returns cudaErrorNotSupported (801).
int emu_unsupported(const char* name);
}

// ---------------------------------------------------------------------------------------------------------------------
// Device operations, implemented out of line so that the hooks attribute them to the caller's line.
extern "C" {
void emu_syncthreads();
int emu_syncthreads_reduce(int predicate, int mode /* 0 count, 1 and, 2 or */);
void emu_barrier(int id, unsigned thread_count);         // named barrier (bar.sync id, n)
void emu_syncwarp(unsigned mask);
unsigned emu_activemask();
uint64_t emu_shuffle(unsigned mask, uint64_t value, unsigned source_or_delta, unsigned width, int mode /* 0 idx, 1 up, 2 down, 3 xor */);
unsigned emu_vote(unsigned mask, int predicate, int mode /* 0 ballot, 1 all, 2 any, 3 uni */);
unsigned emu_match(unsigned mask, uint64_t value, unsigned bytes, int* all_equal /* null: match_any */);
uint64_t emu_reduce(unsigned mask, uint64_t value, int mode /* 0 add, 1 min_u32, 2 max_u32, 3 min_s32, 4 max_s32, 5 and, 6 or, 7 xor */);
void emu_grid_sync();                                    // cooperative launches only
void emu_fence(int scope /* 0 block, 1 device, 2 system */);
// Asynchronous copies. Reading and writing are two calls, each one site with the counters of a plain access. What is written appears when
// the thread waits for the group that the copy was committed to: at the last moment at which a GPU may do it.
void emu_copy_read(const void* from, size_t bytes);
void emu_copy_write(void* to, const void* from, size_t bytes, size_t zero_bytes /* at the end, not read from the source */);
void emu_copy_commit();
void emu_copy_wait(size_t groups /* that may still be under way */);
void emu_note_read_only(const void* address, size_t bytes);  // the load behind it goes past the coherent caches
const void* emu_read_only(const void* pointer);          // the value of a `const T* __restrict__` parameter: what the device may see through it
void emu_note_block_scope();                             // the next atomic of this thread is one only to its block
void emu_note_end();                                     // this thread ran its kernel to the end of the body, and did not return early
void emu_note_unread();                                  // the program does not look at the result of this thread's next atomic
void emu_yield();                                        // lets other warps and blocks run
void emu_trap();
void emu_assert_fail(const char* expression, const char* file, unsigned line, const char* function);
void emu_false_assumption(const char* condition);        // of __builtin_assume; the launch goes on
int emu_device_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
uint64_t emu_clock();                                    // monotonic per worker; no meaning as time
void* emu_device_malloc(size_t bytes);
void emu_device_free(void* pointer);
unsigned emu_address_space(const void* address);         // bit 0 global, 1 shared, 2 local, 3 constant
// Stands for a function that needs what the emulator does not run: ends the launch, or the program where the host calls it.
[[noreturn]] void emu_refuse(const char* what, const char* file, int line);
}
// One texel: up to four components of 32 bits, integers extended.
struct EmuTexel { uint64_t low, high; };
enum EmuTexelKind { EMU_TEXEL_OF_LINEAR, EMU_TEXEL_1D, EMU_TEXEL_2D, EMU_TEXEL_3D, EMU_TEXEL_1D_LAYERED, EMU_TEXEL_2D_LAYERED };
// Tensor-core fragments: arrays of the calling lane's elements.
enum EmuMatrixElement { EMU_MATRIX_HALF, EMU_MATRIX_BFLOAT, EMU_MATRIX_FLOAT, EMU_MATRIX_TF32, EMU_MATRIX_DOUBLE, EMU_MATRIX_INT8, EMU_MATRIX_UINT8, EMU_MATRIX_INT };
struct EmuMatrixShape { unsigned char m, n, k, d, a, b, c; };  // the last four: EmuMatrixElement
extern "C" void emu_wmma_offer();                        // the kernel uses fragments
extern "C" void emu_wmma_multiply(void* d, const void* a, const void* b, const void* c, EmuMatrixShape shape);  // d = a b + c, by the whole warp
// c += a b for `rows` x 4 doubles times 4 x 8 (mma.sync, PTX ISA), by the whole warp: of each 8 rows a lane holds one element of a and two of
// c. In registers, as on a GPU: the sums are asked for one by one.
extern "C" void emu_multiply_doubles(unsigned rows, double c0, double c1, double c2, double c3, double a0, double a1, double b);
extern "C" double emu_product_of_lane(unsigned element);
extern "C" EmuTexel emu_texture_fetch(uint64_t texture, int kind, float x, float y, float z, int index /* of linear memory, or the layer */);
// Atomics: emu_atomic_<op>_<type>. Every one records one event (kind atomic) at its caller, then acts. T* must be aligned.
#define EMU_ATOMIC_INTEGER(T, suffix)                                                                                   \
  T emu_atomic_add_##suffix(T* p, T v); T emu_atomic_sub_##suffix(T* p, T v); T emu_atomic_min_##suffix(T* p, T v);       \
  T emu_atomic_max_##suffix(T* p, T v); T emu_atomic_exch_##suffix(T* p, T v); T emu_atomic_and_##suffix(T* p, T v);      \
  T emu_atomic_or_##suffix(T* p, T v); T emu_atomic_xor_##suffix(T* p, T v); T emu_atomic_cas_##suffix(T* p, T c, T v);
extern "C" {
EMU_ATOMIC_INTEGER(int32_t, s32) EMU_ATOMIC_INTEGER(uint32_t, u32) EMU_ATOMIC_INTEGER(int64_t, s64) EMU_ATOMIC_INTEGER(uint64_t, u64)
uint16_t emu_atomic_cas_u16(uint16_t* p, uint16_t c, uint16_t v);
uint32_t emu_atomic_inc_u32(uint32_t* p, uint32_t limit);
uint32_t emu_atomic_dec_u32(uint32_t* p, uint32_t limit);
float emu_atomic_add_f32(float* p, float v);
double emu_atomic_add_f64(double* p, double v);
float emu_atomic_exch_f32(float* p, float v);
// half and bfloat16 pass raw bits; lanes = 1 or 2 packed values in 2 or 4 bytes.
uint32_t emu_atomic_add_f16(void* p, uint32_t bits, int lanes);
uint32_t emu_atomic_add_bf16(void* p, uint32_t bits, int lanes);
}
