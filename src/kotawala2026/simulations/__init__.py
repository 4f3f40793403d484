"""What is simulated in jobs of its own.

Each module has ``chunks(settings, numbers)``: what simulates each chunk, by the chunk's name.
"""
