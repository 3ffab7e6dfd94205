"""A model that answers at token speed, the same every time, and can go on after a prefix of its answer."""

import time

WORDS = ("The lighthouse keeper counted the waves and wrote each one down before the next could arrive, "
         "for he had promised that no wave would be counted twice and none would be lost. ").split(" ")


def answer(tokens):
    """The whole answer: one event for each token."""
    return [{"text": WORDS[i % len(WORDS)] + " "} for i in range(tokens)]


def tool_request():
    return [{"text": "Let me "}, {"text": "look. "}, {"call": {"id": "call-1", "name": "charge", "arguments": {"cents": 499}}}]


def stream(events, start, pause):
    """What the provider sends of these events, from the given one on."""
    for event in events[start:]:
        time.sleep(pause)
        yield event
