"""Policies: what decides the next step of a run."""

from knarr.agent.decision import Decision, Draft, Policy, Quote, ToolCall, View
from knarr.agent.policy.extractive import ExtractivePolicy
from knarr.agent.policy.model import ModelPolicy
from knarr.agent.policy.scripted import ScriptedPolicy

__all__ = [
    "Decision",
    "Draft",
    "ExtractivePolicy",
    "ModelPolicy",
    "Policy",
    "Quote",
    "ScriptedPolicy",
    "ToolCall",
    "View",
]
