"""Pictures of pages: each page is what OCR reads on it."""
