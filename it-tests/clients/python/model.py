"""A model that answers at token speed with a recorded response, and can go on after a prefix of it.

In its place stands the streaming call of a provider. Every token that is asked of it is told: what is told twice
is bought twice.
"""

import asyncio
import json
import time


def say(step, **more):
    """One line for whoever watches, written at once: several threads have something to say."""
    print(json.dumps({"step": step, **more}) + "\n", end="", flush=True)


def recorded(path):
    """A recorded response: one event for each line, kept as it is written there."""
    with open(path, encoding="utf-8", newline="\n") as lines:
        return [line.rstrip("\n") for line in lines]


def tool_request():
    call = {"id": "call-1", "name": "charge", "arguments": {"cents": 499}}
    return [json.dumps(event) for event in ({"text": "Let me "}, {"text": "look. "}, {"call": call})]


def stream(events, start, pause):
    """What the provider sends of these events, from the given one on."""
    for index, event in enumerate(events[start:], start):
        time.sleep(pause)
        say("asked", index=index)
        yield event


async def astream(events, start, pause):
    """The same for asyncio."""
    for index, event in enumerate(events[start:], start):
        await asyncio.sleep(pause)
        say("asked", index=index)
        yield event
