"""Labs in the window: the menu, the lab card, the stage that arranges the cards for a step, and a class's reports."""
