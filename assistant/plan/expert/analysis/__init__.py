"""What a source transformation works out about a kernel before it edits: one question per module."""
