"""Conversations as ChatGPT and Claude export them: `conversations.json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rolltop.store.imports.item import Item, file_name, moment_of

__all__ = ["are_conversations", "conversations_in"]

_SPEAKERS = {"user": "User", "human": "User", "assistant": "Assistant"}


def are_conversations(exported: object) -> bool:
    """Whether a JSON value is a list of conversations of either program."""
    return isinstance(exported, list) and any(
        isinstance(each, dict) and ("mapping" in each or "chat_messages" in each) for each in exported
    )


def conversations_in(exported: list[Any]) -> Iterator[Item]:
    """A document for each conversation in which something was said."""
    for each in exported:
        if not isinstance(each, dict):
            continue
        if isinstance(each.get("mapping"), dict):
            item = _item("chatgpt", each, _of_chatgpt(each), ("title", "create_time", "update_time"))
        else:
            item = _item("claude", each, _of_claude(each), ("name", "created_at", "updated_at"))
        if item is not None:
            yield item


def _item(
    source: str, each: dict[str, Any], said: Iterator[tuple[str, str]], names: tuple[str, str, str]
) -> Item | None:
    title, created, updated = names
    parts = [f"## {speaker}\n\n{text.strip()}\n" for speaker, text in said if text.strip()]
    if not parts:
        return None
    name = str(each.get(title) or "Untitled")
    identity = str(each.get("conversation_id") or each.get("id") or each.get("uuid") or name + parts[0])
    text = f"# {name}\n\n" + "\n".join(parts)
    return Item(
        f"conversations/{source}/{file_name(name, identity)}",
        text.encode("utf-8", "replace"),
        ("conversation",),
        {"source": source, "conversation": identity, "messages": len(parts)},
        moment_of(each.get(created)),
        moment_of(each.get(updated)) or moment_of(each.get(created)),
    )


def _of_chatgpt(each: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The branch that was shown last: from its last message back to the first."""
    nodes: dict[str, Any] = each["mapping"]
    number = each.get("current_node")
    if number not in nodes:
        number = next((key for key in reversed(nodes) if not (nodes[key] or {}).get("children")), None)
    branch, seen = list[Any](), set[str]()
    while isinstance(number, str) and number in nodes and number not in seen:
        seen.add(number)
        branch.append(nodes[number] or {})
        number = branch[-1].get("parent")
    for node in reversed(branch):
        message = node.get("message") or {}
        speaker = _SPEAKERS.get((message.get("author") or {}).get("role", ""))
        content = message.get("content") or {}
        parts = content.get("parts") or ([content["text"]] if isinstance(content.get("text"), str) else [])
        if speaker:
            yield speaker, "\n\n".join(part for part in parts if isinstance(part, str))


def _of_claude(each: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for message in each.get("chat_messages") or ():
        if not isinstance(message, dict):
            continue
        pieces = message.get("content") if isinstance(message.get("content"), list) else []
        texts = [
            piece["text"] for piece in pieces or () if isinstance(piece, dict) and isinstance(piece.get("text"), str)
        ]
        attached = [
            f"Attached: {file.get('file_name', '')}\n\n{file.get('extracted_content') or ''}"
            for file in message.get("attachments") or ()
            if isinstance(file, dict)
        ]
        text = "\n\n".join(texts) or str(message.get("text") or "")
        yield _SPEAKERS.get(str(message.get("sender")), "Assistant"), "\n\n".join([text, *attached])
