"""Writing a lab in a dialog beside the main window."""
