"""From the code of a reply to edits of the program: what belongs to which part, what is refused and why."""
