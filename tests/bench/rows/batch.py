# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many prompts: time against the asynchronous openai SDK, our own time, and memory."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.row import Figure, Row, ratio
from sandbox.client import Sandbox

PROMPTS = 1000
MANY = 100_000
AT_ONCE = 16
ROWS = (
    Row("batch_vs_sdk", "1,000 prompts of 50 ms, 16 at once: seconds of the async openai SDK, over ours", ">=", 0.9),
    Row("batch_overhead_ms", "our own time for each of them: of the processor, ms"),
    Row("batch_mb", "memory above idle for 100,000 prompts whose answers are in the cache, MB", "<=", 30),
)
ROUNDS = 3
# Answers each completion after 50 ms, and says at which port
SERVER = """
import asyncio, json
choice = {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini"}
body = json.dumps({**head, "choices": [choice], "usage": usage}).encode()
answer = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body
async def serve(reader, writer):
    while True:
        try:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).lower()
        except (asyncio.IncompleteReadError, ConnectionError):
            return writer.close()
        await reader.readexactly(int(head.partition(b"content-length:")[2].partition(b"\\r\\n")[0]))
        await asyncio.sleep(0.05)
        writer.write(answer)
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
# Prints the seconds of ours, its processor's milliseconds a prompt, and the megabytes at its end above those before
OURS = """
import json, os, resource, sys, time
sys.path[:0] = json.loads(sys.argv[1])
from support.running import run
given = json.loads(sys.argv[2])
def ask(source, **options):
    result = run("inference_chat_batch", **{**given, "prompts_file": source, "to_file": source + ".answers", **options})
    assert not result.get("failed"), result["msg"]
    return result["summary"]["answered"]
ask(sys.argv[4])
idle, cpu, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time(), time.monotonic()
count = ask(sys.argv[3])
seconds, busy = time.monotonic() - start, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"seconds": seconds, "own_ms": busy / count * 1000, "megabytes": (peak - idle) / 1024}))
"""
# Prints the seconds of theirs
THEIRS = """
import asyncio, json, sys, time
import openai
given = json.loads(sys.argv[1])
async def main():
    client = openai.AsyncOpenAI(base_url=given["url"], api_key=given["api_key"])
    prompts = [json.loads(line) for line in open(sys.argv[2])]
    free = asyncio.Semaphore(given["workers"])
    answers = open(sys.argv[2] + ".theirs", "w")
    async def ask(prompt):
        async with free:
            messages = [{"role": "user", "content": prompt["prompt"]}]
            answer = await client.chat.completions.create(model=given["model"], messages=messages)
            answers.write(json.dumps(answer.choices[0].message.content) + "\\n")
    await ask(prompts[0])
    start = time.monotonic()
    await asyncio.gather(*map(ask, prompts))
    print(time.monotonic() - start)
asyncio.run(main())
"""


def measure(_sandbox: Sandbox) -> dict[str, Figure]:
    """Runs of both in turn, in a process each; then one of which all answers are there."""
    with serving() as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = {"url": url, "api_key": "sk-worthless", "model": "gpt-4o-mini", "workers": AT_ONCE}
        ours, theirs = [], []
        for number in range(ROUNDS):
            source = prompts(folder / f"{number}", [f"Prompt {place} of {number}" for place in range(PROMPTS)])
            ours.append(of_ours(given, source, prompts(folder / f"{number}.first", ["First"])))
            theirs.append(float(output(THEIRS, json.dumps(given), source)))
        cached = {**given, "cache": str(folder / "cache"), "result_limit": 0}
        many = of_ours(cached, prompts(folder / "many", ["Same"] * MANY), prompts(folder / "one", ["Same"]))
    seconds = [one["seconds"] for one in ours]
    return {
        "batch_vs_sdk": ratio(theirs, seconds, seconds=round(min(seconds), 2)),
        "batch_overhead_ms": Figure(round(min(one["own_ms"] for one in ours), 2)),
        "batch_mb": Figure(round(many["megabytes"], 1), more={"seconds": round(many["seconds"], 1)}),
    }


def of_ours(given: dict[str, Any], source: str, first: str) -> dict[str, float]:
    paths = json.dumps([path for path in sys.path if path])
    return dict(json.loads(output(OURS, paths, json.dumps(given), source, first)))


def output(program: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def prompts(path: Path, texts: list[str]) -> str:
    path.write_text("".join(json.dumps({"prompt": text}) + "\n" for text in texts))
    return str(path)


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """The address of a server that answers after 50 ms, in a process of its own."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        process.terminate()
