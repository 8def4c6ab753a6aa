"""The session: a scene with the plots' options, saved, named and evaluated."""
