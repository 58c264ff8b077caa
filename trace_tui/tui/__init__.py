"""The Textual app: screens, widgets and the key table."""
