"""CUDA C++ text: parsing, edits, hunks, rebase. Pure; knows nothing of compilers or labs."""
