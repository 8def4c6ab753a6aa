"""Labs: guided sessions, each in one Markdown file. This package reads, checks, plays and reports them, without Qt.

A lab file is data: it names session fields and measures, and compares them. It can't run code, use the network or read
another file.
"""
