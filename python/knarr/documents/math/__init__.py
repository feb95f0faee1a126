"""Equations as LaTeX: `tree` is what they are read from, `latex` how structure is written; `omml` reads Word's,
`mathml` those of web pages and of XML."""
