"""A classroom without internet: everything that is to be installed, collected into one folder."""
