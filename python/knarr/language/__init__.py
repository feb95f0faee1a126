"""What questions and passages say, read off by rule: words, constraints, passages, quotes. No model, no engine."""
