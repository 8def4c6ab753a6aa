"""The picture of a flow, for every output that draws it."""
