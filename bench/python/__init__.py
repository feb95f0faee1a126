"""Benches of the Python package. What must be set before NumPy and its like are imported is set here.

The threads of OpenBLAS and OpenMP spin for a while after each call. In a bench whose contenders take turns
they would spin into the other's turn and take a core from it: so they go to sleep at once.
"""

import os

# OPENBLAS_THREAD_TIMEOUT: two to the power of it is how many cycles a thread waits for more work; 4 is its least.
CALM = {
    name: os.environ.setdefault(name, value)
    for name, value in {
        "OPENBLAS_THREAD_TIMEOUT": "4",
        "OMP_WAIT_POLICY": "passive",
        "GOMP_SPINCOUNT": "0",
    }.items()
}
OPENBLAS_THREAD_TIMEOUT = CALM["OPENBLAS_THREAD_TIMEOUT"]
