"""The language server: a thin edge over `assistant.engine`; one feature a module, no product logic, no state of its own."""
