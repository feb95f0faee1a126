"""The agent loop, Algorithm 1 of VikingRAG: policies decide, tools fetch, budgets bound, citations are checked.

values.py holds what passes between them; tools/ one tool a file; policy/ one policy a file; loop.py the loop
without I/O; session.py one run with its effects; scope.py which documents a question means.
May import: checker, trace, language, models, config, types, errors, uris; never experience.
"""

from knarr.agent.agent import Agent, RunOptions
from knarr.agent.budget import Budget
from knarr.agent.escalation import Escalation
from knarr.agent.history import chat_messages
from knarr.agent.policy import ExtractivePolicy, ModelPolicy, ScriptedPolicy
from knarr.agent.scope import Candidate, Resolution
from knarr.agent.session import Run
from knarr.agent.tools import TOOLS, Tool
from knarr.agent.values import (
    Argument,
    Cite,
    Decision,
    Draft,
    Excerpt,
    Message,
    Observation,
    Policy,
    Quote,
    ToolCall,
    ToolSpec,
    View,
)

__all__ = [
    "TOOLS",
    "Agent",
    "Argument",
    "Budget",
    "Candidate",
    "Cite",
    "Decision",
    "Draft",
    "Escalation",
    "Excerpt",
    "ExtractivePolicy",
    "Message",
    "ModelPolicy",
    "Observation",
    "Policy",
    "Quote",
    "Resolution",
    "Run",
    "RunOptions",
    "ScriptedPolicy",
    "Tool",
    "ToolCall",
    "ToolSpec",
    "View",
    "chat_messages",
]
