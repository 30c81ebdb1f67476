"""The command `kernelopt`, under a name that no other distribution has."""
