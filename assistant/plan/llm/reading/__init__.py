"""From the text of a model's answer to a reply: which of its drafts counts, where its code stands, what its header says."""
