"""How Many Samples Do We Need? (sk-power): its one table, its listing and its three figures."""
