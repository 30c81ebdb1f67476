"""What is here, what is missing, and how to get it."""
