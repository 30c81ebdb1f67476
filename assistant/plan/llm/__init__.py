"""Planning with a language model: what it receives, what it may answer, and how an answer becomes an edit. Runs and measures nothing."""
