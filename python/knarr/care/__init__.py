"""A base in one's hands: checked and repaired, saved and restored, forgotten from, given another embedder.

Catalogs hold the truth, and everything else is derived from them: a repair makes that anew and never deletes what is
not derived. Each verb leaves the former state or the finished one, whenever it is killed, and can be called again.
"""
