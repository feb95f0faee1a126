"""What derived measures are computed from: a report that answers "operating margin" may never say it.

A question for a ratio is also a question for its parts and for the statement that holds them. The
table is small on purpose: the words of accounts and balances that readers ask by other names.
"""

from __future__ import annotations

import re

_STATEMENTS = (
    (r"operating margins?|operating income|ebit(?:da)?r?\b", "consolidated statements of income: revenue, cost, operating expenses, operating income"),
    (r"gross margins?|gross profit", "consolidated statements of earnings: net sales, cost of sales, gross profit"),
    (r"net (?:profit )?margins?|profitability|net income", "consolidated statements of income: revenue, net income"),
    (r"(?:quick|current) ratio|working capital|liquidity", "consolidated balance sheets: current assets, inventories, receivables, current liabilities"),
    (r"inventory turnover|sold its inventory|days? (?:of )?inventory", "cost of products sold; consolidated balance sheets: inventories"),
    (r"free cash ?flow|cash ?flow conversion", "consolidated statements of cash flows: operating activities, capital expenditures, net income"),
    (r"financing activities|investing activities|cash flows?\b", "consolidated statements of cash flows: operating, investing, financing activities"),
    (r"effective tax rate|tax rate", "consolidated statements of income: income before income taxes, provision for income taxes"),
    (r"interest coverage", "operating income, interest expense, net of amounts capitalized"),
    (r"leverage|\bdebt\b", "total debt: long-term debt, debt maturing within one year, balance sheet"),
    (r"liabilit(?:y|ies)|balance sheet", "consolidated balance sheets: total liabilities"),
    (r"top ?line|revenue growth", "net revenues by segment and region, compared with the prior year"),
    (r"cash (?:&|and) cash equivalents", "condensed consolidated balance sheets: cash and cash equivalents"),
    (r"capital intensity|capital expenditures?|capex", "consolidated statements of cash flows: capital expenditures; property and equipment, net"),
    (r"repurchases?|buybacks?", "share repurchases: shares repurchased, cost, remaining authorization"),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), parts) for pattern, parts in _STATEMENTS)


def computed_from(question: str) -> str:
    """A query for the parts of the first measure in a question; "" when it names none."""
    return next((parts for pattern, parts in _COMPILED if pattern.search(question)), "")
