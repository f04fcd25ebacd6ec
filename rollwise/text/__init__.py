"""Answers in words: numbers, sentences, tables, bars and dice, for the terminal, for pages and for Markdown."""
