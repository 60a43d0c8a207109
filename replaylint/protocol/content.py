"""Content blocks: what messages and prompts consist of.

Source: https://agentclientprotocol.com/protocol/v2/content.
"""

from __future__ import annotations


def text_of(content: object) -> str:
    """The text of a block, or of a list of them, without what is no text."""
    if isinstance(content, dict):
        text = content.get("text")
        return text if isinstance(text, str) else ""
    return "".join(map(text_of, content)) if isinstance(content, list) else ""
