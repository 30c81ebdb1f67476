"""Runs a user's build once, in a private copy of its folder, and notes every call of a compiler, archiver and linker in it.

A worker: other folders talk to it in JSON lines. It knows which tool was called with what, not what that means for a program.
"""
