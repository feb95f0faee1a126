"""Policies decide the next step of a run: by rule and quoting, by a chat model, or by a script.

May import: agent values, scope and tools; checker, language, models, types, errors, uris.
"""

from knarr.agent.policy.extractive import ExtractivePolicy
from knarr.agent.policy.model import ModelPolicy
from knarr.agent.policy.scripted import ScriptedPolicy

__all__ = [
    "ExtractivePolicy",
    "ModelPolicy",
    "ScriptedPolicy",
]
