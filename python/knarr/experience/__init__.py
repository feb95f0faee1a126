"""What accepted answers teach: Algorithm 2, the governance of its edges, and warming up.

`experience` is the part of a knowledge base (`kb.experience`); `pairs` and `learning` make edges from a trace,
`judge` keeps the right ones, `calibrate` chooses gamma, `warm_up/` asks historical questions.
May import: catalog, reading, models, language, trace, checker, the agent (the roles of its tools), and what they stand
on.
"""
