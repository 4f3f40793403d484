"""Simulations in jobs of their own: ``chunks(settings, numbers)`` names each one's parts."""
