"""Playing a lab: progress, observations, sketches."""
