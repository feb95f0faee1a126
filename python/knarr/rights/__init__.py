"""Who may see what: rules on documents and folders, and for each class of principals the rows that it may see.

A row is seen or not; filters of rows are applied inside the engine, so that no surface has a check of its own.
Principals that meet the same rules are one class. `kb.rights` (`rights.py`) changes and explains the rules, `Keeper`
keeps the rows of each class in step with the log.
May import: index, engine, catalog, and what they stand on.
"""
