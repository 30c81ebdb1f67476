"""Hardware counters: Nsight Compute's reports, and how they are made from a replayed case. Part of the worker process."""
