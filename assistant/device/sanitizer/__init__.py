"""compute-sanitizer on replayed launches. Part of the worker process."""
