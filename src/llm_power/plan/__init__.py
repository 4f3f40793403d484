"""How many items to run, before they are run: `llm-power plan`.

======================  ====================================================================
`question`              what is asked: level, power, test, margin, family, clusters
`pair`                  what is assumed of two models, in each way of saying it
`answer`                required items of every test, and which number to take
`repeats`               the same for means of several answers to an item
`text`                  the answer on a screen, and as JSON
`pilot`, `pilot_text`   a declared gap, or the pilot's own, from scores that two models have
`costs`, `costs_text`   subjects, items and repeats at least cost
`curves`                what the figure of a plan draws
`command`               the command
======================  ====================================================================
"""
