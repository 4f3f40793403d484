"""The ground floor: statistics on arrays, with numpy and scipy alone.

One module for each idea of the paper; arrays in, frozen results out.
"""
