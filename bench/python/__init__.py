"""Benches of the Python package. What must be set before NumPy is imported is set here.

NumPy's OpenBLAS lets its threads spin for a while after each product. In a bench whose contenders take
turns they would spin into the other's turn and take a core from it: so they go to sleep at once.
"""

import os

# Two to the power of this: how many cycles a thread of OpenBLAS waits for more work. 4 is its least.
OPENBLAS_THREAD_TIMEOUT = os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
