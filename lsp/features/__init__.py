"""One LSP feature per module; each has ``register(server, …)``, which `lsp.compose` calls with what it needs."""
