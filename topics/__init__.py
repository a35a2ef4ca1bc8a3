"""The map: which topics exist, how they are keyed, who writes them, how long they are kept."""
