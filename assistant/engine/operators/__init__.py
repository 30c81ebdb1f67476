"""PyTorch operators: a candidate judged against the task's reference, each in a process of its own. The CPU alone so far."""
