"""No task, and not called as one."""

SIZE = 40
