// No include guard: <assert.h> redefines assert by NDEBUG each time it is included. In host code the core ends the program as libc does.
extern "C" void emu_assert_fail(const char* expression, const char* file, unsigned line, const char* function);
#ifndef NDEBUG
#undef assert
#define assert(...) (static_cast<bool>(__VA_ARGS__) ? void(0) : emu_assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __extension__ __PRETTY_FUNCTION__))
#endif
