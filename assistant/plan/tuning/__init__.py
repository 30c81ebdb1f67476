"""Numbers of an edit that are worth trying: which settings there are, and which cannot run. Pure; who tries them stands in the engine."""
