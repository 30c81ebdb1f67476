"""Prompt templates and technique playbooks: text shown to people and models alike."""
