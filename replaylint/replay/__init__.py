"""A replay: which request and window own a message, what it does to them, how they end."""
