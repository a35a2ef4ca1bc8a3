"""Deciding: what an inbox record changes in what is believed. Pure; see DECISIONS in cases.py for the table."""
