"""The agent loop (Algorithm 1): policies decide, four tools fetch, budgets bound, citations are checked."""

from knarr.agent.agent import Agent
from knarr.agent.budget import Budget
from knarr.agent.decision import Decision, Draft, Observation, Policy, Quote, Shown, ToolCall, View
from knarr.agent.escalation import Escalation
from knarr.agent.history import Message, chat_messages
from knarr.agent.policy import ExtractivePolicy, ModelPolicy, ScriptedPolicy
from knarr.agent.scope import Candidate, Resolution
from knarr.agent.session import Run
from knarr.agent.tools import TOOLS, ToolSpec

__all__ = [
    "TOOLS",
    "Agent",
    "Budget",
    "Candidate",
    "Decision",
    "Draft",
    "Escalation",
    "ExtractivePolicy",
    "Message",
    "ModelPolicy",
    "Observation",
    "Policy",
    "Quote",
    "Resolution",
    "Run",
    "ScriptedPolicy",
    "Shown",
    "ToolCall",
    "ToolSpec",
    "View",
    "chat_messages",
]
