"""The harness for coding agents, over the Model Context Protocol: they ask and submit, the lab judges, a person decides."""
