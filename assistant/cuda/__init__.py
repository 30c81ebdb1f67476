"""CUDA C++ text: parsing, questions about the syntax tree, edits, hunks, rebase. Pure; knows nothing of compilers or labs.

What is in a text is asked here, one module per question; what a rewrite may conclude from it is not.
"""
