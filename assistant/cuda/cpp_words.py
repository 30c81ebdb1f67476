"""Words of C++ that nothing of a program's own can be called."""

from __future__ import annotations

__all__ = ["KEYWORDS"]

_KEYWORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
    concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default defined
    delete do double dynamic_cast else enum explicit export extern false final float for friend goto if import inline
    int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected
    public register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
    while xor xor_eq main
"""
KEYWORDS = frozenset(_KEYWORDS.split())
"""Words of C++ (ISO C++20, [lex.key]), those with a meaning in places only, and the name of the program's start."""
