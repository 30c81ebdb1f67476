"""What compilers say, read as text: targets, flags, diagnostics, resources, machine code. Pure; starts no process."""
