"""Labs in the window: the menu, the card, the stage that they set, and the reports of a class."""
