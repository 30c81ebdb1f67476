"""The editor's side of the engine: what is open, what is shown of it, what runs behind it. Every front end that stays open shares it."""
