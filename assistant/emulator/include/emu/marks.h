// What the translator writes before host functions.
#pragma once
// Host code is not instrumented: reference loops on the CPU keep full speed.
#define EMU_HOST __attribute__((no_sanitize_thread, no_sanitize_coverage))
// What the user's own host functions are marked with, so that an object file shows device code that calls one: they are known by their
// visibility, or by their section where a symbol is local, and compiled for more than device code is, so that none is inlined there.
#define EMU_APART __attribute__((target("sse3")))
#define EMU_USER_HOST EMU_HOST __attribute__((visibility("protected")))
#define EMU_USER_HOST_LOCAL EMU_HOST __attribute__((section(".text.emu_host")))
