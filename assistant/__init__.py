"""kernelopt's core: a frozen kernel and its workload in, verified and explained edits out."""
