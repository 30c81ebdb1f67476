// Launching: the translator turns `k<<<grid, block>>>(arguments)` into a call of k's launch stub, whose first argument is an
// EmuConfig; the stub hands the kernel's own address and typed arguments to emu_launch.
#pragma once
#include <cstring>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
#include "../../runtime/abi.h"
#include "keywords.h"
#include "runtime_types.h"
#include "vector_types.h"

template <class... A> struct EmuConfiguredCall;

struct EmuConfig {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
  const char* file;
  int line;
  EmuConfig(dim3 g, dim3 b, size_t s = 0, cudaStream_t st = nullptr, const char* f = __builtin_FILE(), int l = __builtin_LINE())
      : grid(g), block(b), shared_bytes(s), stream(st), file(f), line(l) {}
  template <class... A> EmuConfiguredCall<A...> operator()(A&&... arguments) const;
};

// One parameter of a kernel as the device sees it: a bitwise copy, whose constructors and destructor never run per thread.
// A class that is not trivial travels by hidden reference (Itanium C++ ABI, 3.1.2.3), so passing a reference to raw bytes is the same call.
template <class P>
struct EmuParameter {
  static constexpr bool is_trivial = std::is_trivially_copy_constructible<P>::value && std::is_trivially_destructible<P>::value;
  using Passed = typename std::conditional<is_trivial, P, P&>::type;
  alignas(P) unsigned char bytes[sizeof(P)];
  EMU_HOST EMU_INLINE explicit EmuParameter(const void* from) { __builtin_memcpy(bytes, from, sizeof(P)); }
  EMU_HOST EMU_INLINE Passed get() { return *reinterpret_cast<P*>(bytes); }
};
template <class... P>
struct EmuInvoker {
  static constexpr size_t bytes[sizeof...(P) + 1] = {sizeof(P)..., 0};
  template <size_t... I>
  EMU_HOST static EMU_INLINE void call(const void* function, void** arguments, std::index_sequence<I...>) {
    using Function = void (*)(typename EmuParameter<P>::Passed...);
    reinterpret_cast<Function>(const_cast<void*>(function))(EmuParameter<P>(arguments[I]).get()...);
  }
  EMU_HOST static void invoke(const void* function, void** arguments) { call(function, arguments, std::index_sequence_for<P...>()); }
};
template <class... P>
constexpr size_t EmuInvoker<P...>::bytes[sizeof...(P) + 1];

// `arguments` holds the address of each argument, converted to its parameter's type.
template <class... P>
EMU_HOST void emu_start(const EmuConfig& config, void (*kernel)(P...), std::initializer_list<const volatile void*> arguments) {
  void* pointers[sizeof...(P) + 1] = {};
  size_t count = 0;
  for (const volatile void* argument : arguments) pointers[count++] = const_cast<void*>(argument);
  EmuLaunch launch{};
  launch.function = reinterpret_cast<const void*>(kernel);
  launch.invoke = &EmuInvoker<P...>::invoke;
  launch.arguments = pointers;
  launch.argument_bytes = EmuInvoker<P...>::bytes;
  launch.argument_count = sizeof...(P);
  launch.grid = {config.grid.x, config.grid.y, config.grid.z};
  launch.block = {config.block.x, config.block.y, config.block.z};
  launch.shared_bytes = config.shared_bytes;
  launch.stream = config.stream;
  launch.is_cooperative = false;
  launch.file = config.file;
  launch.line = config.line;
  emu_launch(&launch);
}

// The type of a parameter without its outermost const and __restrict__, as a function's type has it.
template <class T>
T emu_value(T);

// Launch through a function pointer or another expression.
template <class... P>
struct EmuPointerLauncher {
  void (*kernel)(P...);
  EMU_HOST void operator()(const EmuConfig& config, P... arguments) const { emu_start(config, kernel, {__builtin_addressof(arguments)...}); }
};
template <class... P>
EMU_HOST EmuPointerLauncher<P...> emu_launcher(void (*kernel)(P...)) { return {kernel}; }

// `kernel % EmuConfig(grid, block)(arguments)`: a launch whose parts a macro puts together.
template <class... A>
struct EmuConfiguredCall {
  const EmuConfig& config;
  std::tuple<A&&...> arguments;
};
template <class... A>
EMU_HOST EmuConfiguredCall<A...> EmuConfig::operator()(A&&... arguments) const { return {*this, std::forward_as_tuple(std::forward<A>(arguments)...)}; }
template <class... P, class... A>
EMU_HOST void operator%(void (*kernel)(P...), EmuConfiguredCall<A...>&& call) {
  std::apply([&](A&&... arguments) { EmuPointerLauncher<P...>{kernel}(call.config, std::forward<A>(arguments)...); }, std::move(call.arguments));
}

// What cudaLaunchKernel needs to know of a bare function address.
struct EmuSignature {
  void (*invoke)(const void* function, void** arguments);
  const size_t* argument_bytes;
  unsigned argument_count;
};
extern "C" void emu_register_signature(const void* function, const EmuSignature* signature);
template <class... P>
EMU_HOST auto emu_signed(void (*kernel)(P...)) -> void (*)(P...) {
  static const EmuSignature signature{&EmuInvoker<P...>::invoke, EmuInvoker<P...>::bytes, sizeof...(P)};
  emu_register_signature(reinterpret_cast<const void*>(kernel), &signature);
  return kernel;
}

// At the beginning of a host function whose calls are noted.
extern "C" void emu_on_call(const char* kind, size_t bytes);
struct EmuCallScope {
  EMU_HOST EmuCallScope() { emu_on_call("enter", 0); }
  EMU_HOST ~EmuCallScope() { emu_on_call("leave", 0); }
};

struct EmuKernelRegistration {
  EmuKernel entry;
  template <class... P>
  EMU_HOST EmuKernelRegistration(const char* name, void (*kernel)(P...))
      : entry{name, reinterpret_cast<const void*>(kernel), &EmuInvoker<P...>::invoke, EmuInvoker<P...>::bytes, sizeof...(P), nullptr} {
    emu_register_kernel(&entry);
  }
};
struct EmuSymbolRegistration {
  EmuSymbol entry;
  EMU_HOST EmuSymbolRegistration(const char* name, const volatile void* address, size_t bytes, int space, const char* element_type)
      : entry{name, const_cast<void*>(address), bytes, space, element_type, nullptr} {
    emu_register_symbol(&entry);
  }
};
#define EMU_SYMBOL(variable, name, space, element_type) \
  static EmuSymbolRegistration emu_symbol_##variable((name), (const volatile void*)&variable, sizeof(variable), (space), (element_type))
// An argument of a user's macro that launches it: the kernel, and how to launch it (the macro pastes emu_stub_ before its parameter).
#define EMU_CALLEE(kernel, launcher) kernel
#define emu_stub_EMU_CALLEE(kernel, launcher) launcher
