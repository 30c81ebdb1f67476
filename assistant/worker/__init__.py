"""What the kinds of worker share: child processes, their limits and confinement, compilers as tools, private folders.

Nothing here knows the emulator or a GPU; front ends and the engine never import it.
"""
