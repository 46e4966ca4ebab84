"""A model that is played by a rule: it looks into a file by the shell, and says what stood there.

LiteLLM speaks to the client and reads the requests. Only what a model decides is decided here, from the messages and
tools that LiteLLM hands over.
"""

import json

from litellm import CustomLLM
from litellm.types.utils import ChatCompletionMessageToolCall, Function

COMMAND = json.dumps({"command": "cat parcel.txt", "description": "Look into the parcel"})
CALL = "call_parcel"


class PlayedModel(CustomLLM):
    async def acompletion(self, *_, messages, optional_params, model_response, **__):
        choice = model_response.choices[0]
        if is_to_look(messages, optional_params):
            function = Function(name="Bash", arguments=COMMAND)
            choice.message.tool_calls = [ChatCompletionMessageToolCall(id=CALL, type="function", function=function)]
            choice.finish_reason = "tool_calls"
        else:
            choice.message.content = report(messages)
        return model_response

    async def astreaming(self, *_, messages, optional_params, **__):
        if is_to_look(messages, optional_params):
            yield piece(call={"id": CALL, "name": "Bash", "arguments": ""})
            for part in parts(COMMAND):
                yield piece(call={"id": None, "name": None, "arguments": part})
            yield piece(finish="tool_calls")
        else:
            for part in parts(report(messages)):
                yield piece(text=part)
            yield piece(finish="stop")


def is_to_look(messages, options):
    offered = [tool["function"]["name"] for tool in options.get("tools") or []]
    return "Bash" in offered and not results(messages)


def report(messages):
    return f"The parcel holds {' '.join(results(messages)) or 'nothing that I know of'}."


def results(messages):
    return [text(message["content"]).strip() for message in messages if message["role"] == "tool"]


def text(content):
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def parts(whole, size=7):
    return [whole[at : at + size] for at in range(0, len(whole), size)]


def piece(text="", call=None, finish=""):
    usage = {"prompt_tokens": 120, "completion_tokens": 8, "total_tokens": 128} if finish else None
    function = call and {"name": call["name"], "arguments": call["arguments"]}
    tool_use = call and {"id": call["id"], "type": "function", "function": function, "index": 0}
    return {
        "text": text,
        "tool_use": tool_use,
        "is_finished": bool(finish),
        "finish_reason": finish,
        "index": 0,
        "usage": usage,
    }


model = PlayedModel()
