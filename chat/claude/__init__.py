"""This machine's Claude Code sessions: listing them and reading their answers."""
