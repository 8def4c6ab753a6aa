"""Labs: guided sessions, each one Markdown file. Read, checked, played, reported; without Qt.

A lab file is data: it names session fields and measures, and compares them. It can't run code, reach the network or read
another file.
"""
