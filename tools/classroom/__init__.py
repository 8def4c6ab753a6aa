"""Installation for a classroom without internet: everything in one folder."""
