"""``optimize``: who plans, what is tried, what is built on, what is confirmed and offered, what it may cost."""
