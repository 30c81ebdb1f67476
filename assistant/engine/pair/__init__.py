"""A pair session: a person edits one kernel, and each saved edit is answered."""
