"""What each peer does in the contests: a module a peer, which is left out where it is absent."""
