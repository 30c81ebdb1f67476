"""From a judged edit to a decided one: the gate, records, explanations, what was turned down, accepting and undoing."""
