"""CUDA text inside Python programs and notebook cells: found, mapped character by character, edited in place."""
